package io.quorate.consensus;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import io.quorate.consensus.Proposer.Outcome;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Some nodes that have contents decided, over a network that loses, doubles and reorders,
 * with crashes and lost disks, all by one seed. A content is a list of voters and a
 * number, so that the voters change all the time. A run fails when two contents of one
 * version are known anywhere, or one that was not wished for the version, or when at the
 * end nothing can be decided although a majority of the voters is there.
 */
final class ConsensusSimulation {

	private static final int STEPS = 800;

	/* The life that a first content names, if it names none. */
	private static final int ANY_LIFE = 127;

	private final PlantedBug bug;

	private final Random random;

	private final List<Node> nodes = new ArrayList<>();

	private final LossyNetwork network;

	private final Map<Long, Decree> known = new HashMap<>();

	private final Map<Decree, Long> wished = new HashMap<>();

	private final Map<Request.Accept, Set<Voter>> votes = new HashMap<>();

	private final int diskLosses;

	private final boolean hasLives;

	private int contents;

	private int lostDisks;

	ConsensusSimulation(long seed, PlantedBug bug) {
		this.bug = bug;
		this.random = new Random(seed);
		int size = 3 + this.random.nextInt(3);
		this.network = new LossyNetwork(this.random);
		this.diskLosses = this.random.nextInt(this.random.nextBoolean() ? 3 : 9);
		Set<Integer> first = Set.of(0, 1, 2);
		for (int i = 0; i < size; i++) {
			this.nodes.add(new Node(i));
		}
		this.hasLives = this.random.nextBoolean();
		Decision decided = new Decision(1, decree(first, this.hasLives));
		this.nodes.forEach((node) -> node.begin(decided));
		this.wished.put(decided.decree(), decided.version());
		know(decided);
	}

	/** Runs to the end. Fails with an {@link AssertionError}. */
	void run() {
		for (int step = 0; step < STEPS; step++) {
			step();
		}
		heal();
	}

	/** Number of versions that are known in the end. */
	int versions() {
		return this.known.size();
	}

	/** Number of disks that were lost. */
	int lostDisks() {
		return this.lostDisks;
	}

	private void step() {
		int kind = this.random.nextInt(100);
		Node node = this.nodes.get(this.random.nextInt(this.nodes.size()));
		if (kind < 82) {
			this.network.deliver();
		}
		else if (kind < 85) {
			node.propose();
		}
		else if (kind < 89) {
			node.sendAgain();
		}
		else if (kind < 94) {
			crash(node);
		}
		else if (kind < 97 && this.lostDisks < this.diskLosses) {
			loseDisk(node);
		}
		else {
			node.start();
		}
	}

	private void loseDisk(Node node) {
		Node lost = this.nodes.stream().filter((each) -> !each.attempts.isEmpty()).findAny().orElse(node);
		if (!this.hasLives && lost.number == 2) {
			/* Of nodes that decide together, one has to remember. */
			return;
		}
		this.lostDisks++;
		lost.loseDisk();
		proposeAtOnce(lost);
	}

	private void crash(Node node) {
		boolean wasProposing = !node.attempts.isEmpty();
		node.crash();
		if (wasProposing) {
			proposeAtOnce(node);
		}
	}

	/* Messages of its life before are still under way. */
	private void proposeAtOnce(Node node) {
		if (this.random.nextInt(4) > 0) {
			node.start();
			node.propose();
		}
	}

	private void know(Decision decision) {
		assertThat(this.wished).as("the version that a content was wished for")
			.containsEntry(decision.decree(), decision.version());
		Decree before = this.known.putIfAbsent(decision.version(), decision.decree());
		assertThat(decision.decree()).as("version %d", decision.version())
			.isEqualTo((before != null) ? before : decision.decree());
	}

	/* A content is decided when a majority has voted for it, known to a node or not. */
	private void count(Request.Accept accept, Voter voter) {
		Decree base = accept.base().decree();
		Electorate named = switch (this.bug) {
			case VOTERS_OF_THE_NEW_CONTENT -> electorate(accept.decree(), Lives.NAMED);
			case VOTER_BY_NAME -> electorate(base, (_, _) -> 0);
			default -> voters(base);
		};
		int number = (int) voter.storageId().getLeastSignificantBits();
		Voter counted = named.named((this.bug == PlantedBug.VOTER_BY_NAME) ? this.nodes.get(number).voter(0) : voter);
		Set<Voter> votes = this.votes.computeIfAbsent(accept, (_) -> new HashSet<>());
		if (counted != null && votes.add(counted) && named.isEnough(votes)) {
			know(new Decision(accept.base().next(), accept.decree()));
		}
	}

