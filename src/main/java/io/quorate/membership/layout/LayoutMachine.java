package io.quorate.membership.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.LayoutChange.Kind;

/**
 * The layouts that may follow a layout. Pure functions. <pre>
 * CONFIGURED(O) --activate--> STABLE(O)
 * STABLE(O) --add|remove|replace|replication--> JOINT(O -> N) --complete--> STABLE(N)
 *     |                                             +--------abort--------> STABLE(O)
 *     +--amend (address or storage id of a member)--> the same state; also from JOINT
 * </pre> The layout of a configuration is activated first: then it names storage ids. A
 * change concerns one member, or makes the replication factor greater or less by one, so
 * that the replicas of a partition on both sides differ by one member.
 * <p>
 * In a cluster whose directories were all restored from backups no majority of those that
 * the layout names is left. Its members decide all together then, as they do on the
 * activation, until a majority of their present directories is named.
 */
public final class LayoutMachine {

	private LayoutMachine() {
	}

	/**
	 * The layout with the addresses and storage ids of all members of a configuration.
	 * @throws ChangeRefusedException when the layout is activated, or a member is missing
	 */
	public static LayoutRecord activate(LayoutRecord first, List<LayoutMember> members) {
		LayoutRecord next = possible(
				() -> LayoutRecord.of(new LayoutSide(members, first.stable().replicationFactor())));
		if (!isActivation(first, next)) {
			throw refused("the members %s are not all of %s with their storage ids"
				.formatted(members.stream().map(LayoutMember::id).toList(), first.stable().ids()));
		}
		return next;
	}

	/** The joint layout that a member joins by. */
	public static LayoutRecord add(LayoutRecord now, LayoutMember joiner, Asked asked) {
		requireStranger(now, joiner);
		return joint(now, Kind.ADD, joiner.id(), asked, () -> now.stable().with(joiner));
	}

	/**
	 * The joint layout that a member leaves by.
	 * @param isDead whether the member is declared dead: the change does not wait for it
	 */
	public static LayoutRecord remove(LayoutRecord now, String leaver, boolean isDead, Asked asked) {
		requireMember(now, leaver);
		return declared(joint(now, Kind.REMOVE, leaver, asked, () -> now.stable().without(leaver)), leaver, isDead);
	}

	/**
	 * The joint layout in which a member takes the place of another one, of the same
	 * zone.
	 * @param isDead whether the member that goes is declared dead
	 */
	public static LayoutRecord replace(LayoutRecord now, String leaver, LayoutMember joiner, boolean isDead,
			Asked asked) {
		LayoutMember gone = requireMember(now, leaver);
		requireStranger(now, joiner);
		if (!joiner.member().zone().equals(gone.member().zone())) {
			throw refused("%s and %s are not of one zone".formatted(joiner.member(), gone.member()));
		}
		LayoutMember placed = joiner.placedAs(gone);
		return declared(joint(now, Kind.REPLACE, joiner.id(), asked, () -> now.stable().without(leaver, placed)),
				leaver, isDead);
	}

	/** The joint layout that makes the replication factor greater or less by one. */
	public static LayoutRecord replication(LayoutRecord now, int factor, Asked asked) {
		if (Math.abs(factor - now.stable().replicationFactor()) != 1) {
			throw refused("the replication factor, %d, changes by one at a time, not to %d"
				.formatted(now.stable().replicationFactor(), factor));
		}
		return joint(now, Kind.REPLICATION, "", asked, () -> now.stable().replicated(factor));
	}

	/** The stable layout that a change ends with. */
	public static LayoutRecord complete(LayoutRecord joint) {
		return LayoutRecord.of(target(joint));
	}

	/** The stable layout of before the change. */
	public static LayoutRecord abort(LayoutRecord joint) {
		target(joint);
		return LayoutRecord.of(joint.stable());
	}

	/** The layout that begins or ends the change that an operator asks for. */
	public static LayoutRecord begun(LayoutRecord now, ChangeRequest change, Asked asked) {
		return switch (change) {
			case ChangeRequest.Add(var node, var storageId) -> add(now, LayoutMember.of(node, storageId), asked);
			case ChangeRequest.Remove(var member, var isDead) -> remove(now, member, isDead, asked);
			case ChangeRequest.Replace(var member, var node, var storageId, var isDead) ->
				replace(now, member, LayoutMember.of(node, storageId), isDead, asked);
			case ChangeRequest.Replication(var factor) -> replication(now, factor, asked);
			case ChangeRequest.Abort _ -> abort(now);
		};
	}

	/** The same layout with another address or storage id of a member. */
	public static LayoutRecord amend(LayoutRecord now, LayoutMember amended) {
		requireActive(now);
		LayoutMember before = now.member(amended.id());
		if (before == null || !before.member().equals(amended.member()) || before.equals(amended)) {
			throw refused("there is nothing to amend of %s".formatted(amended.member()));
		}
		return possible(() -> amended(now, amended));
	}

	private static LayoutRecord amended(LayoutRecord now, LayoutMember amended) {
		LayoutSide target = now.target();
		return new LayoutRecord(now.stable().amended(amended), (target != null) ? target.amended(amended) : null,
				now.dead(), now.change());
	}

