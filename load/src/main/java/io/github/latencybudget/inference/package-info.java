/**
 * What can be measured: the interfaces between a target and the load that is put on it.
 *
 * <p>The built-in targets are below this package, one package each, and know nothing of one another.
 */
@NullMarked
package io.github.latencybudget.inference;

import org.jspecify.annotations.NullMarked;
