/** Files of prompts: read once, entry by entry, and never shown. */
@NullMarked
package io.github.latencybudget.prompts;

import org.jspecify.annotations.NullMarked;
