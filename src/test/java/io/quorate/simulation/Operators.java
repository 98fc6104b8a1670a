package io.quorate.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutVersion;
import org.jspecify.annotations.Nullable;

/**
 * Operators who ask any node for changes of members and give them up, now and then two at
 * once, and faults of machines: nodes that are killed, started again, cut off, or lose
 * their disks.
 */
final class Operators {

	/* Time in which a version is decided. */
	private static final Duration RIVAL = Duration.ofMillis(6);

	private static final int LEAST_MEMBERS = 3;

	/* Else the layout was a later one already when the node was asked. */
	private static final String DECIDED_FIRST = "was decided first";

	private final SimulatedCluster cluster;

	private final Random random;

	private final @Nullable Function<SimulatedCluster, ChangeRequest> only;

	private final List<Asked> asked = new ArrayList<>();

	private boolean isOver;

	private int requests;

	private int begun;

	private int givenUp;

	private int overtaken;

	private record Asked(SimulatedProcess process, CompletableFuture<LayoutVersion> outcome) {
	}

	/**
	 * Operators who ask for nothing yet.
	 * @param only the only change that they ask for, until it is begun, if requests are
	 * dense
	 */
	Operators(SimulatedCluster cluster, @Nullable Function<SimulatedCluster, ChangeRequest> only) {
		this.cluster = cluster;
		this.only = only;
		this.random = cluster.weather().random(3);
		/* A process that is killed gives no answer. */
		cluster.onKill((killed) -> this.asked.removeIf((each) -> {
			boolean isLost = each.process() == killed;
			return isLost && (each.outcome().isDone() || each.outcome().cancel(false));
		}));
	}

	void begin() {
		change();
		fail();
	}

	void end() {
		this.isOver = true;
	}

	/** Number of changes that were begun. */
	int begun() {
		return this.begun;
	}

	/** Number of changes that were given up. */
	int givenUp() {
		return this.givenUp;
	}

	/** Number of changes before which another one was begun. */
	int overtaken() {
		return this.overtaken;
	}

	/** Frees what waits for an answer. */
	void close() {
		this.asked.forEach((each) -> each.outcome().cancel(false));
	}

	private void change() {
		this.cluster.time()
			.in(Duration.ofMillis(500 + this.random.nextLong(this.cluster.weather().pause.toMillis())), () -> {
				if (!this.isOver) {
					ask();
					long later = this.random.nextLong(RIVAL.toNanos());
					if (this.random.nextInt(100) < this.cluster.weather().rivals) {
						this.cluster.time().at(later, this::ask);
					}
					change();
				}
			});
	}

	private void ask() {
		int which = this.random.nextInt(1 << 20);
		Random choice = new Random(this.random.nextLong());
		List<SimulatedProcess> members = this.cluster.processes()
			.stream()
			.filter((process) -> process.layouts().isMember() && process.layouts().current().version() > 1)
			.toList();
		if (members.isEmpty()) {
			return;
		}
		SimulatedProcess asked = members.get(which % members.size());
		Layout now = asked.layouts().current();
		ChangeRequest change = this.cluster.weather().isDense ? only(now)
				: now.isJoint() ? given(choice) : wanted(now, choice);
		if (change != null) {
			String by = "operator %d".formatted(++this.requests);
			CompletableFuture<LayoutVersion> outcome = asked.drivenLayouts().propose(change, now.version(), by);
			this.asked.add(new Asked(asked, outcome));
			var _ = outcome.whenComplete((told, refusal) -> answered(change, by, now.version(), told, refusal));
		}
	}

	private void answered(ChangeRequest change, String by, long version, @Nullable LayoutVersion told,
			@Nullable Throwable refusal) {
		if (told != null) {
			this.cluster.judge().told(change, by, told.version() - 1, true);
			this.begun += (change instanceof ChangeRequest.Abort) ? 0 : 1;
			this.givenUp += (change instanceof ChangeRequest.Abort) ? 1 : 0;
		}
		else if (refusal instanceof ChangeRefusedException its && its.reason() == Reason.OVERTAKEN) {
			this.overtaken++;
			if (String.valueOf(its.getMessage()).contains(DECIDED_FIRST)) {
				this.cluster.judge().told(change, by, version, false);
			}
		}
	}

