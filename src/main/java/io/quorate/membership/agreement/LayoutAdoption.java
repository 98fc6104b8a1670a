package io.quorate.membership.agreement;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

import io.quorate.consensus.Decision;
import io.quorate.consensus.Request;
import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutChange;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutException;
import io.quorate.membership.layout.LayoutFacts;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The layouts that this node adopts one after the other, and its progress with them.
 * Changed by one thread at a time, which waits for the disk; read by any.
 */
final class LayoutAdoption {

	private static final Logger log = LoggerFactory.getLogger(LayoutAdoption.class);

	/* Version of the layout that activates that of the configuration. */
	private static final long ACTIVATION = Layout.FIRST + 1;

	private final Layouts layouts;

	private final UUID storageId;

	private final KeyShares shares;

	/* Whether some layout names a directory of a node with this id. */
	private boolean isKnown;

	/* Whether some layout names this one. */
	private boolean isNamed;

	/* Version that a member knows: those before it are of the past. */
	private long latest;

	private volatile Adopted adopted;

	private volatile LayoutReport report;

	/**
	 * Adopts the last decision that the ledger of a node has recovered.
	 * @param storageId identity of the data in its directory
	 * @param kept decisions of the ledger, the last one at the end
	 * @throws FormerMemberException when it does not name this node, which was a member
	 * before
	 * @throws LayoutException when it cannot be adopted
	 */
	LayoutAdoption(Layouts layouts, UUID storageId, KeyShares shares, List<Decision> kept) {
		this.layouts = layouts;
		this.storageId = storageId;
		this.shares = shares;
		Decision latest = kept.getLast();
		kept.forEach((decision) -> note(read(decision)));
		requireNotFormer(latest);
		try {
			this.adopted = adopted(latest, null);
		}
		catch (IOException failure) {
			throw new LayoutException(
					"version %d of the layout cannot be adopted: %s".formatted(latest.version(), failure.getMessage()),
					failure);
		}
		this.report = new LayoutReport(this.adopted.layout(), 0);
	}

	/*
	 * The directory of a member that has left is not started again. One that never was
	 * such a member's is that of a candidate, which may have learned of an earlier member
	 * with its id.
	 */
	private void requireNotFormer(Decision latest) {
		if (wasMember() && !isMember(read(latest))) {
			throw new FormerMemberException(this.layouts.self(), latest.version());
		}
	}

	/* The configuration names a node by its id, and so does the first layout. */
	private void note(LayoutRecord record) {
		LayoutMember named = record.member(this.layouts.self());
		if (named != null && !named.storageId().equals(LayoutMember.UNKNOWN)) {
			this.isKnown = true;
			this.isNamed |= named.storageId().equals(this.storageId);
		}
	}

	/*
	 * A member with a new directory has data before a layout names that: from its
	 * rebuild, or from writes. A candidate has none, and neither has a node of the
	 * configuration that is started with an empty directory after it has left.
	 */
	private boolean wasMember() {
		return this.isNamed || ((this.isKnown || isMember(configured())) && this.shares.hasHeld());
	}

	/**
	 * Requires that the directory of a node that is to join was never that of a member.
	 * @param kept decisions that this node knows
	 * @throws ChangeRefusedException when it was
	 */
	static void requireNew(ChangeRequest change, List<Decision> kept) {
		UUID directory = switch (change) {
			case ChangeRequest.Add add -> add.storageId();
			case ChangeRequest.Replace replace -> replace.storageId();
			case ChangeRequest.Remove _, ChangeRequest.Replication _, ChangeRequest.Abort _ -> LayoutMember.UNKNOWN;
		};
		for (Decision decision : kept) {
			for (LayoutMember member : read(decision).members()) {
				if (!directory.equals(LayoutMember.UNKNOWN) && directory.equals(member.storageId())) {
					throw new ChangeRefusedException(
							Reason.IMPOSSIBLE, "the directory of the node is that of %s in version %d of the layout: %s"
								.formatted(member.id(), decision.version(), FormerMemberException.WITH_AN_EMPTY_ONE),
							null);
				}
			}
		}
	}

