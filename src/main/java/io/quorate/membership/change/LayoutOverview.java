package io.quorate.membership.change;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.change.ChangeStatus.Step;
import io.quorate.membership.change.ChangeStatus.Subject;
import io.quorate.membership.layout.LayoutChange;
import io.quorate.membership.layout.LayoutFacts;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutSide;
import io.quorate.membership.layout.MemberData;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.reports.MemberReports;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;

/**
 * The layout as operators see it: the partitions of the members, and the progress of the
 * change that is under way, from what the members report. Nothing here waits; safe for
 * any number of threads.
 */
public final class LayoutOverview {

	private final Layouts layouts;

	private final MemberReports reports;

	private final Supplier<LayoutRecord> record;

	private final Supplier<LayoutFacts> facts;

	/** The overview of a node. */
	public LayoutOverview(Layouts layouts, MemberReports reports, LayoutAgreement agreement) {
		this(layouts, reports, agreement::record, agreement::facts);
	}

	LayoutOverview(Layouts layouts, MemberReports reports, Supplier<LayoutRecord> record, Supplier<LayoutFacts> facts) {
		this.layouts = layouts;
		this.reports = reports;
		this.record = record;
		this.facts = facts;
	}

	/** Version of the layout that this node has adopted. */
	long version() {
		return this.layouts.current().version();
	}

	/** Whether this node is a member by that layout. */
	boolean isMember() {
		return this.layouts.isMember();
	}

	/** The change that is under way, if any. */
	@Nullable LayoutChange underWay() {
		return this.record.get().change();
	}

	/** The replication factor; that of before, while it changes. */
	public int replicationFactor() {
		return this.layouts.ring().replicationFactor();
	}

	/**
	 * The number of partitions of which each member is a replica, on either side of a
	 * change, by the ids of the members.
	 */
	public Map<String, Integer> partitions() {
		RingPair rings = this.layouts.current().rings();
		return rings.members()
			.stream()
			.collect(Collectors.toMap(Member::id, (member) -> rings.placesOf(member.id()).held()));
	}

	/**
	 * Whether the end of the change under way waits for a member that does not go on: it
	 * has not adopted the layout, or is not up and has not copied all. A member that is
	 * up and copies is not meant.
	 */
	boolean isHeldUpBy(String member) {
		LayoutRecord now = this.record.get();
		LayoutChange change = now.change();
		LayoutSide target = now.target();
		if (change == null || target == null || !now.awaited().contains(member)) {
			return false;
		}
		LayoutFacts known = this.facts.get();
		return !known.hasAdopted(member, change.version())
				|| (LayoutMachine.isToCopy(target, member, known, change.version())
						&& this.reports.stateOf(member) != MemberState.UP);
	}

	/** The progress of the change that is under way, if any. */
	public Optional<ChangeStatus> change() {
		LayoutRecord now = this.record.get();
		LayoutChange change = now.change();
		LayoutSide target = now.target();
		if (change == null || target == null) {
			return Optional.empty();
		}
		LayoutFacts known = this.facts.get();
		ChangeProgress progress = new ChangeProgress(change.version(), this.reports,
				(member) -> !LayoutMachine.isToCopy(target, member, known, change.version()),
				plan(now, this.layouts.current().version()));
		return Optional.of(new ChangeStatus(subject(now.stable(), change, target), change.by(), change.sinceMillis(),
				step(now, change.version(), known), progress.ofAll(), progress.ofGainers()));
	}

	private static Subject subject(LayoutSide before, LayoutChange change, LayoutSide target) {
		String kind = change.kind().word();
		return switch (change.kind()) {
			case ADD, REMOVE -> new Subject(kind, change.member(), null, null);
			case REPLACE ->
				new Subject(kind, before.ids().stream().filter((id) -> !target.has(id)).findFirst().orElse(null),
						change.member(), null);
			case REPLICATION -> new Subject(kind, null, null, target.replicationFactor());
		};
	}

	private static Step step(LayoutRecord now, long version, LayoutFacts known) {
		if (!now.awaited().stream().allMatch((member) -> known.hasAdopted(member, version))) {
			return Step.ADOPTING;
		}
		LayoutSide target = now.target();
		boolean isCopied = target != null
				&& now.awaited().stream().noneMatch((member) -> LayoutMachine.isToCopy(target, member, known, version));
		return isCopied ? Step.DECIDING : Step.COPYING;
	}

	/**
	 * The partitions that a layout moves. Takes as long as {@link Ring#of}, unless it is
	 * the current one.
	 */
	MovePlan plan(LayoutRecord joint, long version) {
		RingPair rings = this.layouts.of(version, joint).rings();
		if (rings.isOne()) {
			return MovePlan.NONE;
		}
		Double perPartition = bytesOfAPartition(rings);
		Map<String, MovePlan.Gain> moves = new TreeMap<>();
		for (Member member : rings.after().members()) {
			int gained = rings.gained(member.id());
			if (gained > 0) {
				moves.put(member.id(),
						new MovePlan.Gain(gained, (perPartition != null) ? Math.round(perPartition * gained) : null));
			}
		}
		return new MovePlan(moves);
	}

	/* The mean of the members whose data is known, and whole. */
	private @Nullable Double bytesOfAPartition(RingPair rings) {
		double bytes = 0;
		long partitions = 0;
		for (Member member : rings.before().members()) {
			MemberData data = this.reports.dataOf(member.id());
			if (data != null && !data.isRebuilding()) {
				bytes += data.bytes();
				partitions += rings.placesOf(member.id()).heldBefore();
			}
		}
		return (partitions > 0) ? bytes / partitions : null;
	}

}
