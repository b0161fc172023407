package io.github.latencybudget.junit;

import java.util.List;

/** The attributes of a budget that say how to run, which all budgets of a gate agree in. */
record RunAttributes(
        int outputTokens,
        int requests,
        double maxSeconds,
        int concurrency,
        double temperature,
        int topK,
        double topP,
        double repetitionPenalty,
        double confidence,
        List<String> device) {

    static RunAttributes of(LatencyBudget budget) {
        return new RunAttributes(
                budget.outputTokens(),
                budget.requests(),
                budget.maxSeconds(),
                budget.concurrency(),
                budget.temperature(),
                budget.topK(),
                budget.topP(),
                budget.repetitionPenalty(),
                budget.confidence(),
                List.of(budget.device()));
    }

    static RunAttributes of(ThroughputBudget budget) {
        return new RunAttributes(
                budget.outputTokens(),
                budget.requests(),
                budget.maxSeconds(),
                budget.concurrency(),
                budget.temperature(),
                budget.topK(),
                budget.topP(),
                budget.repetitionPenalty(),
                budget.confidence(),
                List.of(budget.device()));
    }

    static RunAttributes of(GoodputBudget budget) {
        return new RunAttributes(
                budget.outputTokens(),
                budget.requests(),
                budget.maxSeconds(),
                budget.concurrency(),
                budget.temperature(),
                budget.topK(),
                budget.topP(),
                budget.repetitionPenalty(),
                budget.confidence(),
                List.of(budget.device()));
    }

    static RunAttributes of(TtftByPromptLength budget) {
        return new RunAttributes(
                budget.outputTokens(),
                budget.requests(),
                budget.maxSeconds(),
                budget.concurrency(),
                budget.temperature(),
                budget.topK(),
                budget.topP(),
                budget.repetitionPenalty(),
                budget.confidence(),
                List.of(budget.device()));
    }
}
