package io.quorate.repair.rebuild;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.repair.record.Lineage;
import io.quorate.repair.record.PeerRecords;
import io.quorate.repair.record.RebuildRecord;
import io.quorate.repair.record.RestoredRecords;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cluster of nodes that report their data status to each other: by connections that
 * begin with a handshake, carry keep-alives in order, and are cut. The steps depend on
 * the seed alone.
 */
final class IncarnationSimulation {

	static final int STEPS = 100;

	private static final int MOST_STEPS = 10_000;

	private record Message(boolean isHandshake, boolean isAnswered, UUID storageId, DataStatus dataStatus,
			LastKnownStatus lastKnownStatus) {
	}

	static final class Node {

		private final Path home;

		private final int number;

		private final UUID storageId;

		/* Empty, or restored. */
		private final boolean isNew;

		private final PurgeFixture fixture;

		final Membership membership;

		final RebuildState rebuild;

		final PeerStatusTracker tracker;

		private Node(Path home, Ring ring, int number, UUID storageId, boolean isNew, LongSupplier histories)
				throws IOException {
			this.home = home;
			this.isNew = isNew;
			this.number = number;
			this.storageId = storageId;
			Files.createDirectories(home);
			Layouts layouts = new Layouts("n" + number, new Layout(Layout.FIRST, List.of(), ring));
			this.fixture = new PurgeFixture(home, ring, layouts.self());
			this.membership = new Membership(layouts);
			this.rebuild = new RebuildState(RebuildRecord.open(home), false, this.membership,
					this.fixture.purgePermission);
			Set<String> peers = ring.members().stream().map(Member::id).collect(Collectors.toCollection(TreeSet::new));
			peers.remove(layouts.self());
			Lineage lineage = Lineage.open(Files.createDirectories(home.resolve("lineage")), storageId, peers,
					Lineage.Sources.of(() -> 100));
			this.tracker = new PeerStatusTracker(lineage, this.fixture.purgePermission, this.rebuild,
					new Incarnations(layouts, this.membership, this.fixture.records, this.rebuild, histories),
					this.fixture.deadline);
		}

		private boolean serves() {
			return !this.rebuild.isRebuilding() && (!this.isNew || this.membership.hasMetMajority());
		}

		long incarnation() {
			return this.fixture.records.incarnation();
		}

		private Message message(int to, boolean isHandshake, boolean isAnswered) {
			String peer = "n" + to;
			return new Message(isHandshake, isAnswered, this.storageId, this.tracker.dataStatus(peer),
					this.tracker.recollectionOf(peer));
		}

		private void receive(int from, Message message) {
			String peer = "n" + from;
			if (message.isHandshake()) {
				this.tracker.met(peer, message.storageId(), message.dataStatus(), message.lastKnownStatus());
				if (!message.isAnswered()) {
					this.membership.stateChanged(peer, MemberState.UP);
				}
			}
			else {
				this.tracker.heard(peer, message.storageId(), message.dataStatus());
				if (this.tracker.isInSameIncarnation(peer)) {
					this.membership.met(peer);
				}
			}
		}

		@Override
		public String toString() {
			return "n%d in %d, %s".formatted(this.number, incarnation(), this.rebuild.state());
		}

		private void save() throws IOException {
			this.fixture.records.save(this.rebuild::persist);
		}

	}

	record Link(int from, int to) {
	}

	/** Starts a node. */
	interface Start {

		void of(int number) throws IOException;

	}

	private final Path directory;

	final Random random;

	private final Ring ring;

	private final List<@Nullable Node> nodes = new ArrayList<>();

	/* In one direction of a connection. */
	private final Map<Link, Deque<Message>> sent = new HashMap<>();

	/* Connections, each made by the first node. */
	private final Set<Link> greeted = new HashSet<>();

	final Set<Integer> rebuilt = new TreeSet<>();

	final Set<Link> apart = new HashSet<>();

	private final long seed;

	private int directories;

	private int histories;

	/* A member may count for a moment where it was before an operator's command. */
	private boolean isCommanded;

