/**
 * Order in time: the hybrid logical clock of all writes, its
 * {@link io.quorate.clock.Timestamp}, the judge of timestamps from the future, the time
 * on which the members' clocks agree, deadlines, and the injected source of physical
 * time.
 * <p>
 * Promises that a node never gives out one timestamp twice and never one below a
 * timestamp that it has seen, also over a restart with the system clock set back. Pure
 * values, readings of clocks and one lock-free counter: no threads, no I/O (the durable
 * bound comes through {@link io.quorate.clock.ClockCeiling}). Depends on nothing else.
 */
@NullMarked
@ApplicationModule(allowedDependencies = {})
package io.quorate.clock;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
