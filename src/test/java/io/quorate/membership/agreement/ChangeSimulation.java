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
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.ConsensusCodec;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.consensus.LossyNetwork;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Request;
import io.quorate.consensus.Voter;
import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutChange;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutFacts;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Changes of members that operators begin and give up at any node, over a network that
 * loses, doubles and reorders, while nodes are killed and started again, all by one seed.
 * A run fails when two contents of one version are decided, when a change is completed
 * before all members have adopted it and copied, when an operator gets a wrong answer, or
 * when at the end a change is not over although all nodes are there.
 */
final class ChangeSimulation {

	private static final int STEPS = 600;

	private static final int MOST_ROUNDS = 300;

	private static final int FIRST_MEMBERS = 3;

	private static final int NODES = 5;

	private static final List<String> CONFIGURED = IntStream.range(0, FIRST_MEMBERS)
		.mapToObj((i) -> endpoint(i).toString())
		.toList();

	private final Random random;

	private final LossyNetwork network;

	private final List<Node> nodes = new ArrayList<>();

	private final Map<Long, Decree> decided = new HashMap<>();

	/* Of each version that was adopted or copied by a life of a directory. */
	private final Set<String> done = new HashSet<>();

	private final Map<Reason, Integer> refusals = new HashMap<>();

	private final boolean reportsBeforeItHasCopied;

	private int begun;

	private int given;

	private long nowNanos;

	private long lives = 1;

	private boolean isHealed;

	/**
	 * A run that has not begun.
	 * @param reportsBeforeItHasCopied a fault that is planted: nodes report at once that
	 * they have copied
	 */
	ChangeSimulation(long seed, boolean reportsBeforeItHasCopied) {
		this.random = new Random(seed);
		this.network = new LossyNetwork(this.random);
		this.reportsBeforeItHasCopied = reportsBeforeItHasCopied;
		for (int i = 0; i < NODES; i++) {
			this.nodes.add(new Node(i));
		}
		this.nodes.forEach(Node::start);
	}

	private static Endpoint endpoint(int number) {
		return Endpoint.parse("n%d@host%1$d:7100".formatted(number));
	}

	/** Runs to the end. Fails with an {@link AssertionError}. */
	void run() {
		for (int step = 0; step < STEPS; step++) {
			step();
			look();
		}
		heal();
	}

	/** Number of changes that operators were told to have begun. */
	int begun() {
		return this.begun;
	}

	/** Number of changes that operators were told to be given up. */
	int given() {
		return this.given;
	}

	/** Number of refusals. */
	int refused(Reason reason) {
		return this.refusals.getOrDefault(reason, 0);
	}

	private void step() {
		int kind = this.random.nextInt(100);
		Node node = this.nodes.get(this.random.nextInt(NODES));
		if (kind < 60) {
			this.network.deliver();
		}
		else if (kind < 78) {
			this.nowNanos += this.random.nextLong(Duration.ofMillis(700).toNanos());
			node.second();
		}
		else if (kind < 86) {
			node.goOn();
		}
		else if (kind < 90) {
			node.ask();
		}
		else if (kind < 92) {
			node.kill();
		}
		else {
			node.start();
		}
	}

	private void look() {
		for (Node node : this.nodes) {
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
			LayoutRecord last = LayoutCodec.read(base);
			LayoutRecord next = LayoutCodec.read(decision.decree());
			assertThat(LayoutMachine.mayFollow(last, decision.version() - 1, next))
				.as("whether version %d may follow", decision.version())
				.isTrue();
			if (last.isJoint() && !next.isJoint() && !next.equals(LayoutMachine.abort(last))) {
				requireComplete(last);
			}
		}
	}

	private void requireComplete(LayoutRecord joint) {
		long began = Objects.requireNonNull(joint.change()).version();
		for (String member : joint.awaited()) {
			assertThat(this.done).contains("%s adopted %d".formatted(member, began));
		}
		for (String member : Objects.requireNonNull(joint.target()).ids()) {
			assertThat(this.done).contains("%s copied %d".formatted(member, began));
		}
	}

	/* No operator asks for anything any more: the change that is under way ends. */
	private void heal() {
		this.isHealed = true;
		this.network.heal();
		for (int round = 0; round < MOST_ROUNDS && !isOver(); round++) {
			this.nowNanos += Duration.ofMillis(500).toNanos();
			for (Node node : this.nodes) {
				node.start();
				node.goOn();
				node.second();
				this.network.drain();
			}
			look();
		}
		assertThat(isOver()).as("whether the change is over: %s", this.nodes).isTrue();
	}

	/* All members of the last layout know it, and it is stable. */
	private boolean isOver() {
		long last = this.decided.keySet().stream().mapToLong(Long::longValue).max().orElseThrow();
		LayoutRecord record = LayoutCodec.read(Objects.requireNonNull(this.decided.get(last)));
		return !record.isJoint() && this.nodes.stream()
			.filter((node) -> record.member(node.id()) != null)
			.allMatch((node) -> node.adopted() == last);
	}