	/* All is well from here on: then the next content is decided, if it can be. */
	private void heal() {
		this.network.heal();
		this.nodes.forEach((node) -> {
			node.ledger.file.crashPercent = 0;
			node.start();
		});
		this.network.drain();
		for (Node node : this.nodes) {
			Decision before = latestHeld();
			if (!isMajorityThere(before)) {
				return;
			}
			/*
			 * It may have to learn what was decided, and by which ballot it is
			 * interrupted.
			 */
			for (int attempt = 0; attempt < 4 && latestHeld().equals(before); attempt++) {
				node.propose();
				this.network.drain();
			}
			assertThat(latestHeld().version()).as("the version after %s", before).isGreaterThan(before.version());
		}
	}

	private boolean isMajorityThere(Decision base) {
		Electorate named = electorate(base.decree(), Lives.NAMED);
		return named.isEnough(this.nodes.stream().map(Node::voter).filter(named::names).toList());
	}

	/* The latest decision on a disk that was not lost. */
	private Decision latestHeld() {
		return this.nodes.stream()
			.map((node) -> node.ledger.recovered().decisions().latest())
			.max(Comparator.comparingLong(Decision::version))
			.orElseThrow();
	}

	/* number of the content 4 | node 1, life 1 | ... */
	private Decree decree(Set<Integer> voters, boolean hasLives) {
		ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + 2 * voters.size()).putInt(this.contents++);
		voters.stream().sorted().forEach((voter) -> {
			bytes.put((byte) (int) voter);
			bytes.put((byte) (hasLives ? this.nodes.get(voter).life : ANY_LIFE));
		});
		return Decree.copyOf(bytes.array());
	}

	private interface Lives {

		/** The lives that a content names. */
		Lives NAMED = (_, named) -> named;

		int of(Node node, int named);

	}

	private Electorate electorate(Decree decree, Lives lives) {
		ByteBuffer bytes = decree.buffer().position(Integer.BYTES);
		Set<Voter> voters = new HashSet<>();
		while (bytes.hasRemaining()) {
			Node node = this.nodes.get(bytes.get());
			voters.add(node.voter(lives.of(node, bytes.get())));
		}
		boolean hasLives = voters.stream().noneMatch((voter) -> voter.storageId().equals(Voter.ANY_LIFE));
		return hasLives ? Electorate.majorityOf(voters)
				: Electorate.allOf(voters.stream().map(Voter::id).collect(Collectors.toSet()));
	}

	/** The voters as the program reads them, or as the planted bug does. */
	private Electorate voters(Decree decree) {
		return switch (this.bug) {
			case VOTER_BY_NAME -> electorate(decree, (node, _) -> node.life);
			case VOTERS_OF_THE_NEW_CONTENT ->
				Electorate.majorityOf(new HashSet<>(this.nodes.stream().map(Node::voter).toList()));
			case FIRST_DECISION_BY_A_MAJORITY -> {
				Set<Voter> voters = electorate(decree, Lives.NAMED).voters();
				yield Electorate.majorityOf(voters);
			}
			default -> electorate(decree, Lives.NAMED);
		};
	}

	private final class Node {

		private final int number;

		private int life;

		private SimulatedLedger ledger;

		private @Nullable Participant participant;

		private final List<Proposer> attempts = new ArrayList<>();

		private Ballot above = Ballot.NONE;

		private Node(int number) {
			this.number = number;
			this.ledger = new SimulatedLedger(new Decision(1, Decree.copyOf(new byte[0])),
					ConsensusSimulation.this.random, ConsensusSimulation.this.bug);
		}

		private Voter voter() {
			return voter(this.life);
		}

		private Voter voter(int ofLife) {
			return new Voter("n" + this.number,
					(ofLife == ANY_LIFE) ? Voter.ANY_LIFE : new UUID(ofLife + 1L, this.number));
		}

		private void begin(Decision first) {
			this.ledger = new SimulatedLedger(first, ConsensusSimulation.this.random, ConsensusSimulation.this.bug);
			this.ledger.file.crashPercent = ConsensusSimulation.this.random.nextInt(4);
			start();
		}

		private void start() {
			if (this.participant == null) {
				this.participant = new Participant(voter(), ConsensusSimulation.this::voters, this.ledger);
			}
		}

		private void crash() {
			this.participant = null;
			this.attempts.clear();
			this.above = Ballot.NONE;
			this.ledger.file.crash();
		}

		private void loseDisk() {
			crash();
			this.life++;
			Node other = ConsensusSimulation.this.nodes.get((this.number + 1) % ConsensusSimulation.this.nodes.size());
			begin(other.ledger.recovered().decisions().latest());
		}

		private void propose() {
			Participant own = this.participant;
			if (own == null) {
				return;
			}
			try {
				Decree wish = wish();
				ConsensusSimulation.this.wished.put(wish, own.decisions().latest().next());
				Proposer attempt = planted(
						mayAskAll(own) ? own.proposeToAll(wish, this.above) : own.propose(wish, this.above), wish);
				this.attempts.add(attempt);
				send(attempt);
			}
			catch (IOException failed) {
				crash();
			}
		}

		/*
		 * As long as a majority of the named directories is never lost, either way leads
		 * to one content.
		 */
		private boolean mayAskAll(Participant own) {
			return ConsensusSimulation.this.bug == PlantedBug.NONE && ConsensusSimulation.this.hasLives
					&& ConsensusSimulation.this.diskLosses <= 1
					&& voters(own.decisions().latest().decree()).voters().size() > 2
					&& ConsensusSimulation.this.random.nextBoolean();
		}

		private Decree wish() {
			Set<Integer> wanted = new HashSet<>(
					Set.of(ConsensusSimulation.this.random.nextInt(ConsensusSimulation.this.nodes.size())));
			for (int i = 0; i < ConsensusSimulation.this.nodes.size(); i++) {
				if (ConsensusSimulation.this.random.nextBoolean()) {
					wanted.add(i);
				}
			}
			return decree(wanted, true);
		}

		private Proposer planted(Proposer attempt, Decree wish) {
			Request.Prepare prepare = (Request.Prepare) attempt.message();
			Decision base = prepare.base();
			return switch (ConsensusSimulation.this.bug) {
				case VOTERS_OF_THE_NEW_CONTENT ->
					new Proposer(base, electorate(wish, Lives.NAMED), prepare.ballot(), wish);
				case BALLOT_NAMES_THE_NODE -> new Proposer(base, voters(base.decree()),
						new Ballot(prepare.ballot().round(), new UUID(0, this.number)), wish);
				case NO_PREPARE -> {
					voters(base.decree()).voters()
						.forEach((voter) -> attempt
							.takeIn(new Answer.Promise(base.next(), voter, prepare.ballot(), null)));
					yield attempt;
				}
				default -> attempt;
			};
		}

		private void sendAgain() {
			if (!this.attempts.isEmpty()) {
				send(this.attempts.get(ConsensusSimulation.this.random.nextInt(this.attempts.size())));
			}
		}

		private void send(Proposer attempt) {
			byte[] request = ConsensusCodec.write(attempt.message());
			for (Node each : ConsensusSimulation.this.nodes) {
				ConsensusSimulation.this.network.send(() -> each.receive(request, this));
			}
		}

		private void receive(byte[] request, Node from) {
			Participant own = this.participant;
			if (own == null) {
				return;
			}
			try {
				Request question = ConsensusCodec.readRequest(ByteBuffer.wrap(request));
				Answer said = own.answer(question);
				if (question instanceof Request.Accept accept && said instanceof Answer.Accepted vote) {
					count(accept, vote.voter());
				}
				byte[] answer = ConsensusCodec.write(said);
				own.decisions().kept().forEach(ConsensusSimulation.this::know);
				ConsensusSimulation.this.network.send(() -> from.takeIn(answer));
			}
			catch (IOException failed) {
				crash();
			}
		}

		/* An answer is for a node: which of its attempts it concerns, they must know. */
		private void takeIn(byte[] bytes) {
			Answer answer = ConsensusCodec.readAnswer(ByteBuffer.wrap(bytes));
			if (answer instanceof Answer.Promise promise
					&& ConsensusSimulation.this.bug == PlantedBug.VOTES_IN_PROMISES_IGNORED) {
				answer = new Answer.Promise(promise.version(), promise.voter(), promise.ballot(), null);
			}
			for (Proposer attempt : List.copyOf(this.attempts)) {
				if (attempt.takeIn(answer)) {
					send(attempt);
				}
				judge(attempt.outcome());
			}
		}

		private void judge(Outcome outcome) {
			switch (outcome) {
				case Outcome.Open _ -> {
				}
				case Outcome.Interrupted(Ballot by) -> this.above = by;
				case Outcome.Decided(Decision decision) -> learn(decision);
				case Outcome.Overtaken(Decisions decisions) -> decisions.kept().forEach(this::learn);
			}
		}

		private void learn(Decision decision) {
			know(decision);
			try {
				if (this.participant != null) {
					this.participant.answer(new Request.Learn(decision));
				}
			}
			catch (IOException failed) {
				crash();
			}
		}

	}

}
