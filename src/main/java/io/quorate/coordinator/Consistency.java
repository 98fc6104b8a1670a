package io.quorate.coordinator;

/**
 * The consistency that a request asks for: the number of replicas that hold the key, and
 * of those that must answer. Either number may be left to the layout that holds for the
 * request when it is planned; the numbers that result are the request's quorum, see
 * {@link #at}.
 *
 * @param ack number of replicas that must answer, or {@link #MAJORITY} of {@code from}
 * @param from number of replicas that hold copies, or {@link #ALL} of the key
 */
public record Consistency(int ack, int from) {

	/** As many replicas as the replication factor. */
	public static final int ALL = 0;

	/** More than half of the replicas that hold copies. */
	public static final int MAJORITY = 0;

	/** A majority of all replicas: the consistency of requests that ask for none. */
	public static final Consistency DEFAULT = new Consistency(MAJORITY, ALL);

	public Consistency {
		if (ack < MAJORITY || from < ALL || (from != ALL && ack > from)) {
			throw new IllegalArgumentException("ack must be between 1 and from, not %d of %d".formatted(ack, from));
		}
	}

	/** A majority of {@code from} replicas. */
	public static Consistency majorityOf(int from) {
		return new Consistency(from / 2 + 1, from);
	}

	/**
	 * The quorum in a layout: both numbers are given, and neither is above the
	 * replication factor, which may be less than when the client chose them.
	 */
	public Consistency at(int replicationFactor) {
		int copies = (this.from == ALL) ? replicationFactor : Math.min(this.from, replicationFactor);
		return (this.ack == MAJORITY) ? majorityOf(copies) : new Consistency(Math.min(this.ack, copies), copies);
	}

}