	private @Nullable ChangeRequest only(Layout now) {
		return (this.only != null && this.begun == 0 && !now.isJoint()) ? this.only.apply(this.cluster) : null;
	}

	private @Nullable ChangeRequest given(Random choice) {
		return (choice.nextInt(100) < this.cluster.weather().aborts) ? new ChangeRequest.Abort() : null;
	}

	private @Nullable ChangeRequest wanted(Layout now, Random choice) {
		List<String> members = now.members();
		SimulatedNode member = this.cluster.node(members.get(choice.nextInt(members.size())));
		List<SimulatedNode> strangers = this.cluster.nodes()
			.stream()
			.filter((node) -> !now.hasMember(node.id()) && node.isUp())
			.toList();
		int factor = now.rings().before().replicationFactor();
		boolean isDead = this.cluster.weather().isDeclaring && !member.isUp();
		int what = choice.nextInt(10);
		if (choice.nextInt(100) < this.cluster.weather().factors) {
			int next = (factor == 2 || (factor < 4 && choice.nextBoolean())) ? factor + 1 : factor - 1;
			return (next >= 2 && next <= members.size()) ? new ChangeRequest.Replication(next) : null;
		}
		if (what < 6 && !strangers.isEmpty()) {
			SimulatedNode joiner = strangers.get(choice.nextInt(strangers.size()));
			return new ChangeRequest.Add(this.cluster.endpoint(joiner), joiner.directory().identity.storageId());
		}
		if (what < 7 && !strangers.isEmpty()) {
			SimulatedNode joiner = strangers.get(choice.nextInt(strangers.size()));
			return new ChangeRequest.Replace(member.id(), this.cluster.endpoint(joiner),
					joiner.directory().identity.storageId(), isDead);
		}
		return (members.size() > Math.max(factor, LEAST_MEMBERS)) ? new ChangeRequest.Remove(member.id(), isDead)
				: null;
	}

	private void fail() {
		this.cluster.time().in(this.cluster.weather().faults, () -> {
			if (!this.isOver) {
				failNow();
				fail();
			}
		});
	}

	private void failNow() {
		Weather weather = this.cluster.weather();
		SimulatedNode node = this.cluster.nodes().get(this.random.nextInt(this.cluster.nodes().size()));
		int kill = this.random.nextInt(100);
		int cut = this.random.nextInt(100);
		int lose = this.random.nextInt(100);
		long away = this.random.nextLong(weather.longestAway.toNanos());
		Random cuts = new Random(this.random.nextLong());
		if (cut < weather.cuts || (weather.slowLayouts > 0 && cut < 15)) {
			this.cluster.cut(cuts);
		}
		if (lose < weather.lostDisks && mayLoseDisk()) {
			this.cluster.loseDisk(node);
			this.cluster.time().at(away, node::start);
		}
		else if (kill < weather.kills) {
			node.kill();
			this.cluster.time().at(away, node::start);
		}
		else if (weather.isDense && kill < weather.kills + weather.standstills) {
			node.standStill(Duration.ofNanos(away));
		}
		else if (weather.isDense && kill < weather.kills + weather.standstills + weather.clocks) {
			node.moveClock(cuts);
		}
		else if (kill > 90) {
			prepare(node);
		}
	}

	/*
	 * The directories that the layouts name are there: so a majority of them stays, and
	 * every copy that the layouts count on.
	 */
	private boolean mayLoseDisk() {
		return this.cluster.judge().areAllDeadGone() && this.cluster.nodes().stream().allMatch(SimulatedNode::isUp)
				&& this.cluster.areDirectoriesNamed();
	}

	/*
	 * A node that has left is stopped, and set up anew. To those which have not heard of
	 * that it is a member that has lost its disk.
	 */
	private void prepare(SimulatedNode node) {
		SimulatedProcess process = node.process();
		if (process != null && process.layouts().hasLeft() && !this.cluster.isRebuilding() && isForgotten(node)) {
			node.empty();
			node.start();
		}
	}

	private boolean isForgotten(SimulatedNode node) {
		return this.cluster.processes().stream().noneMatch((each) -> each.layouts().current().hasMember(node.id()));
	}

}
