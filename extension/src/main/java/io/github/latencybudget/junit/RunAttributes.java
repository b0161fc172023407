package io.github.latencybudget.junit;

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
        double confidence) {

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
                budget.confidence());
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
                budget.confidence());
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
                budget.confidence());
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
                budget.confidence());
    }
}
