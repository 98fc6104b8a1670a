package io.quorate.repair.purge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

import io.quorate.internode.DataStatus;
import io.quorate.membership.Membership;
import io.quorate.membership.Topology;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The incarnation in which a cluster goes on: nodes start in any order, and report their
 * data status by messages that arrive late and out of order.
 */
class IncarnationSimulationTests {

	private static final int SEEDS = Integer.getInteger("quorate.seeds", 50);

	private static final int MESSAGES = 400;

	@TempDir
	private Path directory;

	private record Message(int from, int to, DataStatus dataStatus) {
	}

	private static final class Node {

		private final String id;

		private final PeerStatusTracker memory;

		private final RebuildState rebuild;

		private Node(Path directory, Ring ring, String id, long incarnation) throws IOException {
			this.id = id;
			Files.createDirectories(directory);
			PurgeFixture fixture = new PurgeFixture(directory, ring, id);
			Topology topology = new Topology(id, List.of(), ring);
			fixture.book.begin(incarnation);
			this.rebuild = new RebuildState(RebuildRecord.open(directory), false, new Membership(topology),
					fixture.purging);
			this.memory = new PeerStatusTracker(UUID.randomUUID(), fixture.lineage, fixture.book, fixture.horizon,
					fixture.purging, this.rebuild, new Incarnations(topology, fixture.book, this.rebuild),
					fixture.deadline);
		}

		private long incarnation() {
			return this.memory.incarnations().current();
		}

	}

	private final class Simulation {

		private final Random random;

		private final Ring ring;

		private final List<@Nullable Node> nodes = new ArrayList<>();

		private final List<Message> sent = new ArrayList<>();

		private int started;

		private Simulation(long seed, int size) {
			this.random = new Random(seed);
			this.ring = Ring.of(IntStream.range(0, size).mapToObj((i) -> Member.of("n" + i)).toList(), size);
			IntStream.range(0, size).forEach((_) -> this.nodes.add(null));
		}

		private Node start(int number, long incarnation) throws IOException {
			Path home = IncarnationSimulationTests.this.directory
				.resolve("node-" + this.random.nextInt() + "-" + this.started++);
			this.sent.removeIf((message) -> message.to() == number || message.from() == number);
			Node node = new Node(home, this.ring, "n" + number, incarnation);
			this.nodes.set(number, node);
			return node;
		}

		private void step() {
			int from = this.random.nextInt(this.nodes.size());
			int to = this.random.nextInt(this.nodes.size());
			Node sender = this.nodes.get(from);
			if (sender != null && from != to) {
				this.sent.add(new Message(from, to, sender.memory.dataStatus("n" + to)));
			}
			if (this.sent.size() > 6) {
				Message message = this.sent.remove(this.random.nextInt(this.sent.size()));
				Node receiver = this.nodes.get(message.to());
				if (receiver != null) {
					receiver.memory.heard("n" + message.from(), new UUID(message.from(), 1), message.dataStatus());
				}
			}
			assertThat(this.nodes.stream()
				.filter((node) -> node != null && node.memory.dataStatus("x").established())
				.mapToLong((node) -> (node != null) ? node.incarnation() : -1)
				.distinct()
				.count()).as("incarnations with a majority").isLessThanOrEqualTo(1);
		}

		private void run(int messages) {
			for (int i = 0; i < messages; i++) {
				step();
			}
		}

		/* In a random order, some messages apart. */
		private void startAll(IntToLongFunction incarnation) throws IOException {
			List<Integer> order = new ArrayList<>(IntStream.range(0, this.nodes.size()).boxed().toList());
			Collections.shuffle(order, this.random);
			for (int number : order) {
				start(number, incarnation.applyAsLong(number));
				run(this.random.nextInt(30));
			}
			run(MESSAGES);
		}

		private void requireAllIn(long incarnation) {
			assertThat(this.nodes).allSatisfy((node) -> {
				assertThat(node).isNotNull();
				assertThat(node.incarnation()).as(node.id).isEqualTo(incarnation);
			});
		}

		private List<String> rebuilding() {
			return this.nodes.stream()
				.filter((node) -> node != null && node.rebuild.isRebuilding())
				.map((node) -> (node != null) ? node.id : "")
				.toList();
		}

	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5 })
	void aClusterThatWasRestoredGoesOnAsOne(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, size);
			simulation.startAll((_) -> 3);
			simulation.requireAllIn(3);
			assertThat(simulation.rebuilding()).as("seed %d", seed).isEmpty();
		}
	}

	/* One node at a time, in a cluster that lives; other nodes start anew meanwhile. */
	@ParameterizedTest
	@ValueSource(ints = { 3, 4, 5, 7 })
	void aNodeThatWasRestoredAloneTakesNobodyWithIt(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, size);
			simulation.startAll((_) -> 1);
			int alone = simulation.random.nextInt(size);
			simulation.start(alone, 2);
			simulation.run(simulation.random.nextInt(20));
			simulation.start((alone + 1) % size, 1);
			simulation.run(MESSAGES);
			simulation.requireAllIn(1);
			assertThat(simulation.rebuilding()).as("seed %d", seed).containsExactly("n" + alone);
		}
	}

	/* An operator has left out a minority of the nodes. */
	@ParameterizedTest
	@ValueSource(ints = { 3, 5 })
	void aMinorityThatWasNotRestoredFollows(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, size);
			simulation.startAll((number) -> (number < size / 2) ? 1 : 2);
			simulation.requireAllIn(2);
			assertThat(simulation.rebuilding()).as("seed %d", seed).isEmpty();
		}
	}

	/* Each remembers more of the others than there is. */
	@ParameterizedTest
	@ValueSource(ints = { 2, 3, 5 })
	void aClusterWhoseNodesWaitForEachOtherFollowsTheOperator(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, size);
			simulation.startAll((_) -> 1);
			int whole = simulation.random.nextInt(size);
			for (Node node : simulation.nodes) {
				if (node != null && !node.id.equals("n" + whole)) {
					node.memory.beginRebuild("a test");
				}
			}
			simulation.run(MESSAGES);
			Node told = simulation.nodes.get(simulation.random.nextInt(size));
			assertThat(told).isNotNull();
			told.memory.begin(2);
			simulation.run(MESSAGES);
			simulation.requireAllIn(2);
		}
	}

}
