package io.quorate.simulation;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.consensus.Answer;
import io.quorate.consensus.ConsensusCodec;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Request;
import io.quorate.coordinator.DrivenCoordinator;
import io.quorate.membership.agreement.DrivenMember;
import io.quorate.membership.agreement.LayoutPeers;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.members.Layouts;
import io.quorate.repair.antientropy.DrivenComparisons.Running;
import io.quorate.replica.Replica;

/** The nodes of a simulation, and the network between them. */
final class SimulatedCluster {

	private static final Duration RETRY = Duration.ofMillis(500);

	private static final Duration SETTLING = Duration.ofSeconds(1);

	private final PlantedBug bug;

	private final Weather weather;

	private final Path directory;

	private final Judge judge = new Judge(this);

	private final MeterRegistry meters = new SimpleMeterRegistry();

	private final SimulatedTime time = new SimulatedTime((failure) -> crashed(failure.node()));

	private final DrivenMember.Configured configured;

	private final List<SimulatedNode> nodes = new ArrayList<>();

	private final Set<String> cuts = new HashSet<>();

	/* Nodes that hear late of layouts. */
	private final Set<String> slow = new HashSet<>();

	private final Set<SimulatedNode> rebuilt = new HashSet<>();

	private final List<Consumer<SimulatedProcess>> kills = new ArrayList<>();

	/* Comparisons that wait for the one that runs. */
	private final Deque<Runnable> waiting = new ArrayDeque<>();

	private final Obstacles obstacles = new Obstacles();

	private final PlantedRegister register;

	private boolean isComparing;

	private boolean isOver;

	private long steps;

	private int crashed;

	SimulatedCluster(PlantedBug bug, Weather weather, Path directory) {
		this(bug, weather, configured(weather.random(7)), 4, directory);
	}

	/**
	 * Nodes that are not started.
	 * @param configured the first members
	 * @param size number of nodes
	 */
	SimulatedCluster(PlantedBug bug, Weather weather, DrivenMember.Configured configured, int size, Path directory) {
		this.bug = bug;
		this.register = new PlantedRegister(bug);
		this.weather = weather;
		this.directory = directory;
		this.configured = configured;
		for (int i = 0; i < size; i++) {
			this.nodes.add(new SimulatedNode(this, i));
		}
	}

	private static DrivenMember.Configured configured(Random random) {
		int members = 3 + random.nextInt(2);
		int factor = (random.nextInt(4) == 0) ? 2 : 3;
		return new DrivenMember.Configured(IntStream.range(0, members).mapToObj((i) -> "n" + i).toList(), factor);
	}

	void start() {
		this.nodes.forEach(SimulatedNode::start);
	}

	/** No round is begun any more that no client has asked for. */
	void endSettling() {
		this.isOver = true;
	}

	/** Lets time pass for all coordinators. */
	void tick() {
		this.time.each(DrivenCoordinator.TICK, () -> {
			for (SimulatedNode node : this.nodes) {
				SimulatedProcess process = node.process();
				if (process != null) {
					process.coordinator().sweep();
				}
			}
		});
		this.time.each(SETTLING,
				() -> processes().stream().filter((_) -> !this.isOver).forEach(SimulatedProcess::settle));
	}

	private void crashed(SimulatedNode node) {
		this.crashed++;
		node.kill();
		this.time.at(this.weather.random(this.time.nanos()).nextLong(Duration.ofSeconds(6).toNanos()), node::start);
	}

	/** Whether the power fails at this step. */
	boolean crashes() {
		return this.weather.goesWrong(this.weather.at(this.time.nanos(), (int) this.steps++), this.weather.crashes);
	}

	/** Number of crashes in the midst of a step. */
	int crashed() {
		return this.crashed;
	}

	/** Nothing goes wrong any more. */
	void calmDown() {
		this.weather.isCalm = true;
		this.cuts.clear();
		this.slow.clear();
		start();
	}

	/** Whether nothing gets from one node to another. */
	boolean isCut(SimulatedProcess from, SimulatedProcess to) {
		return this.cuts.contains(from.id() + to.id());
	}

