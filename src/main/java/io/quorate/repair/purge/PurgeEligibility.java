package io.quorate.repair.purge;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * What may be purged at present, but for its age. Immutable.
 *
 * @param sets who else holds what
 * @param horizon hybrid time: nothing above it, for it is what is on the disk
 * @param marks of the replicas of each set that count, or {@code null} for a set with a
 * replica that has none
 * @param ofAnyKey what may be purged of any key, whoever holds it
 */
record PurgeEligibility(ReplicaSets sets, long horizon, List<@Nullable List<Mark>> marks, Mark ofAnyKey) {

	/** Nothing. */
	static PurgeEligibility nothing(ReplicaSets sets) {
		return of(sets, 0, (_) -> Verdict.Withheld.INSTANCE);
	}

	/**
	 * What the replicas' agreement allows.
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

	/** What a peer has to say to a purge. */
	sealed interface Verdict {

		/** It has agreed so far. */
		record Agreed(Mark mark) implements Verdict {
		}

		/** An operator has declared it lost: it is not asked. */
		record Lost() implements Verdict {
		}

		/** It has not agreed to anything yet. */
		record Withheld() implements Verdict {

			static final Withheld INSTANCE = new Withheld();

		}

	}

}
