package io.quorate.repair.hint;

import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.quorate.replica.Replica;

/**
 * The members, clocks and disk state that hints depend on.
 *
 * @param members every member at present as a replica, this node included: it may miss a
 * write, too
 * @param isUp whether a member is expected to answer
 * @param isDiskFull whether the disk has no room for data that is not urgent
 * @param millis the present by the hybrid clock
 * @param nanos monotonic time
 */
record HintEnvironment(Supplier<Map<String, Replica>> members, Predicate<String> isUp, BooleanSupplier isDiskFull,
		LongSupplier millis, LongSupplier nanos) {
}
