package io.quorate.simulation;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.DrivenCoordinator;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.membership.agreement.DrivenMember;
import org.jspecify.annotations.Nullable;

/**
 * A run of three nodes in which some clients take turns with a lease, while the clock of
 * one node at a time is far off, or its machine stands still with all clocks: created
 * when there is none, touched by its holder, and given back or left to expire. Each
 * client asks any node, and messages are lost and late.
 * <p>
 * By the true time: at most one client takes itself for the holder, no lease ends before
 * it is due less 1 s, none lives when it is due plus 1 s, and what was seen expired is
 * not seen alive again (the properties of the model {@code Lease}).
 */
final class LeaseSimulation {

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final long TTL_MILLIS = TTL.toMillis();

	/* What a holder leaves out of its time. */
	private static final long MARGIN_MILLIS = 1000 + TTL_MILLIS / 10;

	/* Twice by what the agreed time is wrong at most. */
	private static final long WRONG_MILLIS = 1000;

	/* By how much a clock is wrong at most while it counts as right. */
	private static final long RIGHT_MILLIS = 200;

	private static final Duration TIMEOUT = Duration.ofMillis(900);

	private static final Key KEY = Key.of("lease");

	private final SimulatedCluster cluster;

	private final Random random;

	private final List<Client> clients;

	private final List<String> wrong = new ArrayList<>();

	/* When a client was first shown that a version has ended. */
	private final Map<Timestamp, Long> ended = new HashMap<>();

	private @Nullable Lease latest;

	/* The node whose clock is far off, -1 for none. */
	private int moved = -1;

	private int created;

	private int touched;

	private int expired;

	private int refused;

	/* A lease that a client has been answered. */
	private static final class Lease {

		private final Timestamp version;

		/* By the last touch that was answered, and by the last one that was sent. */
		private long dueMillis;

		private long latestMillis;

		private boolean isGivenBack;

		private Lease(Timestamp version, long dueMillis) {
			this.version = version;
			this.dueMillis = dueMillis;
			this.latestMillis = dueMillis;
		}

		private Condition condition() {
			return new Condition(Condition.Versions.of(List.of(this.version)), null);
		}

	}

	LeaseSimulation(long seed, Path directory) {
		this.random = new Random(seed);
		Weather weather = Weather.calm(false);
		weather.isCalm = false;
		weather.lost = 0;
		weather.lostRequests = 20;
		weather.slow = 60;
		weather.slowest = Duration.ofMillis(600);
		weather.slowLayouts = 0;
		weather.crashes = 0;
		weather.mostSkewMillis = 0;
		weather.believed = Duration.ofSeconds(60);
		List<String> ids = List.of("n0", "n1", "n2");
		this.cluster = new SimulatedCluster(PlantedBug.NONE, weather, new DrivenMember.Configured(ids, 3), 3,
				directory.resolve("lease-" + seed));
		this.clients = IntStream.range(0, 4).mapToObj(Client::new).toList();
	}

	/**
	 * Runs it for so long.
	 * @return sentences that say what is wrong
	 */
	List<String> run(Duration time) {
		this.cluster.start();
		this.cluster.tick();
		this.cluster.nodes().forEach((node) -> node.moveClock(right()));
		this.cluster.time().run(Duration.ofSeconds(10));
		this.cluster.time().each(Duration.ofSeconds(10), this::moveClock);
		this.clients.forEach(Client::goOn);
		this.cluster.time().run(time);
		return this.wrong;
	}

	/** Number of leases, of touches and of leases that have expired. */
	List<Integer> done() {
		return List.of(this.created, this.touched, this.expired);
	}

	/** Number of requests that found no agreement of the clocks. */
	int refused() {
		return this.refused;
	}

	private void moveClock() {
		if (this.moved >= 0) {
			this.cluster.nodes().get(this.moved).moveClock(right());
			this.moved = -1;
			return;
		}
		this.moved = this.random.nextInt(3);
		if (this.random.nextInt(3) == 0) {
			this.cluster.nodes().get(this.moved).freeze(Duration.ofMillis(1 + this.random.nextInt(8000)));
			return;
		}
		this.cluster.nodes().get(this.moved).moveClock(this.random.nextBoolean() ? 50_000 : -50_000);
	}

	/* By how much a clock that is right is ahead. */
	private long right() {
		return this.random.nextLong(-RIGHT_MILLIS, RIGHT_MILLIS + 1);
	}

	private long now() {
		return this.cluster.time().millis();
	}

	private void violated(String what) {
		this.wrong.add("at %d ms %s".formatted(now(), what));
	}

	private final class Client {

		private final int number;

		private @Nullable Lease held;

		private long believesUntil;

		private Client(int number) {
			this.number = number;
		}

		private boolean believes() {
			return this.held != null && now() < this.believesUntil;
		}

		private void goOn() {
			goOnIn(LeaseSimulation.this.random.nextLong(400));
		}

		private void goOnIn(long millis) {
			LeaseSimulation.this.cluster.time().in(Duration.ofMillis(millis), this::turn);
		}