	private final class Node {

		private final int number;

		private final Map<String, UUID> storageIds = new HashMap<>();

		private final Map<String, LayoutReport> reports = new HashMap<>();

		private UUID storageId;

		private final MemoryLedger ledger;

		private Layouts layouts;

		private @Nullable LayoutAgreement agreement;

		private @Nullable Participant participant;

		private Node(int number) {
			this.number = number;
			this.storageId = LayoutFixture.member(number).storageId();
			this.layouts = layouts();
			Decisions first = LayoutAgreement.first(this.layouts).decisions();
			this.ledger = new MemoryLedger(AcceptorState.of((number < FIRST_MEMBERS)
					? first.with(
							new Decision(2, LayoutCodec.write(LayoutFixture.stable(FIRST_MEMBERS, FIRST_MEMBERS - 1))))
					: first));
		}

		private String id() {
			return "n" + this.number;
		}

		private Layouts layouts() {
			return Layouts.of(id(), CONFIGURED, FIRST_MEMBERS - 1, endpoint(this.number).toString(), List.of());
		}

		/* A directory of a member that has left is replaced by an empty one. */
		private void start() {
			if (this.agreement != null) {
				return;
			}
			try {
				begin();
			}
			catch (FormerMemberException left) {
				assertThat(wasNamed()).as("whether %s was a member with this directory", id()).isTrue();
				this.storageId = new UUID(++ChangeSimulation.this.lives, this.number);
				this.ledger.state = LayoutAgreement.first(layouts());
				begin();
			}
		}

		private boolean wasNamed() {
			return ChangeSimulation.this.decided.values()
				.stream()
				.map(LayoutCodec::read)
				.flatMap((record) -> record.members().stream())
				.anyMatch((member) -> member.id().equals(id()) && member.storageId().equals(this.storageId));
		}

		private void begin() {
			this.layouts = layouts();
			this.participant = new Participant(new Voter(id(), this.storageId),
					(decree) -> LayoutCodec.read(decree).electorate(), this.ledger);
			this.agreement = new LayoutAgreement(this.layouts, this.participant, this::facts, (_) -> {
			}, () -> ChangeSimulation.this.nowNanos);
			/* The log has been read: what was let in before is on the disk. */
			noteAdopted();
		}

		private void noteAdopted() {
			LayoutChange change = record().change();
			if (change != null) {
				note("adopted", change.version());
			}
		}

		private void kill() {
			this.agreement = null;
			this.participant = null;
			this.storageIds.clear();
			this.reports.clear();
		}

		/* Writes of before reach the disk, and what is gained is copied. */
		private void goOn() {
			LayoutAgreement own = this.agreement;
			if (own == null || !this.layouts.isMember()) {
				return;
			}
			long version = own.adopted().version();
			own.settled(version);
			LayoutRecord record = record();
			LayoutChange change = record.change();
			if (change == null) {
				return;
			}
			noteAdopted();
			boolean areSourcesReady = record.stable()
				.ids()
				.stream()
				.filter((id) -> !id.equals(id()) && !record.dead().contains(id))
				.allMatch((source) -> facts().hasAdopted(source, version));
			if (areSourcesReady) {
				note("copied", change.version());
			}
			if (areSourcesReady || ChangeSimulation.this.reportsBeforeItHasCopied) {
				own.copied(version);
			}
		}

		private void note(String what, long version) {
			ChangeSimulation.this.done.add("%s %s %d".formatted(id(), what, version));
		}

		private LayoutRecord record() {
			return LayoutCodec.read(Objects.requireNonNull(this.participant).decisions().latest().decree());
		}

		/* A second: some peers are heard, and what comes next is proposed. */
		private void second() {
			LayoutAgreement own = this.agreement;
			if (own == null) {
				return;
			}
			for (Node peer : ChangeSimulation.this.nodes) {
				if (peer != this && (ChangeSimulation.this.isHealed || ChangeSimulation.this.random.nextInt(4) > 0)) {
					hear(peer);
				}
			}
			own.tick(this::send);
		}

		/* Either names the other as a peer, and the two are connected. */
		private void hear(Node peer) {
			LayoutAgreement theirs = peer.agreement;
			this.storageIds.remove(peer.id());
			if (theirs != null
					&& (this.layouts.current().hasMember(peer.id()) || peer.layouts.current().hasMember(id()))) {
				this.storageIds.put(peer.id(), peer.storageId);
				this.reports.put(peer.id(), theirs.report());
			}
		}

		private LayoutFacts facts() {
			Map<String, LayoutMember> ready = new HashMap<>();
			this.storageIds.put(id(), this.storageId);
			this.storageIds.forEach((peer, storage) -> {
				Endpoint its = this.layouts.current().endpointOf(peer);
				if (its != null) {
					ready.put(peer, LayoutMember.of(its, storage));
				}
			});
			Map<String, LayoutVersion> adopted = new HashMap<>();
			Map<String, Long> copied = new HashMap<>();
			this.reports.forEach((peer, its) -> {
				adopted.put(peer, its.adopted());
				copied.put(peer, its.copied());
			});
			return LayoutFixture.met(adopted, copied, ready, Map.of());
		}

