package io.quorate.repair.rebuild;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

import io.quorate.internode.DataStatus;
import io.quorate.internode.Position;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.repair.record.RebuildRecord;
import io.quorate.ring.Ring;

/** The node n1 of three, and the data status that its peers report. */
final class TrackerFixture {

	static final UUID OURS = new UUID(1, 1);

	final PurgeFixture node;

	final Layouts layouts;

	final Membership membership;

	final RebuildState rebuild;

	final PeerStatusTracker tracker;

	TrackerFixture(Path directory) {
		this(directory, PurgeFixture.RING);
	}

	TrackerFixture(Path directory, Ring ring) {
		this.node = new PurgeFixture(directory, ring);
		this.layouts = new Layouts("n1", new Layout(Layout.FIRST, List.of(), ring));
		this.membership = new Membership(this.layouts);
		this.rebuild = new RebuildState(RebuildRecord.open(directory), false, this.membership,
				this.node.purgePermission);
		Incarnations incarnations = new Incarnations(this.layouts, this.membership, this.node.records, this.rebuild,
				Incarnations.numbered(System::currentTimeMillis));
		this.tracker = new PeerStatusTracker(this.node.lineage, this.node.purgePermission, this.rebuild, incarnations,
				this.node.deadline);
	}

	/** A peer in incarnation 0. */
	static DataStatus at(long sequence) {
		return of(sequence, false, 0, false);
	}

	/** A peer in incarnation 0 that is being rebuilt. */
	static DataStatus rebuilding(long sequence) {
		return of(sequence, true, 0, false);
	}

	/** A peer in an incarnation. */
	static DataStatus in(long incarnation, boolean established) {
		return of(9, false, incarnation, established);
	}

	/** A peer in an incarnation that is not established, of a history. */
	static DataStatus in(long incarnation, long history) {
		return new DataStatus(Position.ofSequence(9), false, new DataStatus.Incarnation(incarnation, history, false), 0,
				0, PurgeFixture.DEADLINE.toMillis());
	}

	private static DataStatus of(long sequence, boolean rebuilding, long incarnation, boolean established) {
		return new DataStatus(Position.ofSequence(sequence), rebuilding,
				new DataStatus.Incarnation(incarnation, PurgeFixture.HISTORY, established), 0, 0,
				PurgeFixture.DEADLINE.toMillis());
	}

}
