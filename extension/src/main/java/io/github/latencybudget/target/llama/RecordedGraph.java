package io.github.latencybudget.target.llama;

import com.sun.jna.Pointer;

/**
 * A recorded piece of work of a {@link CaptureStream}.
 *
 * @param handle the driver's handle of the executable graph
 * @param nodes how many kernels, copies and the like it launches
 */
record RecordedGraph(Pointer handle, int nodes) {}
