package io.quorate.repair.record;

import java.nio.file.Path;

import io.quorate.repair.record.PeerRecords.Seen;
import io.quorate.repair.record.RebuildRecord.Step;

/**
 * The records of a node that does not run, for an operator: how much of what its peers
 * have acknowledged its data is known to have. Hybrid times.
 */
public final class StoppedRecords {

	private final PeerRecords peers;

	private final Horizon horizon;

	private final RebuildRecord rebuild;

	private StoppedRecords(PeerRecords peers, Horizon horizon, RebuildRecord rebuild) {
		this.peers = peers;
		this.horizon = horizon;
		this.rebuild = rebuild;
	}

	/** Reads the files of a directory; what is missing or damaged is not known. */
	public static StoppedRecords read(Path directory) {
		return new StoppedRecords(PeerRecords.open(directory), Horizon.open(directory, false, 0),
				RebuildRecord.open(directory));
	}

	/**
	 * Hybrid time up to which the data was compared with that of a peer, 0 when it never
	 * was, as far as is known.
	 */
	public long comparedWith(String peer) {
		Seen seen = this.peers.of(peer);
		return (seen != null) ? seen.compared() : 0;
	}

	/** Hybrid time up to which the node may have purged deletions, 0 for none. */
	public long purgedUpTo() {
		return this.horizon.overall();
	}

	/** Whether the node was being rebuilt when it stopped: it lacks some of its data. */
	public boolean isRebuilding() {
		return this.rebuild.state().step() != Step.NONE;
	}

}