	/**
	 * The layout to propose now, if any. One of
	 * <ul>
	 * <li>the activation of the layout of the configuration, once all members can
	 * vote;</li>
	 * <li>the end of a change that every member which is not declared dead has adopted,
	 * and whose members of the target have copied all that they gain;</li>
	 * <li>the same layout with the storage id that the directory of a member has now.
	 * </li>
	 * </ul>
	 */
	public static Optional<LayoutRecord> next(LayoutRecord now, LayoutFacts facts) {
		return next(now, facts, false);
	}

	/**
	 * As above.
	 * @param isRestored whether all directories were restored from backups
	 */
	public static Optional<LayoutRecord> next(LayoutRecord now, LayoutFacts facts, boolean isRestored) {
		boolean isBlocked = !blockedBy(now, facts, isRestored).isEmpty();
		if (!now.isActive()) {
			return isBlocked ? Optional.empty() : Optional.of(activate(now, List.copyOf(facts.ready().values())));
		}
		if (isRestored && !isMajorityLeft(now, facts)) {
			return isBlocked ? Optional.empty() : withStorageId(now, facts);
		}
		// A restored member learns no layout of another side before its directory is
		// named.
		Optional<LayoutRecord> naming = isRestored ? withStorageId(now, facts) : Optional.empty();
		if (naming.isPresent()) {
			return naming;
		}
		if (now.isJoint() && !isBlocked) {
			return Optional.of(complete(now));
		}
		if (!isMajorityLeft(now, facts)) {
			return Optional.empty();
		}
		return withStorageId(now, facts);
	}

	/** Of the voters with the directories that they are named with. */
	public static boolean isMajorityLeft(LayoutRecord now, LayoutFacts facts) {
		return facts.isMajorityLeft(now.stable().ids(), now.directories());
	}

	/** Whether all members can vote, with the directories that they are named with. */
	public static boolean isNamedThroughout(LayoutRecord now, LayoutFacts facts) {
		return facts.ready().keySet().containsAll(now.stable().ids()) && withStorageId(now, facts).isEmpty();
	}

	private static long lost(LayoutRecord now, LayoutFacts facts) {
		return now.stable().members().stream().filter((named) -> facts.isLost(named.id(), named.storageId())).count();
	}

	private static Optional<LayoutRecord> withStorageId(LayoutRecord now, LayoutFacts facts) {
		return now.members()
			.stream()
			.filter((named) -> !facts.present(named).equals(named))
			.findFirst()
			.map((named) -> amend(now, facts.present(named)));
	}

	/**
	 * The members that the activation or the end of a change waits for, with the reason
	 * in words.
	 */
	public static List<String> blockedBy(LayoutRecord now, LayoutFacts facts) {
		return blockedBy(now, facts, false);
	}

	/**
	 * As above.
	 * @param isRestored whether all directories were restored from backups
	 */
	public static List<String> blockedBy(LayoutRecord now, LayoutFacts facts, boolean isRestored) {
		if (!now.isActive() || (isRestored && !isMajorityLeft(now, facts))) {
			return now.stable().ids().stream().map(facts::obstacleOf).filter(Objects::nonNull).toList();
		}
		if (!isMajorityLeft(now, facts)) {
			return List
				.of("%d of the %d directories that the layout names are lost: no majority of them is left to decide"
					.formatted(lost(now, facts), now.stable().members().size()));
		}
		LayoutSide target = now.target();
		LayoutChange change = now.change();
		if (target == null || change == null) {
			return List.of();
		}
		List<String> reasons = new ArrayList<>();
		for (String member : now.awaited()) {
			if (!facts.hasAdopted(member, change.version())) {
				reasons.add("%s has not adopted version %d".formatted(member, change.version()));
			}
			else if (isToCopy(target, member, facts, change.version())) {
				reasons.add("%s has not copied all that it gains".formatted(member));
			}
		}
		return reasons;
	}

	/**
	 * Whether a member has yet to copy what it gains in a change.
	 * @param target side that the change goes to
	 * @param version version of the layout that began it
	 */
	public static boolean isToCopy(LayoutSide target, String member, LayoutFacts facts, long version) {
		LayoutMember named = target.member(member);
		return named != null && !facts.isComplete(named, version);
	}

	/**
	 * Whether a layout may follow another one, as a version later.
	 * @param version version of the layout before
	 */
	public static boolean mayFollow(LayoutRecord before, long version, LayoutRecord after) {
		if (isActivation(before, after)) {
			return true;
		}
		if (!before.isActive() || !after.isActive()) {
			return false;
		}
		return isAmendment(before, after)
				|| (before.isJoint() ? isEnd(before, after) : isBegin(before, version, after));
	}

	private static boolean isEnd(LayoutRecord joint, LayoutRecord after) {
		return after.equals(complete(joint)) || after.equals(abort(joint));
	}

	/** Whether the members that decide on both are the same, and hold the same keys. */
	public static boolean isOfOneSide(LayoutRecord one, LayoutRecord other) {
		return places(one.stable()).equals(places(other.stable()))
				&& one.stable().replicationFactor() == other.stable().replicationFactor();
	}

