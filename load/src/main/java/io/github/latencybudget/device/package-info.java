/** What the machine says of itself: the processor, the GPU, and how much of their memory is in use. */
@NullMarked
package io.github.latencybudget.device;

import org.jspecify.annotations.NullMarked;
