package io.quorate.simulation;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.membership.agreement.DrivenMember;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.ring.RingPair;
import io.quorate.simulation.Clients.Mode;
import io.quorate.simulation.Scenario.Setting;

/**
 * The scenarios of the rules whose absence a run by a seed does not show: each as the
 * counterexample of a model has it. Nodes 0, 1 and 2 are the first members.
 */
final class Scenarios {

	private static final Key KEY = Key.of("key");

	private static final Setting THREE = new Setting(3, 3, false);

	private static final Setting TWO_COPIES = new Setting(3, 2, false);

	private static final Duration LONG = Duration.ofSeconds(80);

	private Scenarios() {
	}

	/**
	 * Runs a scenario.
	 * @param rule fault that it brings out
	 * @param planted fault that is planted
	 */
	static Scenario run(PlantedBug rule, PlantedBug planted, Path directory) {
		return switch (rule) {
			case READ_OLD -> readOld(new Scenario(planted, THREE, directory));
			case HOLD_OLD -> holdOld(new Scenario(planted, THREE, directory));
			case TAKES_EARLY -> takesEarly(new Scenario(planted, THREE, directory));
			case COPY_EARLY -> copyEarly(new Scenario(planted, TWO_COPIES, directory));
			case NO_BARRIER -> noBarrier(new Scenario(planted, TWO_COPIES, directory));
			case DOWN_GAIN -> downGain(new Scenario(planted, THREE, directory));
			case PURGE_OLD -> purgeOld(new Scenario(planted, new Setting(3, 3, true), directory));
			case GAINER_HINTS -> lateHint(new Scenario(planted, new Setting(4, 3, true), directory), false);
			case NO_HORIZON -> lateHint(new Scenario(planted, new Setting(4, 3, true), directory), true);
			case KEEP_MARKS -> keepMarks(new Scenario(planted, new Setting(3, 3, true), directory));
			case BY_NAME -> twoContents(new Scenario(planted, THREE, directory), true);
			case NO_PREPARE -> twoContents(new Scenario(planted, THREE, directory), false);
			default -> throw new IllegalArgumentException("there is no scenario for " + rule);
		};
	}

	/* A coordinator of the joint layout reads while others write by the last one. */
	private static Scenario readOld(Scenario its) {
		its.put(0, KEY, Mode.MAJORITY);
		its.change(0, its.replace(2, 3));
		its.until(() -> its.version(0) == 3 && its.version(1) == 3 && its.version(2) == 3);
		its.obstacles().deafen(1, 2);
		its.until(() -> its.version(0) == 4 && its.version(3) == 4);
		its.obstacles().lose(1, 0);
		its.put(0, KEY, Mode.MAJORITY);
		its.obstacles().lose(2, 0);
		its.read(2, KEY, Mode.MAJORITY);
		its.obstacles().undeafen();
		its.pass(Duration.ofSeconds(3));
		its.read(1, KEY, Mode.MAJORITY);
		return its;
	}

	/* What a read has answered is held by one node of after alone. */
	private static Scenario holdOld(Scenario its) {
		its.put(0, KEY, Mode.MAJORITY);
		its.change(0, its.replace(2, 3));
		its.until(() -> its.version(0) == 3);
		its.obstacles().silence(0, 1, 2);
		its.until(() -> its.hasCopied(3, 3));
		its.obstacles().loseWrites(2, 0, 1, 3);
		its.put(2, KEY, Mode.MAJORITY);
		its.obstacles().lostWrites.clear();
		its.obstacles().lose(2, 1);
		its.read(2, KEY, Mode.MAJORITY);
		its.obstacles().voteless.clear();
		its.until(() -> its.version(1) == 4 && its.version(3) == 4);
		its.obstacles().lose(1, 0);
		its.read(1, KEY, Mode.MAJORITY);
		return its;
	}

	/*
	 * The node that gains the key has the write before it adopts the joint layout, and
	 * the others have it after they were copied.
	 */
	private static Scenario takesEarly(Scenario its) {
		its.until(() -> its.version(3) == 2);
		its.obstacles().deafen(3);
		its.change(0, its.replace(2, 3));
		its.until(() -> its.version(0) == 3 && its.version(1) == 3 && its.version(2) == 3);
		its.pass(Duration.ofSeconds(2));
		its.obstacles().silence(0, 1, 2);
		its.obstacles().holdWrites(0, 0, 2);
		its.obstacles().loseWrites(0, 1);
		its.put(0, KEY, Mode.MAJORITY, LONG);
		its.pass(Duration.ofSeconds(1));
		its.obstacles().undeafen();
		its.until(() -> its.hasCopied(3, 3));
		its.obstacles().heldWrites.clear();
		its.pass(Duration.ofSeconds(3));
		its.obstacles().voteless.clear();
		its.until(() -> its.version(1) == 4 && its.version(3) == 4);
		its.obstacles().lose(1, 0);
		its.read(1, KEY, Mode.MAJORITY);
		return its;
	}