	/** Cuts some ways, or mends all. */
	void cut(Random random) {
		this.cuts.clear();
		this.slow.clear();
		int ways = random.nextInt(4);
		for (int i = 0; i < ways; i++) {
			this.cuts.add(any(random).id() + any(random).id());
		}
		this.slow.add(any(random).id());
		this.slow.add(any(random).id());
	}

	private SimulatedNode any(Random random) {
		return this.nodes.get(random.nextInt(this.nodes.size()));
	}

	/** The replicas of all members but the node itself. */
	List<Replica> links(SimulatedProcess from, Layouts layouts) {
		List<Replica> all = new ArrayList<>();
		this.nodes.stream()
			.filter((node) -> node != from.node())
			.forEach((node) -> all.add(new PeerLink(this, from, node)));
		return all;
	}

	/** The way of a process to ask others about the layout. */
	LayoutPeers network(SimulatedProcess from) {
		return (member, request, limit, outcome) -> {
			SimulatedProcess receiver = node(member).process();
			if (receiver == null || from.isDead()) {
				return;
			}
			boolean isVote = request instanceof Request.Prepare || request instanceof Request.Accept;
			if (isVote ? this.obstacles.isVoteLost(from, receiver) : this.obstacles.isDeaf(from, receiver)) {
				return;
			}
			byte[] bytes = ConsensusCodec.write(request);
			/*
			 * Its content has an instant of the real clock: only its kind is the same in
			 * each run.
			 */
			int what = request.getClass().getSimpleName().hashCode();
			Weather.Fate fate = isVote ? this.weather.fate(at(from, receiver, what), 0)
					: layoutFate(from, receiver, what);
			this.time.at(fate.there(), () -> {
				if (!fate.isLost() && !receiver.isDead() && !isCut(from, receiver)) {
					Request arrived = ConsensusCodec.readRequest(ByteBuffer.wrap(bytes));
					var _ = receiver.exchange()
						.answer(arrived)
						.thenAccept(
								(answer) -> answer.ifPresent((said) -> answer(from, receiver, fate, said, outcome)));
				}
			});
		};
	}

	private void answer(SimulatedProcess from, SimulatedProcess receiver, Weather.Fate fate, Answer said,
			Consumer<LayoutPeers.Outcome> outcome) {
		byte[] bytes = ConsensusCodec.write(said);
		this.time.at(fate.back(), () -> {
			if (!fate.isAnswerLost() && !from.isDead() && !isCut(receiver, from)) {
				outcome.accept(new LayoutPeers.Outcome.Answered(
						PlantedVotes.heard(this.bug, ConsensusCodec.readAnswer(ByteBuffer.wrap(bytes)))));
			}
		});
	}

	private Weather.Fate layoutFate(SimulatedProcess from, SimulatedProcess to, int what) {
		boolean isSlow = this.slow.contains(to.id()) || this.slow.contains(from.id());
		return this.weather.fate(at(from, to, what), isSlow ? this.weather.slowLayouts : this.weather.slow / 4);
	}

	private Random at(SimulatedProcess from, SimulatedProcess to, int what) {
		return this.weather.at(this.time.nanos(), 31 * what + from.link(to.node()));
	}

	/** Sends a sign of life. */
	void keepAlive(SimulatedProcess from, SimulatedProcess to) {
		LayoutReport report = from.exchange().own();
		if (report == null || from.node().isFrozen()) {
			return;
		}
		Weather.Fate fate = this.weather.fate(this.weather.at(this.time.nanos(), from.link(to.node())),
				this.weather.slow / 4);
		boolean isSlow = this.slow.contains(to.id()) && this.weather
			.goesWrong(this.weather.at(this.time.nanos(), 7 + from.link(to.node())), this.weather.slowLayouts);
		/* The first one is the handshake: a later one may say what was said before. */
		boolean isLate = (isSlow && to.isConnectedTo(from)) || this.obstacles.isDeaf(from, to);
		LayoutReport said = (isLate && report.adopted().version() > to.layouts().current().version()) ? to.heardOf(from)
				: report;
		SimulatedProcess.Carried carried = from.carried();
		this.time.at(fate.there(), () -> {
			if (!fate.isLost() && !from.isDead() && !to.isDead() && !isCut(from, to)) {
				to.heardOf(from, carried, said);
				to.readsClock(from.id(), carried.physicalMillis(), fate.there() + fate.back());
			}
		});
	}

