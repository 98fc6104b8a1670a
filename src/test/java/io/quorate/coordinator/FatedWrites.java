package io.quorate.coordinator;

import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.QuorumNotReachedException.Fate;

/**
 * Failures of writes of which more is known, for tests of what lies in front of the
 * coordinator.
 */
public final class FatedWrites {

	private FatedWrites() {
	}

	/** The failure of a condition of a write that an earlier request may have done. */
	public static ConditionFailedException forgotten(Timestamp current) {
		return new ConditionFailedException(current, null, true);
	}

	/** The failure of a write with this fate, as one of three replicas has answered. */
	public static QuorumNotReachedException of(Fate fate) {
		return new QuorumNotReachedException(2, 1, true, List.of()).with(fate);
	}

}
