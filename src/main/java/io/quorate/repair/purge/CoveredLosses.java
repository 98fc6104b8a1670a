package io.quorate.repair.purge;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import io.quorate.internode.Position;

/**
 * What rebuilds have made good: whoever remembers no more than this of the node tells
 * nothing new. Immutable.
 *
 * @param sequences highest sequence of each identity that the node's data has had
 * @param generation number of the latest generation that was remembered of any of them
 * @param horizon hybrid time: what was purged up to it anywhere is accounted for
 */
record CoveredLosses(Map<UUID, Long> sequences, long generation, long horizon) {

	static final CoveredLosses NOTHING = new CoveredLosses(Map.of(), 0, 0);

	CoveredLosses {
		sequences = Map.copyOf(sequences);
	}

	boolean covers(UUID storageId, long sequence) {
		return sequence <= sequenceOf(storageId);
	}

	/** The highest sequence that was made good of an identity, -1 for none. */
	long sequenceOf(UUID storageId) {
		return this.sequences.getOrDefault(storageId, -1L);
	}

	/** With what a peer remembers. */
	CoveredLosses with(UUID storageId, Position position) {
		Map<UUID, Long> all = new HashMap<>(this.sequences);
		all.merge(storageId, position.sequence(), Math::max);
		return new CoveredLosses(all, Math.max(this.generation, position.generation()), this.horizon);
	}

	/** With a horizon that was copied. */
	CoveredLosses upTo(long copied) {
		return new CoveredLosses(this.sequences, this.generation, Horizon.higher(this.horizon, copied));
	}

}
