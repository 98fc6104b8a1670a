package io.quorate.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.DrivenCoordinator;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.history.RegisterHistory;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Clients that write, delete and read some keys by majorities, through any node that
 * takes itself for a member, and note what they are told.
 */
final class Clients {

	private static final int KEYS = 16;

	private static final long PAUSE_MILLIS = 700;

	/* More than there are copies. */
	private static final int ALL = 100;

	private static final int MOST_OF_A_BURST = 4;

	private final SimulatedCluster cluster;

	private final Random random;

	private final List<Key> keys;

	private final List<Open> open = new ArrayList<>();

	private final Map<Value, Integer> numbers = new HashMap<>();

	private boolean isOver;

	private boolean isOnlyReading;

	private int answered;

	private int asked;

	/* A write that has no outcome yet. */
	private record Open(SimulatedProcess coordinator, Runnable lost) {
	}

	/**
	 * The consistency with which a key is written and read.
	 *
	 * @param isRegister whether later writes win over earlier ones, and reads do not go
	 * back
	 */
	record Mode(boolean isRegister, Consistency write, Consistency read) {

		static final Mode MAJORITY = new Mode(true, Consistency.DEFAULT, Consistency.DEFAULT);

		static final Mode NARROW = new Mode(true, Consistency.majorityOf(2), Consistency.majorityOf(2));

		static final Mode WRITTEN_TO_ONE = new Mode(false, new Consistency(1, Consistency.ALL),
				new Consistency(ALL, ALL));

		static final Mode READ_FROM_ONE = new Mode(false, new Consistency(ALL, ALL),
				new Consistency(1, Consistency.ALL));

		private boolean isOfOne(boolean isWrite) {
			return (isWrite ? this.write : this.read).ack() == 1;
		}

	}

	private Mode modeOf(Key key) {
		int number = this.keys.indexOf(key);
		if (!this.cluster.weather().isOneCopyEnough()) {
			return Mode.MAJORITY;
		}
		return (number < 2) ? Mode.NARROW
				: (number < 5) ? Mode.WRITTEN_TO_ONE : (number < 9) ? Mode.READ_FROM_ONE : Mode.MAJORITY;
	}

	Clients(SimulatedCluster cluster) {
		this.cluster = cluster;
		this.random = cluster.weather().random(2);
		this.keys = IntStream.range(0, KEYS)
			.mapToObj((i) -> Key.of("key-" + (KEYS * this.random.nextInt(1000) + i)))
			.toList();
		cluster.onKill(this::killed);
	}

	void begin() {
		this.cluster.time().in(Duration.ofMillis(this.random.nextLong(PAUSE_MILLIS)), () -> {
			if (!this.isOver) {
				int burst = 1 + this.random.nextInt(MOST_OF_A_BURST);
				for (int i = 0; i < burst; i++) {
					ask();
				}
				begin();
			}
		});
	}

	/**
	 * From now on clients only read: what was acknowledged has to be there to the end.
	 */
	void endWrites() {
		this.isOnlyReading = true;
	}

	void end() {
		this.isOver = true;
	}

	int asked() {
		return this.asked;
	}

	int answered() {
		return this.answered;
	}

	private void ask() {
		int number = this.random.nextInt(KEYS);
		int what = this.random.nextInt(100);
		int which = this.random.nextInt(1 << 20);
		Duration timeout = Duration.ofMillis(300 + this.random
			.nextLong((this.random.nextInt(3) > 0) ? 1000 : this.cluster.weather().longestTimeout.toMillis() - 300));
		List<SimulatedProcess> ready = this.cluster.processes().stream().filter(SimulatedProcess::isReady).toList();
		if (ready.isEmpty()) {
			return;
		}
		SimulatedProcess coordinator = ready.get(which % ready.size());
		Key key = this.keys.get(number);
		boolean isWrite = !this.isOnlyReading && what < this.cluster.weather().writes;
		/* It may be no member any more: by itself it would know what was long ago. */
		if (modeOf(key).isOfOne(isWrite) && !coordinator.hasReachedOthers()) {
			return;
		}
		this.asked++;
		if (isWrite) {
			boolean isDeletion = what < this.cluster.weather().writes / 2;
			write(key, modeOf(key), coordinator, timeout, isDeletion ? null : nextValue());
		}
		else {
			read(key, coordinator, timeout);
		}
	}

	/** Reads all keys through all members, at the end. */
	void readAll() {
		for (SimulatedProcess process : this.cluster.processes()) {
			if (process.isReady()) {
				for (int i = 0; i < KEYS; i++) {
					read(this.keys.get(i), process, Duration.ofMillis(1500));
				}
			}
		}
	}

	/** A value that no write has had. */
	Value nextValue() {
		int number = this.numbers.size() + 1;
		Value value = Value.copyOf(new byte[] { (byte) number, (byte) (number >> 8) });
		this.numbers.put(value, number);
		return value;
	}

	private void read(Key key, SimulatedProcess coordinator, Duration timeout) {
		read(key, modeOf(key), coordinator, timeout);
	}

	void read(Key key, Mode mode, SimulatedProcess coordinator, Duration timeout) {
		long began = now();
		Timestamp known = this.cluster.judge().acknowledged(key);
		coordinator.coordinator().read(key, mode.read(), timeout).subscribe((found) -> {
			this.answered++;
			this.cluster.judge().found(key, found.orElse(null), known, coordinator);
			if (mode.isRegister()) {
				history(key).read(number(found), began, now());
			}
		}, this::requireExpected);
	}

	private int number(Optional<Entry> found) {
		return (found.orElse(null) instanceof Entry.Live live) ? this.numbers.getOrDefault(live.value(), -1)
				: RegisterHistory.ABSENT;
	}

	/**
	 * Begins a write.
	 * @param value value to be written, {@code null} for a deletion
	 */
	void write(Key key, Mode mode, SimulatedProcess coordinator, Duration timeout, @Nullable Value value) {
		long began = now();
		int number = (value != null) ? this.numbers.getOrDefault(value, -1) : RegisterHistory.ABSENT;
		Open its = new Open(coordinator, () -> {
			if (mode.isRegister()) {
				history(key).unknown(number, began);
			}
		});
		this.open.add(its);
		Mono<Timestamp> write = (value != null) ? coordinator.coordinator().put(key, value, mode.write(), timeout)
				: coordinator.coordinator().delete(key, mode.write(), timeout);
		write.subscribe((timestamp) -> {
			if (this.open.remove(its)) {
				this.answered++;
				this.cluster.judge().acknowledged(key, timestamp, value == null);
				if (mode.isRegister()) {
					history(key).written(number, began, now());
				}
			}
		}, (failure) -> {
			requireExpected(failure);
			if (this.open.remove(its) && !DrivenCoordinator.isRefused(failure)) {
				its.lost().run();
			}
		});
	}

	private void requireExpected(Throwable failure) {
		if (!DrivenCoordinator.isRefused(failure) && !DrivenCoordinator.isUnknown(failure)) {
			this.cluster.judge().violated("a request has failed: %s".formatted(failure));
		}
	}

	/* No client hears what became of it. */
	private void killed(SimulatedProcess process) {
		List<Open> lost = this.open.stream().filter((each) -> each.coordinator() == process).toList();
		this.open.removeAll(lost);
		lost.forEach((each) -> each.lost().run());
	}

	private RegisterHistory history(Key key) {
		return this.cluster.judge().history(key);
	}

	private long now() {
		return this.cluster.time().nanos();
	}

}
