package io.quorate.membership.agreement;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.quorate.consensus.Answer;
import io.quorate.consensus.ConsensusCodec;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Electorate;
import io.quorate.consensus.LossyNetwork;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Request;
import io.quorate.consensus.Voter;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutFacts;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.ShareChange;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The layout parts of the nodes of one cluster, over a network that loses, doubles and
 * reorders, with crashes in the midst of writes, lost and salvaged directories, upgrades,
 * and ways back to the program before, all by one seed. A run fails when two contents of
 * one version are decided or adopted anywhere, when one is decided that may not follow,
 * or when at the end the layout is not activated on all nodes although enough voters are
 * there.
 */
final class LayoutSimulation {

	private static final int STEPS = 400;

	private static final int MOST_ROUNDS = 600;

	/* By ten times the number of members, and the replication factor less one. */
	private static final Map<Integer, Ring> RINGS = new ConcurrentHashMap<>();

	private final PlantedLayoutBug bug;

	private final Random random;

	private final List<Node> nodes = new ArrayList<>();

	private final LossyNetwork network;

	private final Map<Long, Decree> decided = new HashMap<>();

	private final Map<Request.Accept, Set<String>> votes = new HashMap<>();

	private final Ring ring;

	private final int mostLost;

	private long nowNanos;

	private long lives = 1;

	private int lostDisks;

	private int goneBack;

	private boolean isHealed;

	LayoutSimulation(long seed, PlantedLayoutBug bug) {
		this.bug = bug;
		this.random = new Random(seed);
		int size = 1 + this.random.nextInt(5);
		this.mostLost = this.random.nextBoolean() ? 3 : 15;
		this.network = new LossyNetwork(this.random);
		this.ring = RINGS.computeIfAbsent(size * 10 + this.random.nextInt(size), (number) -> Ring
			.of(IntStream.range(0, size).mapToObj((i) -> Member.of("n" + i)).toList(), 1 + number % 10));
		for (int i = 0; i < size; i++) {
			this.nodes.add(new Node(i));
		}
		boolean areNew = this.random.nextBoolean();
		this.nodes.forEach((node) -> {
			node.disk.isNew = areNew;
			node.disk.level = FormatLevel.UNDECIDED;
			node.start();
		});
	}

	/** Runs to the end. Fails with an {@link AssertionError}. */
	void run() {
		for (int step = 0; step < STEPS; step++) {
			step();
			look();
		}
		heal();
	}

	/** The latest version that is known in the end. */
	long versions() {
		return this.nodes.stream().mapToLong(Node::adopted).max().orElse(0);
	}

	/** Number of directories that were lost or salvaged. */
	int lostDisks() {
		return this.lostDisks;
	}

	/** Number of starts of the program before. */
	int goneBack() {
		return this.goneBack;
	}

	private void step() {
		int kind = this.random.nextInt(100);
		Node node = this.nodes.get(this.random.nextInt(this.nodes.size()));
		if (kind < 55) {
			this.network.deliver();
		}
		else if (kind < 75) {
			this.nowNanos += this.random.nextLong(Duration.ofMillis(700).toNanos());
			node.second();
		}
		else if (kind < 79) {
			node.crash();
		}
		else if (kind < 82) {
			loseDisk(node);
		}
		else if (kind < 86) {
			node.raiseLevel();
		}
		else if (kind < 88) {
			goBack(node);
		}
		else {
			node.start();
		}
	}

	/* The first node keeps its directory: else it would be another cluster. */
	private void loseDisk(Node node) {
		if (node.disk.isNew && this.random.nextBoolean()) {
			node.crash();
			node.disk.loseFile();
		}
		else if (node.number > 0 && this.lostDisks < this.mostLost) {
			this.lostDisks++;
			node.crash();
			UUID other = new UUID(++this.lives, node.number);
			if (this.random.nextBoolean()) {
				node.disk.renew(other);
			}
			else {
				node.newDisk(other);
			}
		}
	}

	/* It starts again without a level. */
	private void goBack(Node node) {
		if (node.disk.level < FormatLevel.FIRST) {
			this.goneBack++;
			node.crash();
		}
	}

	/* Of all nodes, after each step. */
	private void look() {
		for (Node node : this.nodes) {
			if (node.disk.hasFailed) {
				node.crash();
			}
			if (node.participant != null) {
				node.participant.decisions().kept().forEach(this::know);
			}
		}
	}

