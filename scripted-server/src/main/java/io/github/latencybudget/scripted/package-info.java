/** A server that answers by a script: tokens on a schedule, its own send times, and every fault that a client has to bear. */
@NullMarked
package io.github.latencybudget.scripted;

import org.jspecify.annotations.NullMarked;
