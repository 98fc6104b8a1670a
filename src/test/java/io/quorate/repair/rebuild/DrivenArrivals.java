package io.quorate.repair.rebuild;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.LongSupplier;

import io.quorate.clock.SkewJudge;
import io.quorate.internode.Position;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.repair.antientropy.Rounds;
import io.quorate.repair.move.GainedKeys;
import io.quorate.repair.purge.PurgePermission;
import io.quorate.repair.record.Horizon;
import io.quorate.repair.record.RebuildRecord;
import io.quorate.replica.ArrivalFilter;
import io.quorate.storage.ScanPage;

/** The entries that a node in simulated time takes, and the state of its rebuild. */
public final class DrivenArrivals {

	private final RebuildState state;

	private final ArrivalFence fence;

	private final OwnedKeys owned;

	/**
	 * The parts of the node.
	 *
	 * @param directory directory in which a rebuild is recorded
	 * @param nowMillis the present by the hybrid clock
	 */
	public record Node(Path directory, Layouts layouts, Membership membership, PurgePermission permission,
			Horizon horizon, Rounds rounds, GainedKeys gained, SkewJudge judge, LongSupplier nowMillis) {
	}

	/** The arrivals of a node that has just started. */
	public DrivenArrivals(Node node) {
		this.state = new RebuildState(RebuildRecord.open(node.directory()), false, node.membership(),
				node.permission());
		this.fence = new ArrivalFence(this.state, node.horizon(), node.rounds(), node.gained());
		this.owned = new OwnedKeys(() -> node.layouts().current().rings(), node.layouts().self(), node.judge(),
				node.nowMillis());
	}

	public ArrivalFilter filter() {
		return this.fence;
	}

	/** Begins a rebuild of a directory that was lost, and is empty. */
	public void rebuild(UUID storageId) {
		try {
			this.state.begin("its disk was lost", storageId, Position.NONE);
			this.state.setAside();
		}
		catch (IOException impossible) {
			throw new AssertionError(impossible);
		}
	}

	/** Whether the node has to hold what a source of its rebuild has. */
	public boolean isOurs(ScanPage.Item item) {
		return this.owned.isOurs(item);
	}

	/** Whether this node must hold an entry, and refuses it because of its timestamp. */
	public boolean isOursButForItsStamp(ScanPage.Item item) {
		return this.owned.isOursButForItsStamp(item);
	}

	/**
	 * All sources are copied.
	 * @param horizon highest purge horizon of all
	 */
	public void rebuilt(long horizon) {
		try {
			if (!this.state.finish(this.state.coveredLosses(), horizon, true)) {
				throw new AssertionError("the rebuild does not end");
			}
		}
		catch (IOException impossible) {
			throw new AssertionError(impossible);
		}
	}

	public boolean isRebuilding() {
		return this.state.isRebuilding();
	}

}