	private void know(Decision decision) {
		Decree before = this.decided.putIfAbsent(decision.version(), decision.decree());
		assertThat(decision.decree()).as("version %d", decision.version())
			.isEqualTo((before != null) ? before : decision.decree());
		Decree base = this.decided.get(decision.version() - 1);
		if (before == null && base != null) {
			assertThat(LayoutMachine.mayFollow(LayoutCodec.read(base), decision.version() - 1,
					LayoutCodec.read(decision.decree())))
				.as("whether version %d may follow", decision.version())
				.isTrue();
		}
	}

	/*
	 * A layout is decided when enough voters have voted for it, known to a node or not.
	 */
	private void count(Request.Accept accept, Voter voter) {
		Electorate electorate = electorate(accept.base().decree());
		Set<String> all = this.votes.computeIfAbsent(accept, (_) -> new HashSet<>());
		if (electorate.names(voter) && all.add(voter.id()) && all.size() >= electorate.needed()) {
			know(new Decision(accept.base().next(), accept.decree()));
		}
	}

	/** The voters as the program reads them, or as the planted bug does. */
	private Electorate electorate(Decree decree) {
		Electorate named = LayoutCodec.read(decree).electorate();
		return (this.bug == PlantedLayoutBug.ACTIVATION_BY_A_MAJORITY) ? Electorate.majorityOf(named.voters()) : named;
	}

	/* All is well from here on: then the layout is activated, if it can be. */
	private void heal() {
		this.isHealed = true;
		this.network.heal();
		this.nodes.forEach((node) -> node.disk.crash(0));
		for (int round = 0; round < MOST_ROUNDS && !areAgreed(); round++) {
			this.nowNanos += Duration.ofMillis(500).toNanos();
			for (Node node : this.nodes) {
				node.start();
				node.raiseLevel();
				node.second();
				this.network.drain();
			}
			look();
		}
		if (isMajorityThere()) {
			assertThat(this.nodes).as("nodes that agree in the end").allMatch(Node::isActive);
			assertThat(areAgreed()).as("whether the last layout names all directories: %s", this.nodes).isTrue();
		}
	}

	private boolean areAgreed() {
		return this.nodes.stream().map(Node::adopted).distinct().count() == 1
				&& this.nodes.stream().allMatch((node) -> node.isActive() && node.isNamed());
	}

	/* Of those that the last layout names, with the directories that they have. */
	private boolean isMajorityThere() {
		LayoutRecord last = LayoutCodec.read(Objects.requireNonNull(this.decided.get(versions())));
		long there = this.nodes.stream()
			.filter((node) -> last.electorate().names(new Voter(node.id(), node.disk.storageId)))
			.count();
		return there >= last.electorate().needed();
	}

	private final class Node {

		private final int number;

		private SimulatedLayoutDisk disk;

		private final Map<String, UUID> storageIds = new HashMap<>();

		private final Map<String, LayoutVersion> reports = new HashMap<>();

		private final Set<String> ready = new HashSet<>();

		/* Version of the layout that the store knows. */
		private long assigned;

		private @Nullable LayoutAgreement agreement;

		private @Nullable Participant participant;

		private Node(int number) {
			this.number = number;
			this.disk = disk(new UUID(1, number));
		}

		private SimulatedLayoutDisk disk(UUID storageId) {
			SimulatedLayoutDisk made = new SimulatedLayoutDisk(storageId, LayoutAgreement.first(layouts()),
					LayoutSimulation.this.random, LayoutSimulation.this.bug);
			made.crash(LayoutSimulation.this.random.nextInt(6));
			return made;
		}

		private Layouts layouts() {
			return new Layouts(id(), new Layout(Layout.FIRST, List.of(), LayoutSimulation.this.ring));
		}

		private String id() {
			return "n" + this.number;
		}

		private void newDisk(UUID storageId) {
			this.disk = disk(storageId);
			this.disk.level = FormatLevel.UNDECIDED;
		}

		private void start() {
			if (this.agreement != null) {
				return;
			}
			this.disk.start();
			this.participant = new Participant(new Voter(id(), this.disk.storageId), LayoutSimulation.this::electorate,
					this.disk);
			this.agreement = new LayoutAgreement(layouts(), this.participant, this::facts, this::assign,
					() -> LayoutSimulation.this.nowNanos);
		}

		private void assign(ShareChange change) {
			this.assigned = Math.max(this.assigned, change.version());
		}

		private void crash() {
			this.agreement = null;
			this.participant = null;
			this.storageIds.clear();
			this.reports.clear();
			this.ready.clear();
			this.disk.crash();
		}