		private void turn() {
			DrivenCoordinator by = any();
			Lease its = this.held;
			if (its == null) {
				if (LeaseSimulation.this.random.nextInt(8) == 0) {
					create(by);
				}
				else {
					look(by);
				}
			}
			else if (!believes()) {
				this.held = null;
				touch(its, by);
			}
			else {
				switch (LeaseSimulation.this.random.nextInt(6)) {
					case 0 -> giveBack(its, by);
					case 1 -> {
						// It touches it when it has ended, or has not quite.
						goOnIn(its.dueMillis - now() + right());
					}
					default -> touch(its, by);
				}
			}
		}

		private DrivenCoordinator any() {
			List<SimulatedNode> running = LeaseSimulation.this.cluster.nodes()
				.stream()
				.filter((node) -> !node.isFrozen())
				.toList();
			SimulatedNode node = running.get(LeaseSimulation.this.random.nextInt(running.size()));
			return Objects.requireNonNull(node.process()).coordinator();
		}

		private void create(DrivenCoordinator by) {
			long begun = now();
			Lease before = LeaseSimulation.this.latest;
			by.writeIf(KEY, Condition.ABSENT, Value.copyOf(new byte[] { (byte) this.number }), TTL, TIMEOUT)
				.subscribe((version) -> {
					created(version, begun);
					goOnIn(TTL_MILLIS / 3);
				}, (failure) -> {
					Timestamp current = DrivenCoordinator.current(failure);
					if (current != null && before != null && before.version.equals(current)
							&& begun > before.latestMillis + WRONG_MILLIS) {
						violated("%s lives, which was due at %d".formatted(current, before.latestMillis));
					}
					alive(current, begun);
					LeaseSimulation.this.refused += DrivenCoordinator.isWithoutTime(failure) ? 1 : 0;
					goOn();
				});
		}

		private void created(Timestamp version, long begun) {
			Lease before = LeaseSimulation.this.latest;
			if (before != null && !before.isGivenBack) {
				LeaseSimulation.this.expired++;
				if (now() < before.dueMillis - WRONG_MILLIS) {
					violated("%s has ended, which is due at %d".formatted(before.version, before.dueMillis));
				}
			}
			LeaseSimulation.this.created++;
			this.held = new Lease(version, begun + TTL_MILLIS);
			LeaseSimulation.this.latest = this.held;
			believe(begun);
		}

		private void believe(long begun) {
			this.believesUntil = Math.max(this.believesUntil, begun + TTL_MILLIS - MARGIN_MILLIS);
			if (believes()) {
				LeaseSimulation.this.clients.stream()
					.filter((other) -> other != this && other.believes())
					.forEach((other) -> violated("%d and %d hold it".formatted(this.number, other.number)));
			}
		}

		private void touch(Lease its, DrivenCoordinator by) {
			long begun = now();
			its.latestMillis = begun + TIMEOUT.toMillis() + TTL_MILLIS;
			by.touch(KEY, its.condition(), TTL, TIMEOUT).subscribe((touched) -> {
				LeaseSimulation.this.touched++;
				its.dueMillis = Math.max(its.dueMillis, begun + TTL_MILLIS);
				alive(touched.version(), begun);
				this.held = its;
				believe(begun);
				goOnIn(TTL_MILLIS / 3);
			}, (failure) -> {
				if (DrivenCoordinator.current(failure) != null) {
					LeaseSimulation.this.ended.putIfAbsent(its.version, now());
					if (now() < its.dueMillis - WRONG_MILLIS) {
						violated("%s has ended, which is due at %d".formatted(its.version, its.dueMillis));
					}
				}
				LeaseSimulation.this.refused += DrivenCoordinator.isWithoutTime(failure) ? 1 : 0;
				goOnIn(300);
			});
		}

		private void giveBack(Lease its, DrivenCoordinator by) {
			this.believesUntil = now();
			this.held = null;
			its.isGivenBack = true;
			by.writeIf(KEY, its.condition(), null, null, TIMEOUT).subscribe((_) -> goOn(), (_) -> goOn());
		}

		private void look(DrivenCoordinator by) {
			long begun = now();
			Lease before = LeaseSimulation.this.latest;
			by.readLinearizable(KEY, TIMEOUT).subscribe((found) -> {
				Timestamp version = found.map(Entry::version).orElse(null);
				boolean isAlive = found.filter((entry) -> !entry.isTombstone()).isPresent();
				if (isAlive) {
					alive(version, begun);
				}
				else if (before != null && before.version.equals(version)) {
					LeaseSimulation.this.ended.putIfAbsent(before.version, now());
					if (now() < before.dueMillis - WRONG_MILLIS) {
						violated("%s is gone, which is due at %d".formatted(version, before.dueMillis));
					}
				}
				goOn();
			}, (failure) -> {
				LeaseSimulation.this.refused += DrivenCoordinator.isWithoutTime(failure) ? 1 : 0;
				goOn();
			});
		}

		/* A request that began when the version was seen as ended already. */
		private void alive(@Nullable Timestamp version, long begun) {
			Long ended = (version != null) ? LeaseSimulation.this.ended.get(version) : null;
			if (ended != null && begun > ended) {
				violated("%s lives again, by a request of %d".formatted(version, begun));
			}
		}

	}

}
