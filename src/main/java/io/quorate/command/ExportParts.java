package io.quorate.command;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The division of a range into parts for several workers. It asks for the first keys of
 * the parts that {@link KeySplit} guesses: a part without keys is none, and if few are
 * left, each is divided again.
 */
final class ExportParts {

	/* Of uneven parts the workers take the next one when they are done. */
	private static final int PARTS_A_WORKER = 8;

	private static final int ENOUGH_A_WORKER = 2;

	private static final int MOST_ROUNDS = 3;

	private final Cluster cluster;

	private final ConsistencyOptions consistency;

	private final int workers;

	ExportParts(Cluster cluster, ConsistencyOptions consistency, int workers) {
		this.cluster = cluster;
		this.consistency = consistency;
		this.workers = workers;
	}

	/** The first keys of all parts but the first, in ascending order. */
	List<String> borders(@Nullable String start, @Nullable String end) {
		List<String> firsts = firsts(start, end, MOST_ROUNDS);
		return firsts.isEmpty() ? firsts : firsts.subList(1, firsts.size());
	}

	/* The first keys of all parts that have one. */
	private List<String> firsts(@Nullable String start, @Nullable String end, int rounds) {
		String first = edge(start, end, false);
		String last = edge(start, end, true);
		if (first == null || last == null) {
			return List.of();
		}
		List<String> guessed = KeySplit.borders(first, last, this.workers * PARTS_A_WORKER);
		List<String> firsts = new ArrayList<>(List.of(first));
		for (int i = 0; i < guessed.size(); i++) {
			String found = edge(guessed.get(i), (i + 1 < guessed.size()) ? guessed.get(i + 1) : end, false);
			if (found != null) {
				firsts.add(found);
			}
		}
		if (firsts.size() >= this.workers * ENOUGH_A_WORKER || rounds == 1 || first.equals(last)) {
			return firsts;
		}
		List<String> finer = new ArrayList<>();
		for (int i = 0; i < firsts.size(); i++) {
			finer.addAll(firsts(firsts.get(i), (i + 1 < firsts.size()) ? firsts.get(i + 1) : end, rounds - 1));
		}
		return finer;
	}

	private @Nullable String edge(@Nullable String start, @Nullable String end, boolean isLast) {
		List<String> keys = new ArrayList<>();
		Range range = new Range(null, new Range.Bounds(start, end), isLast, true, 1, this.consistency);
		this.cluster.read(range, (read) -> keys.add(read.key()));
		return keys.isEmpty() ? null : keys.getFirst();
	}

}
