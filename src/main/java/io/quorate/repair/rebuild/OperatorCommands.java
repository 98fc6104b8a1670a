package io.quorate.repair.rebuild;

import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.repair.purge.PurgePermission;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The repair commands of an operator, for facts that only an operator can know. Each
 * command is on the disk about a second later; until then it has no effect that a crash
 * could make wrong. A command that makes no sense is refused with an
 * {@link IllegalStateException} whose message gives the reason.
 */
public final class OperatorCommands {

	private static final Logger log = LoggerFactory.getLogger(OperatorCommands.class);

	private final Layouts layouts;

	private final Membership membership;

	private final PurgePermission purgePermission;

	private final RebuildState rebuild;

	private final PeerStatusTracker tracker;

	OperatorCommands(Layouts layouts, Membership membership, PurgePermission purgePermission, RebuildState rebuild,
			PeerStatusTracker tracker) {
		this.layouts = layouts;
		this.membership = membership;
		this.purgePermission = purgePermission;
		this.rebuild = rebuild;
		this.tracker = tracker;
	}

	/**
	 * Rebuilds this node from its peers, although it has lost nothing that they remember:
	 * entries of its damaged tables are replaced by those of the peers.
	 */
	public void rebuild() {
		require(!this.rebuild.isRebuilding(), "this node is being rebuilt already");
		require(!this.purgePermission.sharing().isEmpty(), "no other member holds what this node holds");
		for (String member : this.purgePermission.sharing()) {
			require(this.membership.stateOf(member) != MemberState.DISCONNECTED
					&& !this.purgePermission.isRebuilding(member),
					"%s is away or being rebuilt, and could not be copied from".formatted(member));
		}
		this.tracker.beginRebuild("an operator has asked for it");
	}

	/**
	 * Ends the rebuild of this node although not all of its sources were copied. All
	 * entries that it had are merged: those that peers have purged meanwhile may be back.
	 */
	public void endRebuild() {
		require(this.rebuild.isRebuilding(), "this node is not being rebuilt");
		log.warn("An operator ends the rebuild of this node without its sources");
		this.rebuild.abandon();
	}

	/**
	 * Declares a member lost: this node does not wait for it any more before it purges.
	 * If it comes back, it is rebuilt. The operator gives the command to every other
	 * member.
	 */
	public void declareLost(String member) {
		require(this.layouts.peers().stream().anyMatch((peer) -> peer.id().equals(member)),
				"'%s' is no other member".formatted(member));
		require(this.membership.stateOf(member) == MemberState.DISCONNECTED,
				"%s is connected: only a disconnected member can be declared lost".formatted(member));
		log.warn("An operator declares {} lost: purges do not wait for it, and it is rebuilt if it comes back", member);
		this.purgePermission.lost(member, true);
	}

	/**
	 * Begins an incarnation of the cluster, after all nodes were restored from backups:
	 * nodes forget their records of each other, and rebuilds that are under way end. The
	 * operator gives the command to one node; the other nodes learn it from there. A
	 * cluster with a majority that is connected and not rebuilding has nothing to forget:
	 * it would not follow, and have this node rebuilt.
	 */
	public void beginIncarnation() {
		String refusal = this.tracker.beginNext();
		if (refusal != null) {
			throw new IllegalStateException(refusal);
		}
	}

	private static void require(boolean isSo, String otherwise) {
		if (!isSo) {
			throw new IllegalStateException(otherwise);
		}
	}

}