	IncarnationSimulation(Path directory, long seed, int size) {
		this.directory = directory;
		this.seed = seed;
		this.random = new Random(seed);
		this.ring = Ring.of(IntStream.range(0, size).mapToObj((i) -> Member.of("n" + i)).toList(), size);
		IntStream.range(0, size).forEach((_) -> this.nodes.add(null));
	}

	private int size() {
		return this.nodes.size();
	}

	/* As by a clock and a random number. */
	private long newHistory() {
		return ((long) ++this.histories << 20) + this.random.nextInt(1 << 20);
	}

	private Path newHome() throws IOException {
		return Files.createDirectories(this.directory
			.resolve("%d-%d-%d-%d".formatted(this.seed, size(), System.identityHashCode(this), this.directories++)));
	}

	Node start(int number, Path home, UUID storageId, boolean isNew) throws IOException {
		for (int peer = 0; peer < size(); peer++) {
			cut(number, peer);
		}
		Node node = new Node(home, this.ring, number, storageId, isNew, this::newHistory);
		this.nodes.set(number, node);
		return node;
	}

	Node startEmpty(int number) throws IOException {
		return start(number, newHome(), new UUID(this.random.nextLong(), 1), true);
	}

	Node startRestored(int number) throws IOException {
		return startRestored(number, backup(number));
	}

	Node startRestored(int number, Path backup) throws IOException {
		RestoredRecords.ofWholeCluster(backup);
		return start(number, backup, new UUID(this.random.nextLong(), 2), true);
	}

	/* The records of a node, in a directory of their own. */
	Path backup(int number) throws IOException {
		Path home = newHome();
		Node before = this.nodes.get(number);
		if (before != null) {
			before.save();
			Files.copy(before.home.resolve(PeerRecords.FILE_NAME), home.resolve(PeerRecords.FILE_NAME));
		}
		else {
			PeerRecords records = PeerRecords.open(home);
			records.learns(0, PurgeFixture.HISTORY);
			records.save();
		}
		return home;
	}

	/** A node is killed: the last second of its records may be lost. */
	void restart(int number) throws IOException {
		Node before = node(number);
		if (this.random.nextBoolean()) {
			before.save();
		}
		start(number, before.home, before.storageId, before.isNew && !before.membership.hasMetMajority());
	}

	Node node(int number) {
		Node node = this.nodes.get(number);
		assertThat(node).isNotNull();
		return node;
	}

	private void cut(int one, int other) {
		this.sent.remove(new Link(one, other));
		this.sent.remove(new Link(other, one));
		this.greeted.remove(new Link(one, other));
		this.greeted.remove(new Link(other, one));
		disconnect(one, other);
		disconnect(other, one);
	}

	private void disconnect(int one, int other) {
		Node node = this.nodes.get(one);
		if (node != null && one != other) {
			node.membership.stateChanged("n" + other, MemberState.DISCONNECTED);
		}
	}

	void separate(int number) {
		for (int peer = 0; peer < size(); peer++) {
			cut(number, peer);
			this.apart.add(new Link(number, peer));
			this.apart.add(new Link(peer, number));
		}
	}

	private void step() throws IOException {
		int from = this.random.nextInt(size());
		int to = this.random.nextInt(size());
		Node sender = this.nodes.get(from);
		if (sender == null || from == to || this.nodes.get(to) == null || this.apart.contains(new Link(from, to))) {
			return;
		}
		switch (this.random.nextInt(40)) {
			case 0 -> cut(from, to);
			case 1, 2 -> sender.save();
			case 3, 4 -> finishRebuild(sender);
			default -> {
				if (this.random.nextBoolean()) {
					send(sender, to);
				}
				else {
					deliver(from, to);
				}
			}
		}
		if (!this.isCommanded) {
			requireOneMajority();
		}
	}

	private void send(Node sender, int to) {
		Link link = new Link(sender.number, to);
		Deque<Message> queue = this.sent.computeIfAbsent(link, (_) -> new ArrayDeque<>());
		if (this.greeted.add(link)) {
			queue.add(sender.message(to, true, true));
		}
		else if (queue.size() < 4 && sender.membership.stateOf("n" + to) == MemberState.UP) {
			queue.add(sender.message(to, false, true));
		}
	}

