package io.quorate.repair.rebuild;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.repair.antientropy.Rounds;
import io.quorate.repair.move.GainedKeys;
import io.quorate.repair.record.Horizon;
import io.quorate.replica.ArrivalFilter;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import org.jspecify.annotations.Nullable;

/**
 * Refuses entries that could bring back a deleted one: hints that are not newer than the
 * purge horizon, and entries that belong to no comparison under way. While the node is
 * rebuilt it takes only writes and read repairs; its own copying does not come this way.
 * Of keys that the node gains and has not copied yet, it takes only these and what it
 * copies itself. Entries of comparisons are not measured by the horizon: else an old
 * entry that one replica missed could never reach it.
 */
final class ArrivalFence implements ArrivalFilter {

	private static final Failure REBUILDING = new Failure(Reason.REBUILDING,
			"the node is being rebuilt from its peers and takes only new writes");

	private final RebuildState rebuild;

	private final Horizon horizon;

	private static final Failure COPYING = new Failure(Reason.REBUILDING,
			"the node gains the key, and takes only new writes of it until it has copied the old ones");

	private final Rounds rounds;

	private final GainedKeys gained;

	ArrivalFence(RebuildState rebuild, Horizon horizon, Rounds rounds, GainedKeys gained) {
		this.gained = gained;
		this.rebuild = rebuild;
		this.horizon = horizon;
		this.rounds = rounds;
	}

	@Override
	public @Nullable Failure refuses(Key key, Entry entry, Origin origin) {
		if (origin instanceof Origin.Client || origin instanceof Origin.Repair) {
			return null;
		}
		if (this.rebuild.isRebuilding()) {
			return REBUILDING;
		}
		if (this.gained.isAwaited(key) && !(origin instanceof Origin.Stream(var round) && this.rounds.isCopy(round))) {
			return COPYING;
		}
		return switch (origin) {
			case Origin.Client _, Origin.Repair _ -> null;
			case Origin.Hint _ -> refuses(entry.timestamp());
			case Origin.Stream _ -> this.rounds.refuses(origin);
		};
	}

	@Override
	public @Nullable Failure refuses(Timestamp version) {
		long purged = this.horizon.overall();
		if (Long.compareUnsigned(version.hybrid(), purged) > 0) {
			return null;
		}
		return new Failure(Reason.FENCED,
				"the timestamp %x is not above the purge horizon %x".formatted(version.hybrid(), purged));
	}

}
