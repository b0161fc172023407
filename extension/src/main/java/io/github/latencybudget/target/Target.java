package io.github.latencybudget.target;

import org.apiguardian.api.API;

/** A kind of thing that generates tokens. Has a public constructor without parameters; named by {@code @InferenceTarget}. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface Target {

    /**
     * Opens the target, which can take minutes: a model is read and brought to its device, or a server is reached. What this
     * returns is shared by all gates with an equal spec and closed after the last.
     *
     * @param spec what to open
     * @param progress told what is going on meanwhile
     * @throws MeasurementException where it cannot be opened: says what was wrong, with which value, and what to do next
     */
    TargetSession open(TargetSpec spec, Progress progress);
}