	private void deliver(int from, int to) {
		Deque<Message> queue = this.sent.get(new Link(from, to));
		Message message = (queue != null) ? queue.poll() : null;
		if (message != null) {
			node(to).receive(from, message);
			if (message.isAnswered()) {
				this.sent.computeIfAbsent(new Link(to, from), (_) -> new ArrayDeque<>())
					.add(node(to).message(from, message.isHandshake(), false));
			}
		}
	}

	/*
	 * It copies from all others, which are connected and serve.
	 */
	private void finishRebuild(Node node) throws IOException {
		if (!node.rebuild.isRebuilding()) {
			return;
		}
		boolean complete = IntStream.range(0, size()).filter((i) -> i != node.number).allMatch((i) -> {
			Node peer = this.nodes.get(i);
			return peer != null && peer.serves() && node.membership.stateOf("n" + i) != MemberState.DISCONNECTED;
		});
		if (complete || node.rebuild.isAbandoned()) {
			if (complete && !node.rebuild.isAbandoned()) {
				this.rebuilt.add(node.number);
			}
			node.rebuild.setAside();
			node.rebuild.finish(node.rebuild.coveredLosses(), 0, complete);
		}
	}

	void command(int number, long incarnation) {
		this.isCommanded = true;
		while (node(number).incarnation() < incarnation) {
			assertThat(node(number).tracker.beginNext()).isNull();
		}
	}

	private void requireOneMajority() {
		Map<Long, Set<Long>> established = started().stream()
			.filter((node) -> node.tracker.dataStatus("x").incarnation().established())
			.collect(Collectors.groupingBy((node) -> node.fixture.records.history(),
					Collectors.mapping(Node::incarnation, Collectors.toSet())));
		assertThat(established.values()).as("incarnations with a majority, seed %d", this.seed)
			.allMatch((of) -> of.size() == 1);
	}

	void run(int steps) throws IOException {
		for (int i = 0; i < steps * size(); i++) {
			step();
		}
	}

	/* Until all are whole in one incarnation, and then for a while longer. */
	void settle() throws IOException {
		runUntil(this::isSettled);
		run(STEPS);
		assertThat(isSettled()).as("seed %d: %s", this.seed, this.nodes).isTrue();
		this.isCommanded = false;
	}

	void runUntil(BooleanSupplier end) throws IOException {
		for (int steps = 0; steps < MOST_STEPS && !end.getAsBoolean(); steps += STEPS) {
			run(STEPS);
		}
	}

	private boolean isSettled() {
		List<Node> started = started();
		return started.stream().noneMatch((node) -> node.rebuild.isRebuilding())
				&& started.stream().map(Node::incarnation).distinct().count() == 1
				&& started.stream().map((node) -> node.fixture.records.history()).distinct().count() == 1;
	}

	void startAll(Start start) throws IOException {
		List<Integer> order = new ArrayList<>(IntStream.range(0, size()).boxed().toList());
		Collections.shuffle(order, this.random);
		for (int number : order) {
			start.of(number);
			run(this.random.nextInt(10));
		}
	}

	private List<Node> started() {
		List<Node> started = new ArrayList<>();
		for (Node node : this.nodes) {
			if (node != null) {
				started.add(node);
			}
		}
		return started;
	}

	void requireAllIn(long incarnation) {
		assertThat(started().stream().map(Node::incarnation)).as("seed %d", this.seed).containsOnly(incarnation);
	}

	void requireRebuilt(Integer... numbers) {
		assertThat(this.rebuilt).as("seed %d", this.seed).containsExactlyInAnyOrder(numbers);
	}

	IncarnationSimulation living() throws IOException {
		startAll(this::startEmpty);
		settle();
		for (Node node : started()) {
			node.save();
		}
		requireAllIn(0);
		requireRebuilt();
		return this;
	}

}
