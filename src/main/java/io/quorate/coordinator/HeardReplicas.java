package io.quorate.coordinator;

import java.util.List;

import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;

/**
 * The count of the replicas that have reported their timestamps to a coordinator. Used by
 * one thread at a time.
 */
final class HeardReplicas {

	private final List<QuorumSide> sides;

	private final int[] heard;

	private @Nullable Failure failureOfLayout;

	HeardReplicas(List<QuorumSide> sides) {
		this.sides = sides;
		this.heard = new int[sides.size()];
	}

	/** Counts a replica, once. */
	void add(int replica) {
		for (int i = 0; i < this.heard.length; i++) {
			this.heard[i] += this.sides.get(i).asks(replica) ? 1 : 0;
		}
	}

	/** Takes note of the failure of a replica that has not reported. */
	void failed(Failure failure) {
		if (failure.reason().isOfLayout()) {
			this.failureOfLayout = failure;
		}
	}

	/** The last failure because of a layout, if there was one. */
	@Nullable Failure failureOfLayout() {
		return this.failureOfLayout;
	}

	/** Whether every majority of each side includes one of them. */
	boolean isEnough() {
		for (int i = 0; i < this.heard.length; i++) {
			if (this.heard[i] < this.sides.get(i).heard()) {
				return false;
			}
		}
		return true;
	}

}
