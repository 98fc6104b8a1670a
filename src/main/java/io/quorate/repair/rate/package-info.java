/**
 * The rate limit of background transfers between nodes: pure, without a thread or a clock
 * of its own.
 */
@NullMarked
package io.quorate.repair.rate;

import org.jspecify.annotations.NullMarked;