	private static RingPair replicas(int before, int after) {
		List<String> ids = List.of("n0", "n1", "n2");
		return new RingPair(DrivenMember.ringOf(ids, before), DrivenMember.ringOf(ids, after));
	}

	/* A third copy is made of replicas that do not know yet that there is to be one. */
	private static Scenario copyEarly(Scenario its) {
		Key key = its.key(replicas(2, 3), (before) -> !before.contains("n2"), (_) -> true);
		its.put(0, key, Mode.READ_FROM_ONE);
		its.obstacles().deafen(0, 1);
		its.change(2, new ChangeRequest.Replication(3));
		its.until(() -> its.hasCopied(2, 3));
		its.obstacles().undeafen();
		its.until(() -> its.version(2) == 4);
		its.read(2, key, Mode.READ_FROM_ONE);
		return its;
	}

	/* A member that has left does not know it, and answers from what it has. */
	private static Scenario noBarrier(Scenario its) {
		RingPair rings = new RingPair(DrivenMember.ringOf(List.of("n0", "n1", "n2"), 2),
				DrivenMember.ringOf(List.of("n0", "n1"), 2));
		Key key = its.key(rings, (before) -> before.contains("n2"), (_) -> true);
		its.put(0, key, Mode.READ_FROM_ONE);
		its.obstacles().deafen(2);
		its.obstacles().silence(2);
		its.change(0, new ChangeRequest.Remove("n2", false));
		its.until(() -> its.version(0) == 4 && its.version(1) == 4);
		its.put(0, key, Mode.READ_FROM_ONE);
		its.obstacles().lose(2, 0, 1);
		its.read(2, key, Mode.READ_FROM_ONE);
		return its;
	}

	/* The only replica that has a write goes. */
	private static Scenario downGain(Scenario its) {
		Key key = its.key(replicas(3, 2), (_) -> true, (after) -> !after.contains("n2"));
		its.obstacles().lose(2, 0, 1);
		its.put(2, key, Mode.WRITTEN_TO_ONE);
		its.obstacles().lost.clear();
		its.change(0, new ChangeRequest.Replication(2));
		its.until(() -> its.version(0) == 4 && its.version(1) == 4);
		its.read(0, key, Mode.WRITTEN_TO_ONE);
		return its;
	}

	/*
	 * The comparisons end when the first node purges, and the others soon do, too. Else
	 * one that has not purged yet would bring back what the others have.
	 */
	private static void purge(Scenario its, Key key, int one, int other, int third) {
		its.until(() -> !its.holds(one, key));
		its.obstacles().keepApart(one, other, third);
		its.obstacles().keepApart(other, third);
		its.pass(Duration.ofSeconds(5));
	}

	/* A node that gains the key misses the deletion, and the others purge it. */
	private static Scenario purgeOld(Scenario its) {
		its.obstacles().areHintsHeld = true;
		its.put(0, KEY, Mode.MAJORITY);
		its.change(0, its.replace(2, 3));
		its.until(() -> its.version(0) == 3);
		its.obstacles().silence(0, 1, 2);
		its.until(() -> its.hasCopied(3, 3));
		its.obstacles().keepApart(3, 0, 1, 2);
		its.obstacles().lose(0, 3);
		its.delete(0, KEY);
		its.obstacles().lost.clear();
		purge(its, KEY, 0, 1, 2);
		its.obstacles().bringTogether(3, 0, 1, 2);
		its.pass(Duration.ofSeconds(5));
		its.read(1, KEY, Mode.MAJORITY);
		return its;
	}