	/**
	 * A node is refused by one that does not know it, which shows it the later layouts.
	 */
	void refuse(SimulatedProcess by, SimulatedProcess stranger) {
		Decisions later = by.exchange().later(stranger.agreement().adopted());
		if (later != null && !this.obstacles.isDeaf(by, stranger)) {
			Weather.Fate fate = layoutFate(by, stranger, 5);
			this.time.at(fate.back(), () -> {
				if (!fate.isLost() && !stranger.isDead()) {
					stranger.exchange().excludedBy(by.id(), later);
				}
			});
		}
	}

	/**
	 * Runs a comparison when no other one runs: other things happen on its stack.
	 * @param isRepeated whether it is run again until it is over
	 */
	void compare(SimulatedProcess by, Running comparison, boolean isRepeated) {
		if (by.isDead() || comparison.isOver()) {
			goOn();
			return;
		}
		if (this.isComparing) {
			this.waiting.add(() -> compare(by, comparison, isRepeated));
			return;
		}
		this.isComparing = true;
		try {
			comparison.run();
		}
		finally {
			this.isComparing = false;
			goOn();
		}
		if (isRepeated) {
			this.time.in(RETRY, () -> compare(by, comparison, true));
		}
	}

	private void goOn() {
		Runnable next = this.isComparing ? null : this.waiting.poll();
		if (next != null) {
			this.time.at(0, next);
		}
	}

	/** Registers a listener of processes that are killed. */
	void onKill(Consumer<SimulatedProcess> listener) {
		this.kills.add(listener);
	}

	void killed(SimulatedProcess process) {
		this.kills.forEach((listener) -> listener.accept(process));
	}

	/** Has a node lose its disk, unless another one has, and is not rebuilt yet. */
	boolean loseDisk(SimulatedNode node) {
		if (!this.rebuilt.isEmpty() || !node.isUp()) {
			return false;
		}
		this.rebuilt.add(node);
		node.loseDisk();
		return true;
	}

	/** Whether the layouts of all processes name the directories that the nodes have. */
	boolean areDirectoriesNamed() {
		return processes().stream()
			.allMatch((process) -> this.nodes.stream()
				.allMatch((node) -> DrivenMember.isNamed(process.agreement(), node.id(), node.directory().identity)));
	}

	/** Whether a node has lost its disk, and is not rebuilt yet. */
	boolean isRebuilding() {
		return !this.rebuilt.isEmpty();
	}

	void rebuilt(SimulatedNode node) {
		this.rebuilt.remove(node);
	}

	/** A directory for the records of a node, which exists. */
	Path records(String name) {
		try {
			return this.rebuilt.isEmpty() ? this.directory.resolve("none")
					: Files.createDirectories(this.directory.resolve(name));
		}
		catch (IOException impossible) {
			throw new AssertionError(impossible);
		}
	}

	List<SimulatedNode> nodes() {
		return this.nodes;
	}

	SimulatedNode node(String id) {
		return this.nodes.get(Integer.parseInt(id.substring(1)));
	}

	/** The processes that run. */
	List<SimulatedProcess> processes() {
		return this.nodes.stream().map(SimulatedNode::process).filter((process) -> process != null).toList();
	}

	/** The address of a node. */
	Endpoint endpoint(SimulatedNode node) {
		return DrivenMember.endpoint(node.id());
	}

	DrivenMember.Configured configured() {
		return this.configured;
	}

	SimulatedTime time() {
		return this.time;
	}

	Weather weather() {
		return this.weather;
	}

	Obstacles obstacles() {
		return this.obstacles;
	}

	PlantedRegister register() {
		return this.register;
	}

	PlantedBug bug() {
		return this.bug;
	}

	MeterRegistry meters() {
		return this.meters;
	}

	Judge judge() {
		return this.judge;
	}

}
