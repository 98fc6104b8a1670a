/**
 * Order in time: the hybrid logical clock that stamps every write, its
 * {@link io.quorate.clock.Timestamp}, the judge of stamps from the future, deadlines, and
 * the injected source of physical time.
 * <p>
 * Promises that a node never gives out one stamp twice and never one below a stamp that
 * it has seen, also over a restart with the system clock set back. Pure values and one
 * lock-free counter: no threads, no I/O (what must be durable goes through
 * {@link io.quorate.clock.ClockCeiling}). Depends on nothing else.
 */
@NullMarked
@ApplicationModule(allowedDependencies = {})
package io.quorate.clock;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
