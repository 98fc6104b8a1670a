package io.quorate.membership;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.quorate.consensus.Decision;
import io.quorate.membership.LayoutChange.Kind;

/**
 * The joinings that were aborted, of those that the last decisions have, with a pause for
 * each node before one is begun at its own request again. The pause grows with the number
 * of aborts in a row, and is that of the members: the node itself is started anew with an
 * empty directory after each. It begins when this node learns of the abort, or starts.
 * Safe for any number of threads.
 */
public final class AbortedJoins implements LayoutFollower {

	/** Pause after the first abort; it doubles with each one that follows. */
	static final Duration FIRST_PAUSE = Duration.ofMinutes(5);

	/** Longest pause. */
	static final Duration LONGEST_PAUSE = Duration.ofHours(1);

	private final Supplier<List<Decision>> kept;

	private final LongSupplier nanos;

	private volatile Map<String, Aborted> byNode = Map.of();

	/**
	 * The joinings of which a node knows at its start.
	 * @param kept last decisions, the latest one at the end
	 * @param nanos the monotonic clock
	 */
	AbortedJoins(Supplier<List<Decision>> kept, LongSupplier nanos) {
		this.kept = kept;
		this.nanos = nanos;
		note();
	}

	@Override
	public void adopted(Layout now) {
		note();
	}

	private synchronized void note() {
		long instant = this.nanos.getAsLong();
		Map<String, Aborted> before = this.byNode;
		Map<String, Aborted> all = new HashMap<>();
		counts().forEach((node, times) -> {
			Aborted known = before.get(node);
			all.put(node, (known != null && known.times() >= times) ? new Aborted(times, known.sinceNanos())
					: new Aborted(times, instant));
		});
		this.byNode = Map.copyOf(all);
	}

	/* Aborts of each node's joining since it has joined, or left, last. */
	private Map<String, Integer> counts() {
		Map<String, Integer> counts = new HashMap<>();
		String joining = "";
		for (Decision decision : this.kept.get()) {
			LayoutRecord record = LayoutCodec.read(decision.decree());
			LayoutChange change = record.change();
			if (change != null) {
				joining = (change.kind() == Kind.ADD) ? change.member() : "";
			}
			else if (!joining.isEmpty()) {
				if (record.member(joining) == null) {
					counts.merge(joining, 1, Integer::sum);
				}
				else {
					counts.remove(joining);
				}
				joining = "";
			}
		}
		return counts;
	}

	/**
	 * The time that has to pass until a joining of a node may begin at its own request;
	 * zero when it may now.
	 */
	Duration pauseOf(String node) {
		Aborted aborted = this.byNode.get(node);
		if (aborted == null) {
			return Duration.ZERO;
		}
		Duration pause = FIRST_PAUSE;
		for (int i = 1; i < aborted.times() && pause.compareTo(LONGEST_PAUSE) < 0; i++) {
			pause = pause.multipliedBy(2);
		}
		Duration longest = (pause.compareTo(LONGEST_PAUSE) < 0) ? pause : LONGEST_PAUSE;
		Duration left = longest.minusNanos(this.nanos.getAsLong() - aborted.sinceNanos());
		return left.isPositive() ? left : Duration.ZERO;
	}

	/**
	 * The aborts of a node's joining.
	 *
	 * @param times number of aborts in a row
	 * @param sinceNanos instant at which this node has learned of the last one
	 */
	private record Aborted(int times, long sinceNanos) {
	}

}
