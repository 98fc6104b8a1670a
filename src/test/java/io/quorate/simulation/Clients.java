package io.quorate.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.DrivenCoordinator;
import io.quorate.coordinator.Touched;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.IdempotencyKey;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
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

	/* Of dense requests. */
	private static final int FEW_KEYS = 3;

	private static final int MOST_AT_ONCE = 4;

	private static final long SOON_MILLIS = 400;

	private static final long AT_ONCE_NANOS = 2_000_000;

	private static final int UNSEEN = -2;

	private static final Duration NEVER_REACHED = Duration.ofDays(1);

	/* By how much clocks are apart at most that surely agree. */
	private static final long AGREED_MILLIS = 400;

	/* By then it is known of each node whether it has missed a write. */
	private static final Duration NOTED = Duration.ofSeconds(1);

	/* A deadline may be met one tick late, and passes between two of them. */
	private static final Duration LATE = DrivenCoordinator.TICK.multipliedBy(2);

	private final SimulatedCluster cluster;

	private final Random random;

	private final List<Key> keys;

	private final List<Open> open = new ArrayList<>();

	private final Map<Value, Integer> numbers = new HashMap<>();

	private boolean isOver;

	private boolean isOnlyReading;

	private boolean isToSucceed;

	private int answered;

	private int asked;

	private int failedInCalm;

	private int unmet;

	private int repeated;

	private int touched;

	private final List<String> calmFailures = new ArrayList<>();

	/* What clients have seen last of each key, and the value of each version. */
	private final Map<Key, Version> versions = new HashMap<>();

	private final Map<Timestamp, Integer> valuesOf = new HashMap<>();

	/* A request that has no outcome yet. */
	private record Open(SimulatedProcess coordinator, boolean isToSucceed, long untilNanos, Runnable unknown) {
	}

	/** The promise that clients have of a key. */
	enum Promise {

		/** Nothing. */
		NOTHING,

		/** Reads find what was acknowledged before they began. */
		READ,

		/** Later writes win over earlier ones, too, and reads do not go back. */
		REGISTER

	}

	/** The consistency with which a key is written and read. */
	record Mode(Promise promise, Consistency write, Consistency read) {

		static final Mode MAJORITY = new Mode(Promise.REGISTER, Consistency.DEFAULT, Consistency.DEFAULT);

		static final Mode NARROW = new Mode(Promise.REGISTER, Consistency.majorityOf(2), Consistency.majorityOf(2));

		static final Mode WRITTEN_TO_ONE = new Mode(Promise.READ, new Consistency(1, Consistency.ALL),
				new Consistency(ALL, ALL));

		static final Mode READ_FROM_ONE = new Mode(Promise.READ, new Consistency(ALL, ALL),
				new Consistency(1, Consistency.ALL));

		/** As many acks of so many copies, each request for itself. */
		static Mode of(int writeAck, int readAck, int copies) {
			Consistency write = new Consistency(writeAck, copies);
			Consistency read = new Consistency(readAck, copies);
			return new Mode((isMajority(write) && isMajority(read)) ? Promise.REGISTER : Promise.READ, write, read);
		}

		private static boolean isMajority(Consistency its) {
			return its.equals(Consistency.DEFAULT) || (its.from() != Consistency.ALL && 2 * its.ack() > its.from());
		}

		boolean isRegister() {
			return this.promise == Promise.REGISTER;
		}

		boolean isWrittenByMajority() {
			return isMajority(this.write);
		}

		boolean isReadByMajority() {
			return isMajority(this.read);
		}

		private boolean isOfOne(boolean isWrite) {
			return (isWrite ? this.write : this.read).ack() == 1;
		}

		/* Of fewer copies. */
		private Mode narrowed(int copies) {
			return new Mode(this.promise, new Consistency(Math.min(this.write.ack(), copies), copies),
					new Consistency(Math.min(this.read.ack(), copies), copies));
		}

	}

	private Mode modeOf(Key key) {
		int number = this.keys.indexOf(key);
		Mode only = this.cluster.weather().mode;
		if (only != null) {
			return (only.promise() != Promise.NOTHING) ? only
					: only.narrowed(1 + this.random.nextInt(only.write().from()));
		}
		if (!this.cluster.weather().isOneCopyEnough()) {
			return Mode.MAJORITY;
		}
		return (number < 2) ? Mode.NARROW
				: (number < 5) ? Mode.WRITTEN_TO_ONE : (number < 9) ? Mode.READ_FROM_ONE : Mode.MAJORITY;
	}

	Clients(SimulatedCluster cluster) {
		this.cluster = cluster;
		this.random = cluster.weather().random(2);
		this.keys = IntStream.range(0, cluster.weather().isDense ? FEW_KEYS : KEYS)
			.mapToObj((i) -> Key.of("key-" + (KEYS * this.random.nextInt(1000) + i)))
			.toList();
		cluster.onKill(this::killed);
	}

	void begin() {
		boolean isDense = this.cluster.weather().isDense;
		this.cluster.time().in(isDense ? soon() : Duration.ofMillis(this.random.nextLong(PAUSE_MILLIS)), () -> {
			if (!this.isOver) {
				int burst = isDense ? 1 : 1 + this.random.nextInt(MOST_OF_A_BURST);
				for (int i = 0; i < burst; i++) {
					if (!isDense) {
						ask();
					}
					else if (this.open.size() < MOST_AT_ONCE) {
						askDensely();
					}
				}
				begin();
			}
		});
	}

	/* Mostly while the last request is under way. */
	private Duration soon() {
		return (this.random.nextInt(4) == 0) ? Duration.ofMillis(this.random.nextLong(SOON_MILLIS))
				: Duration.ofNanos(this.random.nextLong(AT_ONCE_NANOS));
	}

	private void askDensely() {
		List<SimulatedProcess> members = members();
		if (members.isEmpty()) {
			return;
		}
		SimulatedProcess coordinator = members.get(this.random.nextInt(members.size()));
		Key key = this.keys.get(this.random.nextInt(this.keys.size()));
		Mode mode = modeOf(key);
		long longest = this.cluster.weather().longestTimeout.toMillis();
		Duration timeout = Duration
			.ofMillis(this.cluster.weather().isCalm ? longest : 20 + this.random.nextLong(longest - 20));
		this.asked++;
		if (this.cluster.weather().conditional > 0 && this.random.nextInt(100) < this.cluster.weather().conditional) {
			askRegister(key, coordinator, timeout);
			return;
		}
		switch (this.random.nextInt(12)) {
			case 0, 1, 2, 3, 4 -> read(key, mode, coordinator, timeout);
			case 5 -> scan(mode, coordinator, timeout);
			case 6 -> write(key, mode, coordinator, timeout, null);
			default -> write(key, mode, coordinator, timeout, nextValue());
		}
	}

	private List<SimulatedProcess> members() {
		return this.cluster.processes()
			.stream()
			.filter((process) -> process.layouts().isMember() && process.layouts().current().version() > 1)
			.toList();
	}

	private void askRegister(Key key, SimulatedProcess coordinator, Duration timeout) {
		Version last = this.versions.getOrDefault(key, Version.NONE);
		switch (this.random.nextInt(12)) {
			case 0, 1, 2 -> readLinearizable(key, coordinator, timeout);
			case 3 -> writeIf(key, null, coordinator, timeout, nextValue());
			case 4 -> writeIf(key, Version.NONE, coordinator, timeout, nextValue());
			case 5 -> writeIf(key, last, coordinator, timeout, null);
			case 6 -> touch(key, null, coordinator, timeout);
			case 7 -> touch(key, last, coordinator, timeout);
			default -> writeIf(key, last, coordinator, timeout, nextValue());
		}
	}

	/*
	 * The version of a key that a client has seen last, and its value; or that it has
	 * none.
	 */
	private record Version(Timestamp timestamp, int number) {

		private static final Version NONE = new Version(Timestamp.ZERO, RegisterHistory.ABSENT);

		private Condition condition() {
			return equals(NONE) ? Condition.ABSENT
					: new Condition(Condition.Versions.of(List.of(this.timestamp)), null);
		}

	}

	private void sees(Key key, Timestamp version, int number) {
		this.versions.put(key, (number != RegisterHistory.ABSENT) ? new Version(version, number) : Version.NONE);
		this.valuesOf.put(version, number);
	}

	void readLinearizable(Key key, SimulatedProcess coordinator, Duration timeout) {
		long began = now();
		Timestamp known = this.cluster.judge().known(key);
		watch(coordinator, coordinator.coordinator().readLinearizable(key, timeout), timeout, (found) -> {
			Entry entry = found.orElse(null);
			this.cluster.judge().found(key, entry, known, coordinator, true);
			sees(key, (entry != null) ? entry.version() : Timestamp.ZERO, number(found));
			history(key).readSettled(number(found), began, now());
		}, Clients::nothing, Clients::nothing);
	}

	/*
	 * Of some values touches change the expiry, which none of them reaches. Where the
	 * clocks do not agree none is given.
	 */
	private @Nullable Duration expiring(int number) {
		boolean isAgreed = this.cluster.weather().mostSkewMillis <= AGREED_MILLIS;
		return (isAgreed && number % 2 == 0) ? NEVER_REACHED : null;
	}

	/** Begins to renew the time to live of what a key holds, or of a version. */
	private void touch(Key key, @Nullable Version expected, SimulatedProcess coordinator, Duration timeout) {
		long began = now();
		Timestamp known = this.cluster.judge().known(key);
		Condition condition = (expected == null || expected.equals(Version.NONE))
				? new Condition(Condition.Versions.ANY, null) : expected.condition();
		watch(coordinator,
				coordinator.coordinator()
					.touch(key, condition, NEVER_REACHED.plusMillis(began / 1_000_000), timeout)
					.map(Touched::version),
				timeout, (version) -> {
					this.touched++;
					this.cluster.judge().acknowledged(key, version, known, false);
					readSettled(key, version, began);
				}, Clients::nothing, Clients::nothing, (failure) -> {
					Timestamp current = DrivenCoordinator.current(failure);
					if (current != null) {
						readSettled(key, current, began);
					}
				});
	}

	private void readSettled(Key key, Timestamp version, long began) {
		int number = version.equals(Timestamp.ZERO) ? RegisterHistory.ABSENT
				: this.valuesOf.getOrDefault(version, UNSEEN);
		if (number != UNSEEN) {
			sees(key, version, number);
			history(key).readSettled(number, began, now());
		}
	}

	/** Number of values whose time to live was renewed. */
	int touched() {
		return this.touched;
	}

	/** Begins to write a key that has no value. */
	void create(Key key, SimulatedProcess coordinator, Duration timeout) {
		writeIf(key, Version.NONE, coordinator, timeout, nextValue());
	}

	/**
	 * Begins a write through the register of a key.
	 * @param expected version that it has to replace, {@code null} for any
	 * @param value value to be written, {@code null} for a deletion
	 */
	private void writeIf(Key key, @Nullable Version expected, SimulatedProcess coordinator, Duration timeout,
			@Nullable Value value) {
		// A plain write ends what is remembered.
		boolean isRepeatable = expected != null && this.cluster.weather().conditional == 100
				&& this.random.nextBoolean();
		writeIf(new ConditionalWrite(key, expected, value,
				isRepeatable ? new IdempotencyKey(this.random.nextLong(), this.random.nextLong()) : null, now(),
				this.cluster.judge().known(key)), coordinator, timeout, null);
	}

	/* A write that clients may send again under the key that it has, if it has one. */
	private record ConditionalWrite(Key key, @Nullable Version expected, @Nullable Value value,
			@Nullable IdempotencyKey once, long began, Timestamp known) {

		private Condition condition() {
			Condition condition = (this.expected != null) ? this.expected.condition() : Condition.NONE;
			return (this.once != null) ? condition.once(this.once) : condition;
		}

	}

	/**
	 * Sends a write.
	 * @param before an earlier request for the same write, {@code null} for none
	 */
	private void writeIf(ConditionalWrite write, SimulatedProcess coordinator, Duration timeout,
			@Nullable Unknown before) {
		Key key = write.key();
		Value value = write.value();
		Version expected = write.expected();
		long began = write.began();
		long sent = now();
		int number = (value != null) ? this.numbers.getOrDefault(value, -1) : RegisterHistory.ABSENT;
		int replaced = (expected != null) ? expected.number() : RegisterHistory.ANYTHING;
		Judge judge = this.cluster.judge();
		long until = sent + timeout.toNanos();
		Unknown unknown = new Unknown(() -> history(key).unknownReplaced(replaced, number, began, until), until);
		Runnable isStillUnknown = (before != null) ? before.note() : Clients::nothing;
		watch(coordinator, coordinator.coordinator().writeIf(key, write.condition(), value, expiring(number), timeout),
				timeout, (version) -> {
					judge.acknowledged(key, version, write.known(), value == null);
					sees(key, version, number);
					history(key).replaced(replaced, number, began, now());
				}, () -> {
					if (write.once() == null || before != null || !repeat(write, timeout, unknown)) {
						unknown.note().run();
					}
				}, () -> {
					isStillUnknown.run();
					if (value != null && before == null) {
						judge.refused(value);
					}
				}, (failure) -> {
					Timestamp current = DrivenCoordinator.current(failure);
					// That there is no value may be true again while the first one is
					// under way.
					boolean mayHoldAgain = Version.NONE.equals(expected) && before != null
							&& sent < before.untilNanos();
					if (current == null || mayHoldAgain || DrivenCoordinator.isForgotten(failure)) {
						isStillUnknown.run();
					}
					if (current != null) {
						readSettled(key, current, sent);
						this.unmet++;
					}
				});
	}

	/**
	 * A request whose outcome is unknown.
	 *
	 * @param note notes that it stays so
	 * @param untilNanos its deadline
	 */
	private record Unknown(Runnable note, long untilNanos) {
	}

	/** Sends a write again, through any member; whether there is one. */
	private boolean repeat(ConditionalWrite write, Duration timeout, Unknown unknown) {
		List<SimulatedProcess> members = members();
		if (members.isEmpty()) {
			return false;
		}
		this.repeated++;
		writeIf(write, members.get(this.random.nextInt(members.size())), timeout, unknown);
		return true;
	}

	/** Number of writes that were sent again. */
	int repeated() {
		return this.repeated;
	}

	/** The failures of requests while nothing went wrong. */
	List<String> calmFailures() {
		return this.calmFailures;
	}

	/** Number of writes whose condition did not hold. */
	int unmet() {
		return this.unmet;
	}

	/**
	 * From now on clients only read: what was acknowledged has to be there to the end.
	 */
	void endWrites() {
		this.isOnlyReading = true;
	}

	/** From now on nothing excuses the failure of a request. */
	void expectSuccess() {
		this.isToSucceed = true;
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

	/** Number of requests that failed while nothing went wrong. */
	int failedInCalm() {
		return this.failedInCalm;
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
				for (Key key : this.keys) {
					read(key, process, Duration.ofMillis(1500));
				}
			}
		}
	}

	/** A value that no write has had. */
	Value nextValue() {
		int number = this.numbers.size() + 1;
		byte[] large = { (byte) number, (byte) (number >> 8) };
		boolean isSmall = this.cluster.weather().isDense && number % 3 == 0;
		Value value = Value.copyOf(isSmall ? new byte[] { (byte) number } : large);
		this.numbers.put(value, number);
		return value;
	}

	private void read(Key key, SimulatedProcess coordinator, Duration timeout) {
		read(key, modeOf(key), coordinator, timeout);
	}

	void read(Key key, Mode mode, SimulatedProcess coordinator, Duration timeout) {
		long began = now();
		long beganMillis = coordinator.clock().currentMillis();
		Timestamp known = (mode.promise() != Promise.NOTHING) ? this.cluster.judge().known(key) : Timestamp.ZERO;
		watch(coordinator, coordinator.coordinator().read(key, mode.read(), timeout), timeout, (found) -> {
			Entry entry = found.orElse(null);
			this.cluster.judge()
				.found(key, entry, known, coordinator, mode.promise() != Promise.NOTHING && mode.isReadByMajority());
			if (entry != null && mode.isRegister() && areClocksBelieved()) {
				this.cluster.judge().expires(entry, began, beganMillis, coordinator.clock().currentMillis());
			}
			if (mode.isRegister()) {
				history(key).read(number(found), began, now());
			}
		}, Clients::nothing, Clients::nothing);
	}

	private static void nothing() {
	}

	private boolean areClocksBelieved() {
		return this.cluster.weather().believed.toMillis() > this.cluster.weather().mostSkewMillis;
	}

	private void scan(Mode mode, SimulatedProcess coordinator, Duration timeout) {
		Map<Key, Timestamp> known = new HashMap<>();
		this.keys.forEach((key) -> known.put(key, this.cluster.judge().known(key)));
		ScanRange range = new ScanRange(Key.of("key"), null, this.random.nextBoolean());
		/* Each page has the timeout to itself, and there may be as many as keys. */
		Duration longest = timeout.plus(LATE).multipliedBy(this.keys.size() + 1);
		watch(coordinator, coordinator.coordinator().scan(range, this.random.nextBoolean(), mode.read(), timeout),
				longest, (found) -> {
					if (mode.promise() != Promise.NOTHING) {
						this.cluster.judge().listed(found, range, known);
					}
				}, Clients::nothing, Clients::nothing);
	}

	/*
	 * A value stays the one that was read when a round has settled that it has expired.
	 */
	private int number(Optional<Entry> found) {
		Entry its = found.map((entry) -> entry.isTombstone() ? this.cluster.judge().valueOf(entry.version()) : entry)
			.orElse(null);
		return (its instanceof Entry.Live live) ? this.numbers.getOrDefault(live.value(), -1) : RegisterHistory.ABSENT;
	}

	/**
	 * Begins a write.
	 * @param value value to be written, {@code null} for a deletion
	 */
	void write(Key key, Mode mode, SimulatedProcess coordinator, Duration timeout, @Nullable Value value) {
		long began = now();
		int number = (value != null) ? this.numbers.getOrDefault(value, -1) : RegisterHistory.ABSENT;
		Judge judge = this.cluster.judge();
		Timestamp known = (mode.promise() != Promise.NOTHING && mode.isWrittenByMajority()) ? judge.known(key)
				: Timestamp.ZERO;
		Mono<Timestamp> write = (value != null)
				? coordinator.coordinator().put(key, value, ttl(), mode.write(), timeout)
				: coordinator.coordinator().delete(key, mode.write(), timeout);
		watch(coordinator, write, timeout, (timestamp) -> {
			judge.acknowledged(key, timestamp, known, value == null);
			sees(key, timestamp, number);
			if (mode.isRegister()) {
				history(key).written(number, began, now());
			}
			this.cluster.time().in(timeout.plus(NOTED), () -> {
				if (this.cluster.weather().isDense && !coordinator.isDead()) {
					judge.requireMissesKnown(key, timestamp);
				}
			});
		}, () -> {
			if (mode.isRegister()) {
				history(key).unknown(number, began);
			}
		}, () -> {
			if (value != null) {
				judge.refused(value);
			}
		});
	}

	private @Nullable Duration ttl() {
		return (this.cluster.weather().isDense && this.cluster.weather().conditional == 0
				&& this.random.nextInt(4) == 0) ? Duration.ofMillis(1 + this.random.nextInt(2000)) : null;
	}

	/* A request ends once, and not after its deadline. */
	private <T> void watch(SimulatedProcess coordinator, Mono<T> request, Duration timeout, Consumer<T> answered,
			Runnable unknown, Runnable refused) {
		watch(coordinator, request, timeout, answered, unknown, refused, (_) -> {
		});
	}

	private <T> void watch(SimulatedProcess coordinator, Mono<T> request, Duration timeout, Consumer<T> answered,
			Runnable unknown, Runnable refused, Consumer<Throwable> withoutEffect) {
		Open its = new Open(coordinator, this.isToSucceed, now() + timeout.plus(LATE).toNanos(), unknown);
		this.open.add(its);
		request.subscribe((answer) -> {
			if (ends(its)) {
				this.answered++;
				answered.accept(answer);
			}
		}, (failure) -> {
			boolean isRefused = DrivenCoordinator.isRefused(failure);
			boolean isUnmet = DrivenCoordinator.current(failure) != null;
			boolean isWithoutEffect = isUnmet || DrivenCoordinator.isWithoutEffect(failure);
			if (!isRefused && !isWithoutEffect && !DrivenCoordinator.isUnknown(failure)) {
				this.cluster.judge().violated("a request has failed: %s".formatted(failure));
			}
			if (ends(its)) {
				if (its.isToSucceed() && !isUnmet) {
					this.failedInCalm++;
					this.calmFailures.add(failure.toString());
				}
				if (isWithoutEffect) {
					withoutEffect.accept(failure);
				}
				else {
					(isRefused ? refused : unknown).run();
				}
			}
		});
	}

	private boolean ends(Open its) {
		if (now() > its.untilNanos()) {
			this.cluster.judge().violated("a request has ended after its deadline");
		}
		return this.open.remove(its);
	}

	/** All requests have ended, and hold nothing any more. */
	void requireEnded() {
		if (!this.open.isEmpty()) {
			this.cluster.judge().violated("%d requests have no end".formatted(this.open.size()));
		}
		this.cluster.processes()
			.stream()
			.filter((process) -> !process.coordinator().isIdle())
			.forEach((process) -> this.cluster.judge()
				.violated("%s holds what no request needs any more".formatted(process)));
	}

	/* No client hears what became of it. */
	private void killed(SimulatedProcess process) {
		List<Open> lost = this.open.stream().filter((each) -> each.coordinator() == process).toList();
		this.open.removeAll(lost);
		lost.forEach((each) -> each.unknown().run());
	}

	private RegisterHistory history(Key key) {
		return this.cluster.judge().history(key);
	}

	private long now() {
		return this.cluster.time().nanos();
	}

}
