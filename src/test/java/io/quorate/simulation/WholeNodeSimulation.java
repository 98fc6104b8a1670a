package io.quorate.simulation;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Layout;
import org.jspecify.annotations.Nullable;

/**
 * One run: clients, operators and faults for a while, and then calm, in which the change
 * that is under way has to end.
 */
final class WholeNodeSimulation {

	private static final Duration BEGINNING = Duration.ofSeconds(4);

	private static final Duration ADVERSITY = Duration.ofSeconds(50);

	/* Until a deletion may be purged some time passes. */
	private static final Duration LONGER = Duration.ofSeconds(80);

	/* With dense requests, and while they go on and nothing goes wrong any more. */
	private static final Duration DENSE = Duration.ofSeconds(10);

	private static final Duration DENSE_CALM = Duration.ofSeconds(2);

	private static final Duration STEP = Duration.ofSeconds(2);

	private static final int MOST_STEPS = 150;

	private final SimulatedCluster cluster;

	private final Clients clients;

	private final Operators operators;

	/**
	 * A run that has not begun.
	 * @param directory directory for the few files that a run needs
	 */
	WholeNodeSimulation(long seed, PlantedBug bug, Path directory) {
		this(seed, bug, bug, directory);
	}

	/**
	 * As above.
	 * @param weather the adversity is such as brings this bug out
	 */
	WholeNodeSimulation(long seed, PlantedBug bug, PlantedBug weather, Path directory) {
		this(new SimulatedCluster(bug, new Weather(seed, weather), directory.resolve(bug + "-" + seed)), null);
	}

	/**
	 * As above.
	 * @param only the only change that operators ask for, if requests are dense
	 */
	WholeNodeSimulation(SimulatedCluster cluster, @Nullable Function<SimulatedCluster, ChangeRequest> only) {
		this.cluster = cluster;
		this.clients = new Clients(cluster);
		this.operators = new Operators(cluster, only);
	}

	/**
	 * Runs to the end.
	 * @return sentences that say what is wrong
	 */
	List<String> run() {
		try {
			this.cluster.start();
			this.cluster.tick();
			this.cluster.time().run(BEGINNING);
			this.clients.begin();
			this.operators.begin();
			boolean isDense = this.cluster.weather().isDense;
			this.cluster.time().run(isDense ? DENSE : this.cluster.weather().isPurging() ? LONGER : ADVERSITY);
			this.operators.end();
			if (!isDense) {
				this.clients.endWrites();
			}
			this.cluster.calmDown();
			calm();
			this.cluster.time().run(isDense ? STEP : Duration.ZERO);
			this.clients.expectSuccess();
			this.cluster.time().run(isDense ? DENSE_CALM : Duration.ZERO);
			this.clients.end();
			this.cluster.time().run(this.cluster.weather().longestTimeout.plus(STEP));
			this.cluster.endSettling();
			this.clients.readAll();
			this.cluster.time().run(STEP.multipliedBy(2));
			this.clients.requireEnded();
			return this.cluster.judge().verdict();
		}
		finally {
			this.operators.close();
		}
	}

	private void calm() {
		for (int i = 0; i < MOST_STEPS && !isOver(); i++) {
			this.cluster.time().run(STEP);
		}
		if (!isOver()) {
			this.cluster.judge().violated("the change is not over: %s".formatted(this.cluster.nodes()));
		}
	}

	/* All members of the last layout know it, it is stable, and they serve. */
	private boolean isOver() {
		OptionalLong last = this.cluster.processes()
			.stream()
			.mapToLong((process) -> process.layouts().current().version())
			.max();
		Layout latest = this.cluster.processes()
			.stream()
			.map((process) -> process.layouts().current())
			.filter((layout) -> layout.version() == last.orElse(0))
			.findFirst()
			.orElseThrow();
		return !latest.isJoint() && this.cluster.areDirectoriesNamed()
				&& latest.members().stream().allMatch((member) -> {
					SimulatedProcess process = this.cluster.node(member).process();
					return process != null && process.layouts().current().version() == latest.version()
							&& process.isReady();
				});
	}

	Clients clients() {
		return this.clients;
	}

	Operators operators() {
		return this.operators;
	}

	SimulatedCluster cluster() {
		return this.cluster;
	}

}