	/* What the node gains is hidden before a request can bring it. */
	private Adopted adopted(Decision decision, @Nullable RingPair before) throws IOException {
		Adopted its = new Adopted(LayoutVersion.of(decision), read(decision));
		requireConfigured(decision.version(), its.record());
		Layout later = this.layouts.of(decision.version(), its.record());
		if (floorsOf(decision.version(), its.record()) > 0) {
			this.shares.assign(its.record().sharesOf(this.layouts.self(), later, before));
		}
		note(its.record());
		// Between two joinings of its id a node of the past has left, and this one has
		// not.
		boolean isPast = decision.version() < this.latest;
		boolean wasMember = this.isNamed || (!isPast && wasMember());
		// By a joining that is over, the directory would hold what it has copied.
		adopt(later, wasMember, !isPast && joinsBy(its.record()) && this.shares.isNew());
		return its;
	}

	/*
	 * Were the directory admitted first, it would be read by the layout before, by which
	 * this node may have been a member. So requests wait until both is done, also when a
	 * follower fails after the adoption, until the next attempt.
	 */
	private void adopt(Layout later, boolean wasMember, boolean isToBeAdmitted) {
		this.layouts.admits(isToBeAdmitted);
		try {
			this.layouts.adopt(later, wasMember);
			if (isToBeAdmitted) {
				this.shares.admitted();
			}
			this.layouts.admits(false);
		}
		catch (RuntimeException | Error failure) {
			this.layouts.admits(isToBeAdmitted && this.layouts.current().version() >= later.version());
			throw failure;
		}
	}

	private boolean joinsBy(LayoutRecord record) {
		return record.isJoint() && !record.stable().has(this.layouts.self()) && isNamedBy(record);
	}

	/**
	 * The version of the floors that a node sets when it adopts a layout: all versions of
	 * one change have that which began it. 0 for none.
	 */
	static long floorsOf(long version, LayoutRecord record) {
		LayoutChange change = record.change();
		return (change != null) ? change.version() : (version > ACTIVATION) ? version : 0;
	}

	/* Later layouts may have other members than the configuration. */
	private void requireConfigured(long version, LayoutRecord record) {
		if (version <= ACTIVATION && !LayoutMachine.isSameAssignment(configured(), record)) {
			throw new LayoutException(
					("version %d of the layout (file LAYOUT) has the members %s, the configuration %s: set"
							+ " quorate.cluster.members and quorate.cluster.replication-factor to what they were")
						.formatted(version, record.stable(), configured().stable()),
					null);
		}
	}

	/**
	 * The layout that was decided.
	 * @throws NewerLayoutException when this program cannot read it
	 */
	static LayoutRecord read(Decision decision) {
		try {
			return LayoutCodec.read(decision.decree());
		}
		catch (IllegalArgumentException unknown) {
			throw new NewerLayoutException(decision.version(), unknown);
		}
	}

	private LayoutRecord configured() {
		return LayoutRecord.first(this.layouts.configured().ring());
	}

	private boolean isMember(LayoutRecord record) {
		return record.member(this.layouts.self()) != null;
	}

	/**
	 * Notes that a member knows a version: this node adopts those before it on its way.
	 */
	void isToReach(long version) {
		this.latest = Math.max(this.latest, version);
		this.layouts.isToReach(version);
	}

	/**
	 * Adopts a later layout.
	 * @throws LayoutException when this node cannot serve by it
	 * @throws IOException when the disk does not have what this node gains and loses
	 */
	void adopt(Decision later) throws IOException {
		boolean isMember = this.layouts.isMember();
		this.adopted = adopted(later, this.layouts.current().rings());
		log.atLevel(level(later.version()))
			.log("The layout of the cluster: {} is decided and adopted, {}", version(), record());
		if (isMember && this.layouts.hasLeft()) {
			log.warn("This node is no member of the cluster any more: it serves no keys, and can be stopped");
		}
	}

	/** Of a line about a version: the first one that is decided changes no members. */
	static Level level(long version) {
		return (version == Layout.FIRST + 1) ? Level.DEBUG : Level.INFO;
	}

