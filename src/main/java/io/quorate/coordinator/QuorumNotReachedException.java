package io.quorate.coordinator;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a request that fewer replicas than required answered in time. A write
 * may or may not have happened.
 */
public final class QuorumNotReachedException extends RuntimeException {

	private final int required;

	private final int acknowledged;

	private final boolean write;

	private final List<Said> replicas;

	private final Fate fate;

	/**
	 * Reports the number of replicas required and acknowledged, and each replica's
	 * answer.
	 */
	public QuorumNotReachedException(int required, int acknowledged, boolean write, List<Said> replicas) {
		this(required, acknowledged, write, replicas, String.format(Locale.ROOT,
				"%d of %d replicas had to answer, %d did: %s", required, replicas.size(), acknowledged, replicas));
	}

	private QuorumNotReachedException(int required, int acknowledged, boolean write, List<Said> replicas,
			String message) {
		super(message);
		this.fate = Fate.UNKNOWN;
		this.required = required;
		this.acknowledged = acknowledged;
		this.write = write;
		this.replicas = List.copyOf(replicas);
	}

	/**
	 * Reports the side of a plan that lacks the most answers.
	 * @param replicas the answer of each replica, of all sides
	 */
	static QuorumNotReachedException of(ReplicaPlan plan, QuorumSide side, int acknowledged, boolean write,
			List<Said> replicas) {
		return of(plan, side, side.ack(), acknowledged, write, replicas);
	}

	/**
	 * Reports the side of a plan that lacks the most answers, which it finds.
	 * @param required number of answers that a side needs
	 * @param answered whether a replica has given such an answer
	 * @param word the answer of a replica, whatever it is
	 */
	static QuorumNotReachedException of(ReplicaPlan plan, ToIntFunction<QuorumSide> required, IntPredicate answered,
			boolean write, IntFunction<String> word) {
		QuorumSide weakest = Collections.min(plan.sides(),
				Comparator.comparingInt((side) -> side.count(answered) - required.applyAsInt(side)));
		List<Said> replicas = IntStream.range(0, plan.asked())
			.mapToObj((replica) -> new Said(plan.all().get(replica).nodeId(), word.apply(replica)))
			.toList();
		return of(plan, weakest, required.applyAsInt(weakest), weakest.count(answered), write, replicas);
	}

	private static QuorumNotReachedException of(ReplicaPlan plan, QuorumSide side, int required, int acknowledged,
			boolean write, List<Said> replicas) {
		if (plan.sides().size() == 1) {
			return new QuorumNotReachedException(required, acknowledged, write, replicas);
		}
		return new QuorumNotReachedException(required, acknowledged, write, replicas,
				String.format(Locale.ROOT,
						"%d of the %d replicas %s the change of the layout had to answer, %d did: %s", required,
						side.from(), (side == plan.sides().getFirst()) ? "before" : "after", acknowledged, replicas));
	}

	private QuorumNotReachedException(QuorumNotReachedException same, Fate fate) {
		super(same.getMessage());
		this.required = same.required;
		this.acknowledged = same.acknowledged;
		this.write = same.write;
		this.replicas = same.replicas;
		this.fate = fate;
	}

	/** The same failure of a write of which more is known. */
	QuorumNotReachedException with(Fate known) {
		return new QuorumNotReachedException(this, known);
	}

	/** The fate of the write, if it is one. */
	public Fate fate() {
		return this.fate;
	}

	/** Number of replicas that had to answer. */
	public int required() {
		return this.required;
	}

	/** Number of replicas that answered. */
	public int acknowledged() {
		return this.acknowledged;
	}

	/** Whether the request was a write; its outcome is unknown then. */
	public boolean isWrite() {
		return this.write;
	}

	/** The answer of each replica. */
	public List<Said> replicas() {
		return this.replicas;
	}

	/**
	 * The answer of one replica.
	 *
	 * @param node id of the node
	 * @param said one word: {@code ack}, {@code silent}, {@code superseded},
	 * {@code stale} (it answered a read with less than was found elsewhere),
	 * {@code unasked}, {@code clock-skew} (its answer is from too far in the future), or
	 * a reason of failure
	 */
	public record Said(String node, String said) {

		@Override
		public String toString() {
			return this.node + " " + this.said;
		}

	}

	/**
	 * The fate of a write that has failed.
	 *
	 * @param word the word for clients: {@code not-written}, {@code unknown} or
	 * {@code written}
	 * @param version version that the write has if it has taken effect, {@code null} when
	 * it has not, or may have one of several
	 */
	public record Fate(String word, @Nullable Timestamp version) {

		/** The write has not happened, and will not. */
		public static final Fate NOT_WRITTEN = new Fate("not-written", null);

		/** The write may have happened, or may yet. */
		public static final Fate UNKNOWN = new Fate("unknown", null);

	}

}
