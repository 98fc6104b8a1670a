package io.quorate.coordinator;

/**
 * The quorum of a request: the number of replicas that hold the key, and of those that
 * must answer.
 *
 * @param ack number of replicas that must answer
 * @param from number of replicas that hold copies
 */
public record Consistency(int ack, int from) {

	public Consistency {
		if (ack < 1 || ack > from) {
			throw new IllegalArgumentException("ack must be between 1 and from, not %d of %d".formatted(ack, from));
		}
	}

	/** A majority of {@code from} replicas. */
	public static Consistency majorityOf(int from) {
		return new Consistency(from / 2 + 1, from);
	}

}
