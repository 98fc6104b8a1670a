package io.quorate.coordinator;

import java.util.List;

import io.quorate.coordinator.QuorumNotReachedException.Fate;

/**
 * Failures of writes of which more is known, for tests of what lies in front of the
 * coordinator.
 */
public final class FatedWrites {

	private FatedWrites() {
	}

	/** The failure of a write with this fate, as one of three replicas has answered. */
	public static QuorumNotReachedException of(Fate fate) {
		return new QuorumNotReachedException(2, 1, true, List.of()).with(fate);
	}

}
