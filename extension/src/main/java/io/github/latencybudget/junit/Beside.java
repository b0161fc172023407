package io.github.latencybudget.junit;

import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.load.SamePrompts;
import io.github.latencybudget.record.SideEntry;
import java.util.Optional;
import java.util.function.Function;

/**
 * That a gate is one of several on different targets.
 *
 * @param prompts opens the target whose prompts it is to have; empty for its own
 */
record Beside(SideEntry entry, Optional<Function<Progress, TargetSession>> prompts) {

    /** {@return the session with the prompts that it is to have} */
    TargetSession on(TargetSession session, Progress progress) {
        return prompts.<TargetSession>map(p -> {
                    SamePrompts same = new SamePrompts(session, p.apply(progress));
                    // Else they would change in mid-run, at the first that a gate before was sent.
                    same.renewPrompts();
                    return same;
                })
                .orElse(session);
    }
}
