package io.quorate.simulation;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.membership.agreement.DrivenMember;
import io.quorate.ring.RingPair;
import io.quorate.simulation.Clients.Mode;
import io.quorate.simulation.Scenario.Setting;

/**
 * The scenarios of the rules of registers whose absence a run by a seed does not show. A
 * key has the replicas 0, 1 and 2, and conditional writes of it meet at one of them.
 */
final class RegisterScenarios {

	private static final Duration LONG = Duration.ofSeconds(80);

	private static final Duration SHORT = Duration.ofMillis(300);

	/* Longer than a promise has its turn. */
	private static final Duration TURN = Duration.ofSeconds(1);

	private RegisterScenarios() {
	}

	/**
	 * Runs a scenario.
	 * @param rule fault that it brings out
	 * @param planted fault that is planted
	 */
	static Scenario run(PlantedBug rule, PlantedBug planted, Path directory) {
		Scenario its = new Scenario(planted, new Setting(3, 3, false), directory);
		its.cluster().endSettling();
		return switch (rule) {
			case PROMISE_NOT_DURABLE, REPAIR_PASSES, RELEASE_TO_NONE, PROMISE_FORGOTTEN -> besidePromise(its, rule);
			case UNCHOSEN_HINTS -> unchosenHints(its);
			case BLIND_LOOK -> blindLook(its);
			case AMNESIAC_ACKS -> amnesiacAcks(its);
			default -> throw new IllegalArgumentException("there is no scenario for " + rule);
		};
	}

	private static Key meetingAt(Scenario its, String node) {
		var ring = DrivenMember.ringOf(List.of("n0", "n1", "n2"), 3);
		return its.key(new RingPair(ring, ring), (replicas) -> replicas.getFirst().equals(node), (_) -> true);
	}

	/*
	 * A read repairs what one replica has missed, between the halves of a round that has
	 * not seen it.
	 */
	private static Scenario besidePromise(Scenario its, PlantedBug rule) {
		Key key = meetingAt(its, "n0");
		its.obstacles().loseWrites(2, 0, 1);
		its.put(2, key, Mode.MAJORITY);
		its.obstacles().lostWrites.clear();
		its.obstacles().lose(0, 2);
		its.obstacles().holdWrites(0, 0, 1, 2);
		its.create(0, key, LONG);
		its.pass(TURN);
		switch (rule) {
			case PROMISE_NOT_DURABLE -> {
				its.restart(1);
				its.pass(TURN.multipliedBy(3));
			}
			case RELEASE_TO_NONE -> {
				its.obstacles().lose(1, 0, 2);
				its.readLinearizable(1, key, SHORT);
				its.pass(Duration.ofMillis(60));
				its.create(1, key, SHORT);
				its.pass(TURN);
			}
			default -> {
			}
		}
		its.obstacles().lost.clear();
		its.obstacles().lose(1, 0);
		its.read(1, key, Mode.MAJORITY);
		its.obstacles().lost.clear();
		its.obstacles().heldWrites.clear();
		its.pass(TURN);
		its.obstacles().lose(1, 2);
		its.pass(LONG);
		its.read(1, key, Mode.MAJORITY);
		return its;
	}

	/*
	 * The replica that alone holds what a round has left is away when it is looked for.
	 */
	private static Scenario blindLook(Scenario its) {
		Key key = meetingAt(its, "n0");
		its.obstacles().lose(0, 2);
		its.obstacles().loseWrites(0, 0);
		its.create(0, key);
		its.obstacles().lostWrites.clear();
		its.obstacles().lost.clear();
		its.obstacles().lose(0, 1);
		its.readLinearizable(0, key, TURN);
		its.pass(TURN);
		its.obstacles().lost.clear();
		its.obstacles().lose(1, 0);
		its.read(1, key, Mode.MAJORITY);
		return its;
	}

	/* The replica that alone holds an entry of a round loses it, and its promise. */
	private static Scenario unchosenHints(Scenario its) {
		Key key = meetingAt(its, "n2");
		its.cluster().weather().hints = Duration.ofMillis(100);
		its.obstacles().areHintsHeld = true;
		its.obstacles().loseWrites(0, 1, 2);
		its.put(0, key, Mode.MAJORITY);
		its.obstacles().lostWrites.clear();
		its.obstacles().lose(2, 0);
		its.obstacles().loseWrites(2, 2);
		its.create(2, key);
		its.obstacles().lostWrites.clear();
		its.obstacles().lost.clear();
		its.loseDisk(1);
		its.until(() -> !its.cluster().isRebuilding());
		its.obstacles().lose(0, 2);
		its.read(0, key, Mode.MAJORITY);
		its.obstacles().lost.clear();
		its.obstacles().areHintsHeld = false;
		its.pass(Duration.ofSeconds(4));
		its.read(0, key, Mode.MAJORITY);
		return its;
	}

	/* A replica loses a promise, and takes an entry that it would have refused. */
	private static Scenario amnesiacAcks(Scenario its) {
		Key key = meetingAt(its, "n0");
		its.obstacles().lose(0, 2);
		its.obstacles().holdPromises(0, 1);
		its.create(0, key, LONG);
		its.pass(TURN);
		its.obstacles().holdWrites(2, 1, 2);
		its.readLinearizable(2, key, LONG);
		its.pass(TURN);
		its.loseDisk(1);
		its.obstacles().keepApart(1, 0, 2);
		its.pass(TURN.multipliedBy(2));
		its.obstacles().heldPromises.clear();
		its.pass(Duration.ofMillis(400));
		its.obstacles().heldWrites.clear();
		its.obstacles().bringTogether(1, 0, 2);
		its.until(() -> !its.cluster().isRebuilding());
		its.obstacles().lost.clear();
		its.pass(LONG);
		its.obstacles().lose(1, 0);
		its.read(1, key, Mode.MAJORITY);
		return its;
	}

}
