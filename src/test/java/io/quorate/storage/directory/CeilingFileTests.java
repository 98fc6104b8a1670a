package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.HybridClock;
import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageStartException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class CeilingFileTests {

	private static final long START_MILLIS = 1_800_000_000_000L;

	private static final long LEAD_MILLIS = CeilingFile.LEAD.toMillis();

	@TempDir
	private Path directory;

	private final AtomicLong millis = new AtomicLong(START_MILLIS);

	private final AtomicInteger looks = new AtomicInteger();

	private final TimeSource time = () -> {
		this.looks.incrementAndGet();
		return this.millis.get();
	};

	@Test
	void aNewDirectoryHasNoLowestStartAndACeilingAheadOfThePresent() {
		try (CeilingFile ceiling = open()) {
			assertThat(ceiling.lowestStart()).isZero();
			assertThat(ceiling.durableHybrid()).isEqualTo(Timestamp.hybridOfMillis(START_MILLIS + LEAD_MILLIS));
		}
	}

	@Test
	void aKilledProcessGoesOnAtItsCeiling() throws IOException {
		try (CeilingFile ceiling = open()) {
			Path copy = copyOfDirectory();
			try (CeilingFile restarted = CeilingFile.open(copy, this.time)) {
				assertThat(restarted.lowestStart()).isEqualTo(ceiling.durableHybrid());
			}
		}
	}

	@Test
	void aClosedOneGoesOnWhereItsClockStood() {
		CeilingFile ceiling = open();
		HybridClock clock = clock(ceiling);
		Timestamp last = stamp(clock);
		ceiling.close();
		try (CeilingFile restarted = open()) {
			assertThat(restarted.lowestStart()).isEqualTo(last.hybrid());
		}
	}

	@Test
	void stampsGrowOverRestartsWithTheSystemClockSetBack() throws IOException {
		Timestamp last = Timestamp.ZERO;
		Path current = this.directory;
		for (int restart = 0; restart < 20; restart++) {
			this.millis.set(START_MILLIS - restart * 3_600_000L);
			try (CeilingFile ceiling = CeilingFile.open(current, this.time)) {
				HybridClock clock = clock(ceiling);
				for (int i = 0; i < 100; i++) {
					Timestamp next = stamp(clock);
					assertThat(next).as("restart %d", restart).isGreaterThan(last);
					last = next;
				}
				if (restart % 2 == 0) {
					current = copyOfDirectory(current, restart);
				}
			}
		}
	}

	@Test
	void theCeilingStaysAheadOfTheSystemClockWithoutBeingAsked() {
		try (CeilingFile ceiling = open()) {
			this.millis.addAndGet(LEAD_MILLIS - 1);
			await().until(ceiling::durableHybrid,
					(hybrid) -> hybrid == Timestamp.hybridOfMillis(this.millis.get() + LEAD_MILLIS));
		}
	}

	@Test
	void theCeilingStaysAheadOfAClockThatRunsAhead() {
		try (CeilingFile ceiling = open()) {
			HybridClock clock = clock(ceiling);
			long ahead = START_MILLIS + 3_600_000;
			clock.observe(Timestamp.ofMillis(ahead));
			await().until(ceiling::durableHybrid,
					(hybrid) -> hybrid == Timestamp.hybridOfMillis(ahead + CeilingFile.LEAD_OF_DRIVEN.toMillis()));
		}
	}

	/*
	 * Its thread looks at the ceiling at once, and when the clock has moved by counting.
	 */
	@Test
	void aCrashLoopDoesNotDriveTheClockAhead() throws Exception {
		Path current = this.directory;
		long last = 0;
		for (int kill = 0; kill < 100; kill++) {
			try (CeilingFile ceiling = CeilingFile.open(current, this.time)) {
				HybridClock clock = clock(ceiling);
				Timestamp first = stamp(clock);
				assertThat(first.hybrid()).as("kill %d", kill).isGreaterThan(last);
				Timestamp next = stamp(clock);
				if (kill % 10 == 0) {
					clock.observe(next);
					ceiling.raiseAbove(clock.currentHybrid() + 1).get(1, TimeUnit.MINUTES);
				}
				last = next.hybrid();
				current = copyOfDirectory(current, kill);
			}
			this.millis.addAndGet(50);
		}
		assertThat(Timestamp.millisOfHybrid(last) - this.millis.get()).isLessThan(LEAD_MILLIS + 1000);
	}

	@Test
	void aCeilingThatAWrongClockHasRaisedIsTakenBack() throws IOException {
		try (CeilingFile ceiling = open()) {
			HybridClock clock = clock(ceiling);
			this.millis.addAndGet(3_600_000);
			awaitCeiling(ceiling, START_MILLIS + 3_600_000 + LEAD_MILLIS);
			this.millis.set(START_MILLIS + 7);
			awaitCeiling(ceiling, START_MILLIS + 7 + LEAD_MILLIS);
			assertThat(stamp(clock).millis()).isEqualTo(START_MILLIS + 7);
			try (CeilingFile restarted = CeilingFile.open(copyOfDirectory(), this.time)) {
				assertThat(restarted.lowestStart()).isEqualTo(ceiling.durableHybrid());
			}
		}
	}

	@Test
	void aCeilingThatAStampHasFollowedStays() throws IOException {
		try (CeilingFile ceiling = open()) {
			HybridClock clock = clock(ceiling);
			this.millis.addAndGet(3_600_000);
			awaitCeiling(ceiling, START_MILLIS + 3_600_000 + LEAD_MILLIS);
			Timestamp last = stamp(clock);
			this.millis.set(START_MILLIS);
			int before = this.looks.get();
			await().until(() -> this.looks.get() > before + 6);
			assertThat(ceiling.durableHybrid()).as("after some turns of its thread").isGreaterThan(last.hybrid());
			try (CeilingFile restarted = CeilingFile.open(copyOfDirectory(), this.time)) {
				assertThat(restarted.lowestStart()).isGreaterThan(last.hybrid());
			}
		}
	}

	@Test
	void aRefusedStartRaisesNothing() throws IOException {
		Path killed = copyAtTheCeiling();
		byte[] before = Files.readAllBytes(killed.resolve("CLOCK"));
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> CeilingFile.open(killed, this.time, startedBefore(Duration.ofMinutes(10), false)))
			.withMessageContaining(killed.resolve("CLOCK").toString())
			.withMessageContaining("605000 ms ahead of this machine's clock")
			.withMessageContaining("start it again after")
			.withMessageContaining("quorate.clock.max-skew=606s")
			.withMessageNotContaining("drop-future-entries");
		assertThat(Files.readAllBytes(killed.resolve("CLOCK"))).isEqualTo(before);
	}

	@Test
	void aCeilingWithinTheGreatestSkewIsGoneOnFrom() throws IOException {
		Path killed = copyAtTheCeiling();
		try (CeilingFile ceiling = CeilingFile.open(killed, this.time, startedBefore(Duration.ofSeconds(40), true))) {
			assertThat(ceiling.lowestStart()).isEqualTo(Timestamp.hybridOfMillis(START_MILLIS + LEAD_MILLIS));
		}
	}

	@Test
	void aCeilingFromTheFutureIsForgottenWhenItsEntriesAreDropped() throws IOException {
		Path killed = copyAtTheCeiling();
		this.millis.addAndGet(-600_000);
		try (CeilingFile ceiling = CeilingFile.open(killed, this.time, startedBefore(Duration.ofMinutes(10), true))) {
			assertThat(ceiling.lowestStart()).isZero();
			assertThat(ceiling.durableHybrid())
				.isEqualTo(Timestamp.hybridOfMillis(START_MILLIS - 600_000 + LEAD_MILLIS));
		}
	}

	private Path copyAtTheCeiling() throws IOException {
		try (CeilingFile _ = open()) {
			return copyOfDirectory();
		}
	}

	private static FutureStamps startedBefore(Duration setBack, boolean dropped) {
		return new FutureStamps(START_MILLIS - setBack.toMillis(), Duration.ofSeconds(60), dropped);
	}

	private static void awaitCeiling(CeilingFile ceiling, long millis) {
		await().until(ceiling::durableHybrid, (hybrid) -> hybrid == Timestamp.hybridOfMillis(millis));
	}

	@Test
	void raisingCompletesWhenTheCeilingIsOnDisk() throws Exception {
		try (CeilingFile ceiling = open()) {
			long asked = Timestamp.hybridOfMillis(START_MILLIS + 60_000);
			ceiling.raiseAbove(asked).get(1, TimeUnit.MINUTES);
			assertThat(ceiling.durableHybrid()).isGreaterThan(asked);
			try (CeilingFile restarted = CeilingFile.open(copyOfDirectory(), this.time)) {
				assertThat(restarted.lowestStart()).isEqualTo(ceiling.durableHybrid());
			}
		}
	}

	@Test
	void cancellingOneWhoWaitsDisturbsNobodyElse() throws Exception {
		try (CeilingFile ceiling = open()) {
			long asked = Timestamp.hybridOfMillis(START_MILLIS + 60_000);
			ceiling.raiseAbove(asked).cancel(true);
			ceiling.raiseAbove(asked).get(1, TimeUnit.MINUTES);
			assertThat(ceiling.durableHybrid()).isGreaterThan(asked);
		}
	}

	@Test
	void aCeilingThatIsAlreadyReachedCompletesAtOnce() {
		try (CeilingFile ceiling = open()) {
			assertThat(ceiling.raiseAbove(ceiling.durableHybrid() - 1)).isCompleted();
		}
	}

	@Test
	void aFailureIsToldAndTriedAgainLater() throws Exception {
		AtomicBoolean broken = new AtomicBoolean();
		List<Long> attempts = new CopyOnWriteArrayList<>();
		try (CeilingFile ceiling = CeilingFile.open(new FakeRecorder(broken, attempts), this.time, 0)) {
			long before = ceiling.durableHybrid();
			broken.set(true);
			CompletableFuture<Void> raised = ceiling.raiseAbove(before);
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> raised.get(1, TimeUnit.MINUTES))
				.withCauseInstanceOf(StorageFailedException.class);
			assertThat(ceiling.durableHybrid()).isEqualTo(before);
			CompletableFuture<Void> again = ceiling.raiseAbove(before);
			broken.set(false);
			again.get(1, TimeUnit.MINUTES);
			assertThat(ceiling.durableHybrid()).isGreaterThan(before);
			assertThat(attempts).hasSize(3);
		}
	}

	@Test
	void aBrokenDiskIsNotTriedWithoutPause() throws IOException {
		AtomicBoolean broken = new AtomicBoolean();
		List<Long> attempts = new CopyOnWriteArrayList<>();
		try (CeilingFile ceiling = CeilingFile.open(new FakeRecorder(broken, attempts), this.time, 0)) {
			long before = ceiling.durableHybrid();
			broken.set(true);
			this.millis.addAndGet(LEAD_MILLIS);
			long begun = System.nanoTime();
			await().pollInterval(Duration.ofMillis(5)).until(() -> attempts.size() >= 3);
			assertThat(System.nanoTime() - begun).as("with a pause before the last").isGreaterThan(900_000_000);
			assertThat(ceiling.durableHybrid()).isEqualTo(before);
		}
	}

	@Test
	void nothingIsGivenOutAfterClosing() {
		CeilingFile ceiling = open();
		HybridClock clock = clock(ceiling);
		ceiling.close();
		ceiling.close();
		assertThat(clock.tryNow()).isNull();
		assertThat(clock.whenCeilingRaised()).isCompletedExceptionally();
	}

	@Test
	void aTornWriteLeavesWhatWasRecordedBefore() throws IOException {
		try (CeilingSlots slots = CeilingSlots.open(this.directory)) {
			slots.record(1000);
			byte[] before = Files.readAllBytes(file());
			slots.record(2000);
			byte[] after = Files.readAllBytes(file());
			for (int torn = 0; torn <= after.length; torn++) {
				byte[] mixed = before.clone();
				System.arraycopy(after, 0, mixed, 0, torn);
				Path copy = Files.createDirectories(this.directory.resolve("copy"));
				Files.write(copy.resolve("CLOCK"), mixed);
				try (CeilingSlots reopened = CeilingSlots.open(copy)) {
					assertThat(reopened.hybrid()).as("torn at %d", torn)
						.isEqualTo((torn >= CeilingSlots.SLOT_SIZE) ? 2000 : 1000);
				}
			}
		}
	}

	@Test
	void theNewerSlotCountsAlsoWhenItIsLower() throws IOException {
		for (long hybrid : new long[] { 50, 1000, 40, 30, 2000 }) {
			try (CeilingSlots slots = CeilingSlots.open(this.directory)) {
				slots.record(hybrid);
			}
			try (CeilingSlots slots = CeilingSlots.open(this.directory)) {
				assertThat(slots.hybrid()).isEqualTo(hybrid);
			}
		}
	}

	@Test
	void twoDamagedSlotsAreRefused() throws IOException {
		open().close();
		byte[] bytes = Files.readAllBytes(file());
		bytes[10] ^= 1;
		bytes[CeilingSlots.SLOT_DISTANCE + 10] ^= 1;
		Files.write(file(), bytes);
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(this::open)
			.withMessageContaining(file().toString())
			.withMessageContaining("neither of its two slots is valid");
		assertThat(Files.readAllBytes(file())).isEqualTo(bytes);
	}

	@Test
	void anEmptyFileIsRefused() throws IOException {
		Files.createFile(file());
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(this::open);
	}

	private CeilingFile open() {
		return CeilingFile.open(this.directory, this.time);
	}

	private HybridClock clock(CeilingFile ceiling) {
		HybridClock clock = new HybridClock(this.time, 1, ceiling, ceiling.lowestStart());
		ceiling.follow(clock);
		return clock;
	}

	private static Timestamp stamp(HybridClock clock) {
		return Objects.requireNonNull(clock.tryNow(), "the ceiling leaves room");
	}

	private Path copyOfDirectory() throws IOException {
		return copyOfDirectory(this.directory, 0);
	}

	private Path copyOfDirectory(Path from, int number) throws IOException {
		Path copy = Files.createDirectories(this.directory.resolve("copy" + number));
		Files.copy(from.resolve("CLOCK"), copy.resolve("CLOCK"));
		return copy;
	}

	private Path file() {
		return this.directory.resolve("CLOCK");
	}

	/** Records nothing, or fails. */
	private record FakeRecorder(AtomicBoolean broken, List<Long> attempts) implements CeilingFile.Recorder {

		@Override
		public void record(long hybrid) throws IOException {
			this.attempts.add(hybrid);
			if (this.broken.get()) {
				throw new IOException("broken");
			}
		}

		@Override
		public void close() {
		}

	}

}
