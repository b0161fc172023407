package io.github.latencybudget.inference;

import org.apiguardian.api.API;

/** Told what is going on while something takes long. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface Progress {

    /** Says nothing. */
    Progress NONE = (what, done, total, unit) -> {};

    /**
     * Something went on.
     *
     * @param what what is going on, such as {@code loading Llama-2-7b}
     * @param done how much is done, in {@code unit}
     * @param total how much there is, in {@code unit}
     * @param unit such as {@code bytes} or {@code requests}
     */
    void step(String what, long done, long total, String unit);
}