		/* An operator asks for something that may be possible. */
		private void ask() {
			LayoutAgreement own = this.agreement;
			if (own == null || !this.layouts.isMember()) {
				return;
			}
			LayoutRecord now = record();
			long version = own.adopted().version();
			ChangeRequest change = request(now);
			CompletableFuture<LayoutVersion> outcome = own.change(change, version, "an operator", this::send);
			if (outcome.isCompletedExceptionally()) {
				var _ = outcome.handle((_, refused) -> count(((ChangeRefusedException) refused).reason()));
				return;
			}
			/* An operator whose node is killed gets no answer. */
			var _ = outcome.whenComplete((told, refused) -> judge(version, change, told, refused));
		}

		private ChangeRequest request(LayoutRecord now) {
			Random any = ChangeSimulation.this.random;
			if (now.isJoint() && any.nextInt(3) > 0) {
				return new ChangeRequest.Abort();
			}
			List<String> members = now.stable().ids();
			String member = members.get(any.nextInt(members.size()));
			List<Node> strangers = ChangeSimulation.this.nodes.stream()
				.filter((node) -> now.member(node.id()) == null && node.agreement != null)
				.toList();
			boolean isDead = ChangeSimulation.this.nodes.get(Integer.parseInt(member.substring(1))).agreement == null;
			if (strangers.isEmpty() || any.nextInt(3) == 0) {
				return new ChangeRequest.Remove(member, isDead);
			}
			Node stranger = strangers.get(any.nextInt(strangers.size()));
			return any.nextBoolean() ? new ChangeRequest.Add(endpoint(stranger.number), stranger.storageId)
					: new ChangeRequest.Replace(member, endpoint(stranger.number), stranger.storageId, isDead);
		}

		/* The operator is told what happened, or that it is not known. */
		private void judge(long version, ChangeRequest change, @Nullable LayoutVersion told,
				@Nullable Throwable refused) {
			look();
			boolean isAbort = change instanceof ChangeRequest.Abort;
			if (told != null) {
				assertThat(told.version()).isEqualTo(version + 1);
				assertThat(outcomeOf(version, change)).as("%s after version %d is decided", change, version)
					.contains(true);
				ChangeSimulation.this.begun += isAbort ? 0 : 1;
				ChangeSimulation.this.given += isAbort ? 1 : 0;
			}
			else if (refused instanceof ChangeRefusedException why) {
				count(why.reason());
				if (why.reason() == Reason.OVERTAKEN) {
					assertThat(outcomeOf(version, change)).as("%s after version %d: %s", change, version, why)
						.isNotEqualTo(Optional.of(true));
				}
			}
		}

		/* Whether the change is what followed; empty when that is not known. */
		private Optional<Boolean> outcomeOf(long version, ChangeRequest change) {
			Decree base = Objects.requireNonNull(ChangeSimulation.this.decided.get(version));
			Decree next = ChangeSimulation.this.decided.get(version + 1);
			if (next == null) {
				return Optional.empty();
			}
			LayoutRecord followed = LayoutCodec.read(next);
			LayoutRecord wanted = LayoutMachine.begun(LayoutCodec.read(base), change,
					new LayoutMachine.Asked(version, "an operator", 0));
			return Optional.of(Objects.equals(followed.target(), wanted.target())
					&& followed.stable().equals(wanted.stable()) && followed.dead().equals(wanted.dead()));
		}

		private @Nullable Void count(Reason reason) {
			ChangeSimulation.this.refusals.merge(reason, 1, Integer::sum);
			return null;
		}

		private void send(String member, Request request, Duration limit, Consumer<LayoutPeers.Outcome> outcome) {
			Node asked = ChangeSimulation.this.nodes.get(Integer.parseInt(member.substring(1)));
			LayoutAgreement asking = this.agreement;
			LayoutFixture.ask(ChangeSimulation.this.network, request, asked::answer, () -> this.agreement == asking,
					outcome);
		}

		private void answer(byte[] bytes, Consumer<byte[]> outcome) {
			LayoutAgreement own = this.agreement;
			if (own == null) {
				return;
			}
			try {
				own.answer(ConsensusCodec.readRequest(ByteBuffer.wrap(bytes)))
					.map(ConsensusCodec::write)
					.ifPresent((said) -> ChangeSimulation.this.network.send(() -> outcome.accept(said)));
			}
			catch (IOException impossible) {
				throw new AssertionError(impossible);
			}
		}

		private long adopted() {
			return (this.agreement != null) ? this.agreement.adopted().version() : 0;
		}

		@Override
		public String toString() {
			return "%s at version %d, %s".formatted(id(), adopted(), (this.agreement != null) ? record() : "killed");
		}

	}

}
