package io.quorate.coordinator;

/**
 * How many nodes a request concerns.
 *
 * @param ack how many must answer
 * @param from how many hold copies
 */
public record Consistency(int ack, int from) {

	public Consistency {
		if (ack < 1 || ack > from) {
			throw new IllegalArgumentException("ack must be between 1 and from, not %d of %d".formatted(ack, from));
		}
	}

	/** A majority of {@code from} nodes. */
	public static Consistency majorityOf(int from) {
		return new Consistency(from / 2 + 1, from);
	}

}