	private static boolean isActivation(LayoutRecord before, LayoutRecord after) {
		return !before.isActive() && after.isActive() && isSameAssignment(before, after);
	}

	/**
	 * Whether a layout is stable and assigns all keys as another one does: then requests
	 * do not notice that it replaces that.
	 */
	public static boolean isSameAssignment(LayoutRecord one, LayoutRecord other) {
		return !one.isJoint() && !other.isJoint() && isOfOneSide(one, other);
	}

	private static List<Object> places(LayoutSide side) {
		return List.copyOf(side.members().stream().map(LayoutMember::member).toList());
	}

	private static boolean isAmendment(LayoutRecord before, LayoutRecord after) {
		List<LayoutMember> changed = after.members()
			.stream()
			.filter((member) -> !member.equals(before.member(member.id())))
			.toList();
		return changed.size() == 1 && isAmendedTo(before, changed.getFirst(), after);
	}

	private static boolean isAmendedTo(LayoutRecord before, LayoutMember changed, LayoutRecord after) {
		LayoutMember known = before.member(changed.id());
		return known != null && known.member().equals(changed.member()) && after.equals(amended(before, changed));
	}

	private static boolean isBegin(LayoutRecord stable, long version, LayoutRecord after) {
		LayoutChange change = after.change();
		LayoutSide target = after.target();
		if (change == null || target == null) {
			return false;
		}
		Asked asked = new Asked(version, change.by(), change.sinceMillis());
		try {
			return after.equals(begun(stable, change, target, after.dead(), asked));
		}
		catch (ChangeRefusedException impossible) {
			return false;
		}
	}

	private static LayoutRecord begun(LayoutRecord stable, LayoutChange change, LayoutSide target, Set<String> dead,
			Asked asked) {
		return switch (change.kind()) {
			case ADD -> add(stable, named(target, change), asked);
			case REMOVE -> remove(stable, change.member(), !dead.isEmpty(), asked);
			case REPLACE -> {
				LayoutMember joiner = named(target, change);
				String leaver = stable.stable()
					.ids()
					.stream()
					.filter((id) -> !target.has(id))
					.findFirst()
					.orElseThrow(() -> refused("no member leaves"));
				yield replace(stable, leaver, joiner, !dead.isEmpty(), asked);
			}
			case REPLICATION -> replication(stable, target.replicationFactor(), asked);
		};
	}

	private static LayoutMember named(LayoutSide target, LayoutChange change) {
		LayoutMember named = target.member(change.member());
		if (named == null) {
			throw refused("'%s' is not in the target".formatted(change.member()));
		}
		return named;
	}

	private static LayoutRecord joint(LayoutRecord now, Kind kind, String member, Asked asked,
			Supplier<LayoutSide> target) {
		requireActive(now);
		if (now.isJoint()) {
			throw new ChangeRefusedException(Reason.BUSY, "a change is under way: %s".formatted(now.change()), null);
		}
		LayoutChange change = new LayoutChange(kind, member, asked.version() + 1, asked.by(), asked.millis());
		return possible(() -> new LayoutRecord(now.stable(), target.get(), Set.of(), change));
	}

	private static LayoutRecord declared(LayoutRecord joint, String leaver, boolean isDead) {
		return isDead ? new LayoutRecord(joint.stable(), joint.target(), Set.of(leaver), joint.change()) : joint;
	}

	private static LayoutSide target(LayoutRecord joint) {
		LayoutSide target = joint.target();
		if (target == null) {
			throw new ChangeRefusedException(Reason.NOT_UNDER_WAY, "no change is under way", null);
		}
		return target;
	}

	private static void requireActive(LayoutRecord now) {
		if (!now.isActive()) {
			throw refused("the layout of the configuration is not activated yet");
		}
	}

	private static LayoutMember requireMember(LayoutRecord now, String id) {
		LayoutMember member = now.stable().member(id);
		if (member == null) {
			throw refused("%s is no member".formatted(id));
		}
		return member;
	}

	private static void requireStranger(LayoutRecord now, LayoutMember joiner) {
		if (joiner.storageId().equals(LayoutMember.UNKNOWN) || joiner.host().isEmpty() || joiner.port() == 0) {
			throw refused("the address or the storage id of %s is not known".formatted(joiner.id()));
		}
		if (now.stable().has(joiner.id())) {
			throw refused("%s is a member".formatted(joiner.id()));
		}
	}

	private static <T> T possible(Supplier<T> layout) {
		try {
			return layout.get();
		}
		catch (IllegalArgumentException impossible) {
			throw new ChangeRefusedException(Reason.IMPOSSIBLE, String.valueOf(impossible.getMessage()), impossible);
		}
	}

	private static ChangeRefusedException refused(String why) {
		return new ChangeRefusedException(Reason.IMPOSSIBLE, why, null);
	}

	/**
	 * The request for a change.
	 *
	 * @param version version of the layout that the change is to follow
	 * @param by operator or node that asks, in words
	 * @param millis present instant, in milliseconds since the epoch
	 */
	public record Asked(long version, String by, long millis) {
	}

}
