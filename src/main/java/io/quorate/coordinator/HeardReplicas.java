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

	private final int[] refused;

	private @Nullable Failure refusal;

	HeardReplicas(List<QuorumSide> sides) {
		this.sides = sides;
		this.heard = new int[sides.size()];
		this.refused = new int[sides.size()];
	}

	/** Counts a replica, once. */
	void add(int replica) {
		for (int i = 0; i < this.heard.length; i++) {
			this.heard[i] += this.sides.get(i).asks(replica) ? 1 : 0;
		}
	}

	/** Counts a replica that has failed to report, once. */
	void failed(int replica, Failure failure) {
		if (!failure.reason().isOfLayout()) {
			return;
		}
		for (int i = 0; i < this.refused.length; i++) {
			this.refused[i] += this.sides.get(i).asks(replica) ? 1 : 0;
			if (this.refused[i] > this.sides.get(i).spare()) {
				this.refusal = failure;
			}
		}
	}

	/**
	 * The failure of the last replica without which a side has no quorum, if so many have
	 * failed because of their layout, or {@code null}. They would refuse an entry, too.
	 */
	@Nullable Failure refusal() {
		return this.refusal;
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