	/**
	 * The reason for which this node must not learn the decision that a request builds
	 * on, or {@code null}: it would be to hold keys that no store has, or to hide those
	 * that others lack.
	 * <p>
	 * A member that was restored from a backup with all others may meet one whose backup
	 * is of another side of a change, or one that was not restored. What has moved in
	 * between did not reach the store of this node. It serves no requests then: those of
	 * the later layout count elsewhere. It follows every layout once its directory is
	 * named, and one before that keeps the members that decide, or names it for what it
	 * holds.
	 * <p>
	 * No member learns a layout of before or after a recovery: the members that were left
	 * did without those that were lost, and one of these that is back is none any more.
	 */
	@Nullable String refusal(Request request) {
		Decision later = switch (request) {
			case Request.Prepare prepare -> prepare.base();
			case Request.Accept accept -> accept.base();
			case Request.Learn learn -> learn.decision();
			case Request.Get _ -> null;
		};
		if (later == null || later.version() <= version().version()) {
			return null;
		}
		LayoutVersion theirs = LayoutVersion.of(later);
		if (theirs.isOfAnotherRecovery(version()) || isGivenUpBy(later)) {
			return "%s is that of members that were recovered without this node, which has %s (quorate cluster recover)"
				.formatted(theirs, version());
		}
		if (!isRestored() || isNamedBy(record())) {
			return null;
		}
		if (mayFollow(later)) {
			return null;
		}
		this.layouts.refuseBefore(later.version());
		return ("this node was restored at version %d of the layout, and other members have version %d, by which keys have"
				+ " moved: it serves none. If all are to be restored, restore every node from backups of one run with one"
				+ " layout (quorate inspect BACKUP), or start those without such a backup with an empty directory. If the"
				+ " others were running on, restore this node without --whole-cluster")
			.formatted(version().version(), later.version());
	}

	/*
	 * All histories have the first layout: a member with data that has no later one may
	 * be one of a majority which runs on.
	 */
	private boolean isGivenUpBy(Decision later) {
		if (version().version() != Layout.FIRST || LayoutVersion.of(later).recoveries() == 0
				|| !this.shares.hasHeld()) {
			return false;
		}
		try {
			return !isNamedBy(read(later));
		}
		catch (NewerLayoutException unknown) {
			return true;
		}
	}

	private boolean mayFollow(Decision later) {
		try {
			LayoutRecord record = read(later);
			return LayoutMachine.isOfOneSide(record(), record)
					|| (isNamedBy(record) && holdsKeysOf(record.stable().ring()));
		}
		catch (NewerLayoutException unknown) {
			// This program cannot serve by it anyway, and says so when it adopts it.
			return true;
		}
	}

	/** Whether all directories were restored from backups. */
	boolean isRestored() {
		return this.shares.areRestored();
	}

	/**
	 * Ends the restore of the cluster, for this node, once the layout names the present
	 * directories of all members: from then on their majority decides as ever.
	 * @throws IOException when it is not known whether the disk has it
	 */
	void settle(LayoutFacts now) throws IOException {
		if (isRestored() && LayoutMachine.isNamedThroughout(record(), now)) {
			this.shares.namedAnew();
			log.info("The layout of the cluster: {} names all restored directories", version());
		}
	}

	private boolean isNamedBy(LayoutRecord record) {
		LayoutMember named = record.member(this.layouts.self());
		return named != null && named.storageId().equals(this.storageId);
	}

	private boolean holdsKeysOf(Ring ring) {
		RingPair rings = this.layouts.current().rings();
		LayoutChange change = record().change();
		boolean isCopied = change != null && this.report.copied() == change.version();
		return gainsNothing(rings.before(), ring) || (isCopied && gainsNothing(rings.after(), ring));
	}

	private boolean gainsNothing(Ring held, Ring ring) {
		return new RingPair(held, ring).gained(this.layouts.self()) == 0;
	}

	/** The layout that this node has adopted last. */
	LayoutVersion version() {
		return this.adopted.layout();
	}

	/** The content of the layout that this node has adopted last. */
	LayoutRecord record() {
		return this.adopted.record();
	}

	/** The progress of this node that it reports to the other members. */
	LayoutReport report() {
		return this.report;
	}

	/**
	 * All writes that this node let in before it adopted a version are on its disk, or
	 * have failed.
	 * @param version version that it had adopted last when they began to be awaited
	 */
	void settled(long version) {
		LayoutVersion current = version();
		if (current.version() == version) {
			this.report = new LayoutReport(current, this.report.copied());
		}
	}

	/**
	 * This node has copied all that it gains in the change that is under way.
	 * @param version version of the layout by which it has copied
	 */
	void copied(long version) {
		LayoutChange change = record().change();
		if (change != null && version().version() == version) {
			this.report = new LayoutReport(this.report.adopted(), change.version());
		}
	}

	/** A layout with its content. */
	private record Adopted(LayoutVersion layout, LayoutRecord record) {
	}

}
