package io.quorate.repair.purge;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * The entries that may be purged at present, if they are old enough. Immutable.
 *
 * @param sets the other replicas of each key
 * @param horizon hybrid time that is on the disk: no entry above it may be purged
 * @param marks of the replicas of each set that count, or {@code null} for a set with a
 * replica that has none
 * @param ofAnyKey limits below which an entry of any key may be purged, whatever its
 * replicas
 */
record PurgeEligibility(ReplicaSets sets, long horizon, List<@Nullable List<Mark>> marks, Mark ofAnyKey) {

	/** Permits nothing. */
	static PurgeEligibility nothing(ReplicaSets sets) {
		return of(sets, 0, (_) -> Verdict.Withheld.INSTANCE);
	}

	/**
	 * The entries that the agreement of the replicas permits to purge.
	 * @param horizon hybrid time that is on the disk
	 * @param verdicts of the peers
	 */
	static PurgeEligibility of(ReplicaSets sets, long horizon, Function<String, Verdict> verdicts) {
		List<@Nullable List<Mark>> marks = new ArrayList<>();
		for (int set = 0; set < sets.count(); set++) {
			marks.add(marksOf(sets.replicasOf(set), verdicts));
		}
		return new PurgeEligibility(sets, horizon, marks, lowest(horizon, marks));
	}

	private static @Nullable List<Mark> marksOf(List<String> replicas, Function<String, Verdict> verdicts) {
		List<Mark> marks = new ArrayList<>();
		for (String replica : replicas) {
			switch (verdicts.apply(replica)) {
				case Verdict.Agreed(var mark) -> marks.add(mark);
				case Verdict.Lost _ -> {
				}
				case Verdict.Withheld _ -> {
					return null;
				}
			}
		}
		return marks;
	}

	/**
	 * Whether an entry may be purged, if it is old enough.
	 * @param arrival sequence of its arrival in this node's store
	 */
	boolean allows(Key key, Timestamp timestamp, long arrival) {
		if (Long.compareUnsigned(timestamp.hybrid(), this.horizon) > 0) {
			return false;
		}
		int set = this.sets.setOf(key);
		if (set < 0) {
			return false;
		}
		List<Mark> agreed = this.marks.get(set);
		return agreed != null && agreed.stream().allMatch((mark) -> mark.covers(timestamp, arrival));
	}

	private static Mark lowest(long horizon, List<@Nullable List<Mark>> marks) {
		long sequence = Long.MAX_VALUE;
		long instant = horizon;
		for (List<Mark> agreed : marks) {
			if (agreed == null) {
				return new Mark(0, 0, 0);
			}
			for (Mark mark : agreed) {
				sequence = Math.min(sequence, mark.sequence());
				instant = (Long.compareUnsigned(mark.instant(), instant) < 0) ? mark.instant() : instant;
			}
		}
		return new Mark(sequence, instant, 0);
	}

	/** The verdict of a peer on purges. */
	sealed interface Verdict {

		/** The peer has agreed up to a mark. */
		record Agreed(Mark mark) implements Verdict {
		}

		/** An operator has declared the peer lost: its agreement is not needed. */
		record Lost() implements Verdict {
		}

		/** The peer has not agreed to any purge yet. */
		record Withheld() implements Verdict {

			static final Withheld INSTANCE = new Withheld();

		}

	}

}