	/*
	 * A hint for a node that was to hold the key comes when it is to hold it again, and
	 * all others have purged the deletion that came after.
	 */
	private static Scenario lateHint(Scenario its, boolean isCopied) {
		List<String> ids = List.of("n0", "n1", "n2", "n3");
		RingPair rings = new RingPair(DrivenMember.ringOf(ids, 3), DrivenMember.ringOf(ids, 4));
		Key key = its.key(rings, (before) -> !before.contains("n3"), (_) -> true);
		its.obstacles().areHintsHeld = true;
		its.obstacles().copiedOnly.add("n3");
		its.change(0, new ChangeRequest.Replication(4));
		its.until(() -> its.version(0) == 3);
		its.obstacles().silence(0, 1, 2, 3);
		its.obstacles().lose(0, 3);
		its.put(0, key, Mode.MAJORITY);
		its.obstacles().lost.clear();
		its.obstacles().voteless.clear();
		its.change(0, new ChangeRequest.Abort());
		its.until(() -> its.version(0) == 4 && its.version(3) == 4);
		its.delete(0, key);
		its.pass(Duration.ofSeconds(20));
		its.change(0, new ChangeRequest.Replication(4));
		its.until(() -> its.version(0) == 5 && its.version(3) == 5);
		its.obstacles().silence(0, 1, 2, 3);
		if (isCopied) {
			its.until(() -> its.hasCopied(3, 5));
		}
		its.obstacles().areHintsHeld = false;
		its.pass(Duration.ofSeconds(3));
		its.obstacles().copiedOnly.clear();
		its.pass(Duration.ofSeconds(17));
		its.obstacles().voteless.clear();
		its.until(() -> its.version(0) == 6 && its.version(3) == 6);
		its.pass(Duration.ofSeconds(5));
		its.read(1, key, Mode.MAJORITY);
		its.read(3, key, Mode.MAJORITY);
		return its;
	}

	/*
	 * Node 2 loses the key to node 3 and gains it again. The deletion is purged by the
	 * agreement of node 2 of the time at which the key was of no concern to it.
	 */
	private static Scenario keepMarks(Scenario its) {
		RingPair rings = new RingPair(DrivenMember.ringOf(List.of("n0", "n1", "n2"), 3),
				DrivenMember.ringOf(List.of("n0", "n1", "n2", "n3"), 3));
		Key key = its.key(rings, (_) -> true, (after) -> !after.contains("n2"));
		its.obstacles().areHintsHeld = true;
		its.change(0, its.add(3));
		its.until(() -> its.version(0) == 4 && its.version(1) == 4 && its.version(2) == 4 && its.version(3) == 4);
		its.put(0, key, Mode.MAJORITY);
		its.obstacles().keepApart(0, 1, 3);
		its.obstacles().lose(1, 0);
		its.delete(1, key);
		its.obstacles().lost.clear();
		its.pass(Duration.ofSeconds(10));
		its.obstacles().keepApart(2, 1, 3);
		its.change(0, new ChangeRequest.Remove("n3", false));
		its.until(() -> its.version(0) == 5);
		its.obstacles().silence(0, 1, 2, 3);
		its.until(() -> its.holds(2, key));
		its.obstacles().keepApart(2, 0);
		its.obstacles().bringTogether(0, 1, 3);
		purge(its, key, 1, 0, 3);
		its.obstacles().bringTogether(2, 1, 3);
		its.until(() -> its.hasCopied(2, 5));
		its.obstacles().voteless.clear();
		its.until(() -> its.version(1) == 6 && its.version(2) == 6);
		its.obstacles().lose(1, 0);
		its.read(1, key, Mode.MAJORITY);
		return its;
	}

	/*
	 * A version is decided by two of three voters, of which one is cut off then. The
	 * other one has forgotten its vote, or is not asked for it.
	 */
	private static Scenario twoContents(Scenario its, boolean isDiskLost) {
		its.obstacles().deafen(1, 2);
		its.obstacles().silence(2);
		its.change(0, new ChangeRequest.Replication(2));
		its.until(() -> its.version(0) == 3);
		its.obstacles().undeafen();
		its.obstacles().voteless.clear();
		its.obstacles().deafen(0);
		its.obstacles().silence(0);
		if (isDiskLost) {
			its.cluster().loseDisk(its.cluster().node("n1"));
			its.cluster().node("n1").start();
			its.until(() -> its.version(1) == 2);
			its.pass(Duration.ofSeconds(3));
		}
		its.change(2, its.add(3));
		its.until(() -> its.version(2) == 3);
		its.obstacles().undeafen();
		its.obstacles().voteless.clear();
		its.pass(Duration.ofSeconds(20));
		return its;
	}

}
