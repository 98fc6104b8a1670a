package io.quorate.repair.antientropy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.Round;
import org.jspecify.annotations.Nullable;

/**
 * The rounds that this node takes part in, led by it or by a peer, since its start. A
 * round is open from its beginning until it or a later one with the same peer is
 * completed: only while it is open entries that belong to it are taken. So a delayed
 * entry of an old round cannot bring back one whose deletion was purged since. Safe for
 * any number of threads.
 */
public final class Rounds {

	/* Of one peer; beyond that the oldest is closed. */
	private static final int MAX_OPEN = 4;

	private final Map<String, Pair> pairs = new HashMap<>();

	private final Set<Long> open = ConcurrentHashMap.newKeySet();

	/* Of those, the rounds by which this node copies. */
	private final Set<Long> copies = ConcurrentHashMap.newKeySet();

	private final long start;

	/**
	 * No rounds yet.
	 * @param start hybrid time: of rounds that began before it this node has lost its
	 * start values, and perhaps some entries that it had received
	 */
	public Rounds(long start) {
		this.start = start;
	}

	/**
	 * Reason for which an entry of a stream is not taken, or {@code null}. Does not
	 * block.
	 */
	public @Nullable Failure refuses(Origin origin) {
		return (origin instanceof Origin.Stream(var round) && !this.open.contains(round)) ? staleRound(round) : null;
	}

	/** This node copies by a round that is open. */
	void copies(Round round) {
		this.copies.add(round.number());
	}

	/** Whether this node copies by a round that is open. Does not block. */
	public boolean isCopy(long round) {
		return this.copies.contains(round);
	}

	private void close(long round) {
		this.open.remove(round);
		this.copies.remove(round);
	}

	static Failure staleRound(long round) {
		return new Failure(Reason.STALE_ROUND, "the round %016x is not open at this node".formatted(round));
	}

	/**
	 * Opens a round, or finds it open.
	 * @param ours start values that this node notes if the round is new here
	 * @return agreement of the two nodes once the round is completed, or {@code null} if
	 * a later one has been, or the round is older than this process
	 */
	synchronized @Nullable Agreement begin(String peer, Round round, Supplier<ComparisonStart> ours,
			ComparisonStart theirs) {
		Pair pair = this.pairs.computeIfAbsent(peer, (_) -> new Pair());
		if (pair.latestOver != null && !round.isAfter(pair.latestOver)) {
			return null;
		}
		for (Agreement known : pair.open) {
			if (known.round().equals(round) && known.theirs().storageId().equals(theirs.storageId())) {
				return known;
			}
		}
		if (Long.compareUnsigned(round.number(), this.start) <= 0) {
			return null;
		}
		Agreement begun = new Agreement(peer, round, ours.get(), theirs);
		pair.open.removeIf((known) -> known.round().equals(round));
		pair.open.add(begun);
		this.open.add(round.number());
		if (pair.open.size() > MAX_OPEN) {
			close(pair.open.removeFirst().round().number());
		}
		return begun;
	}

	/**
	 * Completes a round. All other rounds with the peer are over as well, later ones too,
	 * and have to begin anew: an entry that they have fetched must not arrive after it
	 * may have been purged.
	 * @return agreement, or {@code null} when the round is not open
	 */
	synchronized @Nullable Agreement complete(String peer, Round round) {
		Pair pair = this.pairs.computeIfAbsent(peer, (_) -> new Pair());
		if (pair.completed != null && pair.completed.round().equals(round)) {
			return pair.completed;
		}
		Agreement agreement = pair.open.stream()
			.filter((known) -> known.round().equals(round))
			.findFirst()
			.orElse(null);
		if (agreement != null) {
			pair.completed = agreement;
			pair.open.forEach((known) -> {
				close(known.round().number());
				pair.over(known.round());
			});
			pair.open.clear();
		}
		return agreement;
	}

	private static final class Pair {

		private final List<Agreement> open = new ArrayList<>();

		private @Nullable Agreement completed;

		private @Nullable Round latestOver;

		private void over(Round round) {
			if (this.latestOver == null || round.isAfter(this.latestOver)) {
				this.latestOver = round;
			}
		}

	}

}
