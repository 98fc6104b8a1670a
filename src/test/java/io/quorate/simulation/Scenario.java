package io.quorate.simulation;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.membership.agreement.DrivenMember;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.ring.Member;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;

/**
 * A run of whole nodes in which nothing happens by chance: one change of the layout, some
 * requests, and {@link Obstacles} that order what happens, as the counterexample of a
 * model has it. With the fault planted the {@link Judge} finds a violation, and without
 * it none.
 */
final class Scenario {

	private static final Duration STEP = Duration.ofMillis(100);

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static final Duration REQUEST = Duration.ofMillis(1400);

	private final SimulatedCluster cluster;

	private final Clients clients;

	/** The copies of each key, and the time from which a deletion may be purged. */
	record Setting(int members, int factor, boolean isPurging) {
	}

	Scenario(PlantedBug bug, Setting setting, Path directory) {
		this.cluster = new SimulatedCluster(bug, Weather.calm(setting.isPurging()),
				new DrivenMember.Configured(ids(setting.members()), setting.factor()), 4,
				directory.resolve(bug + "-scenario"));
		this.clients = new Clients(this.cluster);
		this.cluster.start();
		this.cluster.tick();
		until(() -> IntStream.range(0, setting.members()).allMatch((i) -> version(i) == 2));
	}

	private static List<String> ids(int members) {
		return IntStream.range(0, members).mapToObj((i) -> "n" + i).toList();
	}

	/** A key of which the last replica before and after a change is as it is wanted. */
	Key key(RingPair rings, Predicate<List<String>> before, Predicate<List<String>> after) {
		return IntStream.range(0, 10_000).mapToObj((i) -> Key.of("key-" + i)).filter((key) -> {
			int partition = rings.partitionOf(key);
			return before.test(rings.replicasBefore(partition).stream().map(Member::id).toList())
					&& after.test(rings.replicasAfter(partition).stream().map(Member::id).toList());
		}).findFirst().orElseThrow();
	}

	Obstacles obstacles() {
		return this.cluster.obstacles();
	}

	SimulatedCluster cluster() {
		return this.cluster;
	}

	private @Nullable SimulatedProcess process(int node) {
		return this.cluster.node("n" + node).process();
	}

	private SimulatedProcess running(int node) {
		SimulatedProcess its = process(node);
		if (its == null) {
			throw new IllegalStateException("n%d does not run".formatted(node));
		}
		return its;
	}

	/** The version of the layout that a node has adopted. */
	long version(int node) {
		SimulatedProcess its = process(node);
		return (its != null) ? its.layouts().current().version() : 0;
	}

	/** Whether a node has reported that it has copied all by a version. */
	boolean hasCopied(int node, long version) {
		return running(node).agreement().report().copied() >= version;
	}

	/** Whether a node holds an entry of a key. */
	boolean holds(int node, Key key) {
		return running(node).store().content().containsKey(key);
	}

	/** Whether a node holds a deletion of a key, or has nothing of it. */
	boolean isDeletedAt(int node, Key key) {
		Entry held = running(node).store().content().get(key);
		return held == null || held.isTombstone();
	}

	/** Has things happen until a condition holds, but not for ever. */
	boolean until(BooleanSupplier condition) {
		long end = this.cluster.time().nanos() + PATIENCE.toNanos();
		while (!condition.getAsBoolean() && this.cluster.time().nanos() < end) {
			this.cluster.time().run(STEP);
		}
		return condition.getAsBoolean();
	}

	void pass(Duration time) {
		this.cluster.time().run(time);
	}

	/** Asks a node for a change. */
	void change(int by, ChangeRequest change) {
		var _ = running(by).drivenLayouts().propose(change, version(by), "an operator");
	}

	/** The request that a node takes the place of another one. */
	ChangeRequest replace(int leaver, int joiner) {
		SimulatedNode its = this.cluster.node("n" + joiner);
		return new ChangeRequest.Replace("n" + leaver, this.cluster.endpoint(its), its.directory().identity.storageId(),
				false);
	}

	/** The request that a node joins. */
	ChangeRequest add(int joiner) {
		SimulatedNode its = this.cluster.node("n" + joiner);
		return new ChangeRequest.Add(this.cluster.endpoint(its), its.directory().identity.storageId());
	}

	/** Begins to write a key through a node. */
	void put(int by, Key key, Clients.Mode mode, Duration timeout) {
		this.clients.write(key, mode, running(by), timeout, this.clients.nextValue());
	}

	/** Writes a key through a node. */
	void put(int by, Key key, Clients.Mode mode) {
		put(by, key, mode, REQUEST);
		pass(REQUEST.plus(STEP));
	}

	void delete(int by, Key key) {
		this.clients.write(key, Clients.Mode.MAJORITY, running(by), REQUEST, null);
		pass(REQUEST.plus(STEP));
	}

	void read(int by, Key key, Clients.Mode mode) {
		this.clients.read(key, mode, running(by), REQUEST);
		pass(REQUEST.plus(STEP));
	}

	/** Begins to create a key through a node. */
	void create(int by, Key key, Duration timeout) {
		this.clients.create(key, running(by), timeout);
	}

	/** Creates a key through a node. */
	void create(int by, Key key) {
		create(by, key, REQUEST);
		pass(REQUEST.plus(STEP));
	}

	/** Begins a linearizable read of a key through a node. */
	void readLinearizable(int by, Key key, Duration timeout) {
		this.clients.readLinearizable(key, running(by), timeout);
	}

	/** Kills a node and starts it again. */
	void restart(int node) {
		this.cluster.node("n" + node).kill();
		this.cluster.node("n" + node).start();
	}

	/** Has a node lose its disk, and starts it again. */
	void loseDisk(int node) {
		this.cluster.loseDisk(this.cluster.node("n" + node));
		this.cluster.node("n" + node).start();
	}

	/** Number of requests that succeeded. */
	int answered() {
		return this.clients.answered();
	}

	/** Sentences that say what is wrong. */
	List<String> verdict() {
		return this.cluster.judge().verdict();
	}

}
