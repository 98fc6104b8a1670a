package io.quorate.repair.record;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import io.quorate.internode.Position;

/**
 * The losses that earlier rebuilds repaired. A peer that remembers no more than this of
 * the node reports no new loss. Immutable.
 *
 * @param sequences highest sequence of each identity that the node's data has had
 * @param generation number of the latest generation that was remembered of any of them
 * @param horizon hybrid time: all purges up to it at any node are accounted for
 */
public record CoveredLosses(Map<UUID, Long> sequences, long generation, long horizon) {

	public static final CoveredLosses NOTHING = new CoveredLosses(Map.of(), 0, 0);

	public CoveredLosses {
		sequences = Map.copyOf(sequences);
	}

	public boolean covers(UUID storageId, long sequence) {
		return sequence <= sequenceOf(storageId);
	}

	/** The highest sequence of an identity that was repaired, -1 for none. */
	public long sequenceOf(UUID storageId) {
		return this.sequences.getOrDefault(storageId, -1L);
	}

	/** Adds the position that a peer remembers. */
	public CoveredLosses with(UUID storageId, Position position) {
		Map<UUID, Long> all = new HashMap<>(this.sequences);
		all.merge(storageId, position.sequence(), Math::max);
		return new CoveredLosses(all, Math.max(this.generation, position.generation()), this.horizon);
	}

	/** Adds a horizon that was copied. */
	public CoveredLosses upTo(long copied) {
		return new CoveredLosses(this.sequences, this.generation, Horizon.higher(this.horizon, copied));
	}

}
