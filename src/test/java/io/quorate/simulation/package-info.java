/**
 * A cluster of whole nodes in one thread and in simulated time, by one seed.
 */
@NullMarked
package io.quorate.simulation;

import org.jspecify.annotations.NullMarked;
