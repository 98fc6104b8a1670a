package io.quorate.repair.hint;

import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.quorate.replica.Replica;

/**
 * What hints depend on.
 *
 * @param members every member as a replica, this node too: also it may miss a write
 * @param isUp whether a member is expected to answer
 * @param isDiskFull whether the disk has no room for what is not urgent
 * @param millis the present by the hybrid clock
 * @param nanos monotonic time
 */
record HintEnvironment(Map<String, Replica> members, Predicate<String> isUp, BooleanSupplier isDiskFull,
		LongSupplier millis, LongSupplier nanos) {

	HintEnvironment {
		members = Map.copyOf(members);
	}

}