		/* All are heard, or one that has a level. */
		private void raiseLevel() {
			boolean isUpgraded = LayoutSimulation.this.nodes.stream().allMatch((node) -> node.agreement != null);
			boolean isFollowed = LayoutSimulation.this.nodes.stream()
				.anyMatch((node) -> node.disk.level >= FormatLevel.FIRST);
			if (this.agreement != null && (isUpgraded || isFollowed)) {
				this.disk.level = FormatLevel.FIRST;
			}
		}

		/** A second: some peers are heard, and what comes next is proposed. */
		private void second() {
			LayoutAgreement own = this.agreement;
			if (own == null) {
				return;
			}
			int met = 1;
			for (Node peer : LayoutSimulation.this.nodes) {
				if (peer != this && (LayoutSimulation.this.isHealed || LayoutSimulation.this.random.nextInt(4) > 0)) {
					met += hear(peer) ? 1 : 0;
				}
			}
			if (2 * met > LayoutSimulation.this.nodes.size()
					&& (LayoutSimulation.this.isHealed || LayoutSimulation.this.random.nextInt(4) == 0)) {
				this.disk.isNew = false;
			}
			own.tick(this::ask);
		}

		private boolean hear(Node peer) {
			LayoutAgreement theirs = peer.agreement;
			this.ready.remove(peer.id());
			if (theirs == null) {
				return false;
			}
			this.storageIds.put(peer.id(), peer.disk.storageId);
			if (peer.hasLevel()) {
				this.ready.add(peer.id());
				this.reports.put(peer.id(), theirs.adopted());
			}
			return true;
		}

		private boolean hasLevel() {
			return this.disk.level >= FormatLevel.FIRST
					|| LayoutSimulation.this.bug == PlantedLayoutBug.VOTE_BELOW_THE_LEVEL;
		}

		private LayoutFacts facts() {
			Map<String, LayoutMember> present = new HashMap<>();
			this.ready.forEach((peer) -> present.put(peer, member(peer, this.storageIds.get(peer))));
			if (hasLevel()
					&& (!this.disk.isNew || LayoutSimulation.this.bug == PlantedLayoutBug.VOTE_WITH_A_NEW_DIRECTORY)) {
				present.put(id(), member(id(), this.disk.storageId));
			}
			return LayoutFixture.met(this.reports, Map.of(), present, Map.of());
		}

		/* Each node has addresses of its own for the others. */
		private LayoutMember member(String id, @Nullable UUID storageId) {
			return new LayoutMember(Member.of(id), id + "-as-seen-by-" + id(), 7100, Objects.requireNonNull(storageId));
		}

		private void ask(String member, Request request, Duration limit, Consumer<LayoutPeers.Outcome> outcome) {
			Node asked = LayoutSimulation.this.nodes.get(Integer.parseInt(member.substring(1)));
			LayoutAgreement asking = this.agreement;
			byte[] bytes = ConsensusCodec.write(request);
			LayoutSimulation.this.network.send(() -> asked.answer(bytes, (answer) -> {
				if (this.agreement == asking) {
					outcome
						.accept(new LayoutPeers.Outcome.Answered(ConsensusCodec.readAnswer(ByteBuffer.wrap(answer))));
				}
			}));
		}

		private void answer(byte[] bytes, Consumer<byte[]> outcome) {
			LayoutAgreement own = this.agreement;
			if (own == null) {
				return;
			}
			try {
				Request request = ConsensusCodec.readRequest(ByteBuffer.wrap(bytes));
				Optional<Answer> answer = own.answer(request);
				if (request instanceof Request.Accept accept
						&& answer.orElse(null) instanceof Answer.Accepted accepted) {
					count(accept, accepted.voter());
				}
				answer.map(ConsensusCodec::write)
					.ifPresent((said) -> LayoutSimulation.this.network.send(() -> outcome.accept(said)));
			}
			catch (IOException failed) {
				crash();
			}
		}

		private long adopted() {
			return (this.agreement != null) ? this.agreement.adopted().version() : 0;
		}

		private boolean isActive() {
			return adopted() > Layout.FIRST;
		}

		private boolean isNamed() {
			LayoutMember named = LayoutCodec
				.read(Objects.requireNonNull(this.participant).decisions().latest().decree())
				.member(id());
			return named != null && named.storageId().equals(this.disk.storageId);
		}

		@Override
		public String toString() {
			return "%s at version %d".formatted(id(), adopted());
		}

	}

}
