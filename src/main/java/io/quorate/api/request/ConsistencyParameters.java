package io.quorate.api.request;

import io.quorate.api.problem.ProblemException;
import io.quorate.coordinator.Consistency;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of replicas that a request concerns, in either dialect:
 * {@code replicas=ack/from}, or {@code ack} and {@code from}, of which each may stand
 * alone. The default of {@code from} is the replication factor, that of {@code ack} a
 * majority of {@code from}; defaults are left to the layout by which the request is
 * planned.
 */
public final class ConsistencyParameters {

	private static final String REPLICAS = "replicas";

	private static final String ACK = "ack";

	private static final String FROM = "from";

	private static final String CONSISTENCY = "consistency";

	private ConsistencyParameters() {
	}

	/**
	 * Returns the consistency that a request asks for.
	 * @param replicationFactor the greatest number of copies that may be asked for
	 * @throws ProblemException 400 when it is not well-formed, or the cluster cannot do
	 * that
	 */
	public static Consistency of(RawQuery query, int replicationFactor) {
		String replicas = query.text(REPLICAS);
		String ack = query.text(ACK);
		String from = query.text(FROM);
		if (replicas == null) {
			return consistency(ack, from, replicationFactor);
		}
		if (ack != null || from != null) {
			throw ProblemException.badRequest(
					"parameter 'replicas' stands beside 'ack' or 'from': use replicas=ack/from or the other two");
		}
		int slash = replicas.indexOf('/');
		if (slash < 0) {
			throw ProblemException.badRequest(
					"parameter 'replicas' is '%s': it is written ack/from, for example 2/3".formatted(replicas));
		}
		return consistency(replicas.substring(0, slash), replicas.substring(slash + 1), replicationFactor);
	}

	private static Consistency consistency(@Nullable String ackText, @Nullable String fromText, int replicationFactor) {
		if (ackText == null && fromText == null) {
			return Consistency.DEFAULT;
		}
		long from = (fromText != null) ? number(FROM, fromText) : replicationFactor;
		if (from < 1) {
			throw ProblemException
				.badRequest("from is %d: it must be between 1 and the replication factor of this cluster, %d"
					.formatted(from, replicationFactor));
		}
		if (from > replicationFactor) {
			throw ProblemException.badRequest(
					"from is %d, above the replication factor of this cluster, %d".formatted(from, replicationFactor));
		}
		if (ackText == null) {
			return Consistency.majorityOf((int) from);
		}
		long ack = number(ACK, ackText);
		if (ack < 1) {
			throw ProblemException.badRequest("ack is %d: it must be between 1 and from, %d".formatted(ack, from));
		}
		if (ack > from) {
			throw ProblemException.badRequest(
					"ack is %d, above from, %d: more nodes cannot answer than hold copies".formatted(ack, from));
		}
		return new Consistency((int) ack, (fromText != null) ? (int) from : Consistency.ALL);
	}

	/**
	 * Whether a request asks to be linearizable: {@code consistency=linearizable}.
	 * @throws ProblemException 400 when it asks for something unknown
	 */
	public static boolean isLinearizable(RawQuery query) {
		return isLinearizable("parameter 'consistency'", query.text(CONSISTENCY));
	}

	/**
	 * Whether a word says that a request is to be linearizable.
	 * @param what its name, for the message
	 * @param word the word, {@code null} for none
	 * @throws ProblemException 400 when it is another one
	 */
	public static boolean isLinearizable(String what, @Nullable String word) {
		return switch (word) {
			case null -> false;
			case "quorum" -> false;
			case "linearizable" -> true;
			default -> throw ProblemException.badRequest("%s is neither quorum nor linearizable".formatted(what));
		};
	}

	/**
	 * The consistency of a request that takes effect at one instant: of all replicas of
	 * whatever layout it is planned by, and at least a majority of them.
	 * @param asked the consistency that it asks for
	 * @throws ProblemException 400 when that is less
	 */
	public static Consistency ofAll(Consistency asked, int replicationFactor) {
		Consistency quorum = asked.at(replicationFactor);
		Consistency least = Consistency.majorityOf(replicationFactor);
		if (!isOfAll(asked, replicationFactor)) {
			throw ProblemException.badRequest(
					"ack/from is %d/%d: a request with a condition or consistency=linearizable concerns all %d replicas, and at least %d must answer; leave both out"
						.formatted(quorum.ack(), quorum.from(), replicationFactor, least.ack()));
		}
		return (quorum.ack() == least.ack()) ? Consistency.DEFAULT : new Consistency(quorum.ack(), Consistency.ALL);
	}

	/** Whether a consistency is of all replicas, and at least a majority of them. */
	public static boolean isOfAll(Consistency asked, int replicationFactor) {
		Consistency quorum = asked.at(replicationFactor);
		return quorum.from() == replicationFactor && quorum.ack() > replicationFactor / 2;
	}

	private static long number(String name, String text) {
		return "0".equals(text) ? 0 : WholeNumber.parse(name, text, 1, WholeNumber.MOST);
	}

}
