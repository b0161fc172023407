package io.github.latencybudget.llama;

/** One kernel and how it is launched. */
record Kernel(String name, int gridX, int gridY, int gridZ, int threads, int sharedBytes) {

    Kernel(String name, int grid, int threads, int sharedBytes) {
        this(name, grid, 1, 1, threads, sharedBytes);
    }
}
