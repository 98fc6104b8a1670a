package io.quorate.client;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The options of a call. Those of a client are the defaults of its calls, which a call
 * changes: {@code client.get("key", (options) -> options.ack(1))}.
 */
public final class CallOptions {

	static final CallOptions DEFAULTS = new CallOptions(null, null, null, Duration.ofSeconds(5), Duration.ofSeconds(30),
			false, 64 * 1024 * 1024, null);

	private final @Nullable Integer ack;

	private final @Nullable Integer from;

	private final @Nullable Duration nodeTimeout;

	private final Duration stallTimeout;

	private final Duration deadline;

	private final boolean repeatUnknown;

	private final int maxAnswerSize;

	private final @Nullable Integer attempts;

	private CallOptions(@Nullable Integer ack, @Nullable Integer from, @Nullable Duration nodeTimeout,
			Duration stallTimeout, Duration deadline, boolean repeatUnknown, int maxAnswerSize,
			@Nullable Integer attempts) {
		this.ack = ack;
		this.from = from;
		this.nodeTimeout = nodeTimeout;
		this.stallTimeout = stallTimeout;
		this.deadline = deadline;
		this.repeatUnknown = repeatUnknown;
		this.maxAnswerSize = maxAnswerSize;
		this.attempts = attempts;
	}

	/**
	 * Returns these options with another number of replicas that must answer; by default
	 * a majority of {@code from}.
	 * @param replicas the number
	 */
	public CallOptions ack(int replicas) {
		return new CallOptions(atLeastOne("ack", replicas), this.from, this.nodeTimeout, this.stallTimeout,
				this.deadline, this.repeatUnknown, this.maxAnswerSize, this.attempts);
	}

	/**
	 * Returns these options with another number of nodes that hold copies; by default the
	 * replication factor.
	 * @param nodes the number
	 */
	public CallOptions from(int nodes) {
		return new CallOptions(this.ack, atLeastOne("from", nodes), this.nodeTimeout, this.stallTimeout, this.deadline,
				this.repeatUnknown, this.maxAnswerSize, this.attempts);
	}

	/**
	 * Returns these options with the default quorum, a majority of all replicas, which
	 * conditions need, whatever {@code ack} and {@code from} the client has.
	 */
	public CallOptions majority() {
		return new CallOptions(null, null, this.nodeTimeout, this.stallTimeout, this.deadline, this.repeatUnknown,
				this.maxAnswerSize, this.attempts);
	}

	/**
	 * Returns these options with a time that a node may take for the request, sent as
	 * {@code Quorate-Timeout}. By default the node decides.
	 * @param time the time
	 */
	public CallOptions nodeTimeout(Duration time) {
		return new CallOptions(this.ack, this.from, positive(time), this.stallTimeout, this.deadline,
				this.repeatUnknown, this.maxAnswerSize, this.attempts);
	}

	/**
	 * Returns these options with another time for which a node may send and take nothing;
	 * by default 5 seconds. The head of an answer has to come within this time.
	 * @param time the time
	 */
	public CallOptions stallTimeout(Duration time) {
		return new CallOptions(this.ack, this.from, this.nodeTimeout, positive(time), this.deadline, this.repeatUnknown,
				this.maxAnswerSize, this.attempts);
	}

	/**
	 * Returns these options with another time for the whole call, with all nodes that it
	 * asks and the body of the answer; by default 30 seconds. Of a range it is the time
	 * until the next record.
	 * @param time the time
	 */
	public CallOptions deadline(Duration time) {
		return new CallOptions(this.ack, this.from, this.nodeTimeout, this.stallTimeout, positive(time),
				this.repeatUnknown, this.maxAnswerSize, this.attempts);
	}

	/**
	 * Returns these options with the repetition of writes whose outcome is unknown: such
	 * a write goes to the next node. It is harmless only if no other client writes the
	 * key meanwhile.
	 * @param repeats {@code true} to repeat; {@code false} by default
	 */
	public CallOptions repeatUnknown(boolean repeats) {
		return new CallOptions(this.ack, this.from, this.nodeTimeout, this.stallTimeout, this.deadline, repeats,
				this.maxAnswerSize, this.attempts);
	}

	/**
	 * Returns these options with another size of the largest answer that the client
	 * takes, of a range: of its largest line; by default 64 MiB.
	 * @param bytes the number of bytes
	 */
	public CallOptions maxAnswerSize(int bytes) {
		if (bytes < 1) {
			throw new IllegalArgumentException("maxAnswerSize must be above 0, not " + bytes);
		}
		return new CallOptions(this.ack, this.from, this.nodeTimeout, this.stallTimeout, this.deadline,
				this.repeatUnknown, bytes, this.attempts);
	}

	/**
	 * Returns these options with another number of most requests of a call, of a range
	 * for each of its pages; by default each node is asked once, and then the first one
	 * again. With 1 a call is one request to one node. The client of the JDK may still
	 * repeat a read whose connection ends without an answer.
	 * @param most the number
	 */
	public CallOptions attempts(int most) {
		return new CallOptions(this.ack, this.from, this.nodeTimeout, this.stallTimeout, this.deadline,
				this.repeatUnknown, this.maxAnswerSize, atLeastOne("attempts", most));
	}

	/** Returns these options for a majority of all replicas, with such a deadline. */
	CallOptions forMajority(Deadline end) {
		return new CallOptions(null, null, this.nodeTimeout, this.stallTimeout,
				Duration.ofNanos(Math.max(1, end.left())), false, this.maxAnswerSize, this.attempts);
	}

	@Nullable Integer ack() {
		return this.ack;
	}

	@Nullable Integer from() {
		return this.from;
	}

	@Nullable Duration nodeTimeout() {
		return this.nodeTimeout;
	}

	Duration stallTimeout() {
		return this.stallTimeout;
	}

	Duration deadline() {
		return this.deadline;
	}

	boolean repeatsUnknown() {
		return this.repeatUnknown;
	}

	int maxAnswerSize() {
		return this.maxAnswerSize;
	}

	@Nullable Integer attempts() {
		return this.attempts;
	}

	private static int atLeastOne(String name, int number) {
		if (number < 1) {
			throw new IllegalArgumentException(name + " must be at least 1, not " + number);
		}
		return number;
	}

	static Duration positive(Duration time) {
		Objects.requireNonNull(time, "a time is a duration, not null");
		if (time.isNegative() || time.isZero() || time.compareTo(Duration.ofDays(365)) > 0) {
			throw new IllegalArgumentException("a time must be above 0 and at most a year, not " + time);
		}
		return time;
	}

}
