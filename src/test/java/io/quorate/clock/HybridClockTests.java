package io.quorate.clock;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HybridClockTests {

	private static final long START_MILLIS = 1_800_000_000_000L;

	private final AtomicLong millis = new AtomicLong(START_MILLIS);

	private final FakeCeiling ceiling = new FakeCeiling();

	private final HybridClock clock = new HybridClock(this.millis::get, 7, this.ceiling, 0);

	@Test
	void aStampIsThePresent() {
		assertThat(stamp()).isEqualTo(new Timestamp(Timestamp.hybridOfMillis(START_MILLIS), 7));
		this.millis.incrementAndGet();
		assertThat(stamp()).isEqualTo(new Timestamp(Timestamp.hybridOfMillis(START_MILLIS + 1), 7));
	}

	@Test
	void stampsOfOneMillisecondCountUp() {
		long first = stamp().hybrid();
		assertThat(stamp().hybrid()).isEqualTo(first + 1);
		assertThat(stamp().millis()).isEqualTo(START_MILLIS);
	}

	@Test
	void moreStampsThanAMillisecondHoldsRunIntoTheNext() {
		for (int i = 0; i < 1 << 16; i++) {
			assertThat(stamp().millis()).isEqualTo(START_MILLIS);
		}
		assertThat(stamp().hybrid()).isEqualTo(Timestamp.hybridOfMillis(START_MILLIS + 1));
	}

	@Test
	void aCeilingThatFellMeanwhileHoldsTheStampBack() {
		long low = Timestamp.hybridOfMillis(START_MILLIS);
		HybridClock overtaken = new HybridClock(() -> START_MILLIS + 10, 7, new ClockCeiling() {

			private boolean isAsked;

			@Override
			public long durableHybrid() {
				long shown = this.isAsked ? low : Long.MAX_VALUE;
				this.isAsked = true;
				return shown;
			}

			@Override
			public CompletableFuture<Void> raiseAbove(long hybrid) {
				return CompletableFuture.completedFuture(null);
			}

		}, 0);
		assertThat(overtaken.tryNow()).isNull();
		assertThat(overtaken.lastHybrid()).as("what who lowers the ceiling sees").isGreaterThan(low);
	}

	/** Else who waits for it is told at once, again and again, that it is high enough. */
	@Test
	void aCeilingRightAboveTheLastStampIsRaisedToo() {
		long last = stamp().hybrid();
		this.ceiling.durable.set(last + 1);
		assertThat(this.clock.tryNow()).isNull();
		var _ = this.clock.whenCeilingRaised();
		assertThat(this.ceiling.asked).containsExactly(last + 1);
	}

	@Test
	void stampsGoOnGrowingWhenTheSystemClockIsSetBack() {
		Timestamp before = stamp();
		this.millis.addAndGet(-3_600_000);
		assertThat(stamp().hybrid()).isEqualTo(before.hybrid() + 1);
		assertThat(this.clock.currentMillis()).isEqualTo(START_MILLIS);
	}

	@Test
	void aStampIsAboveWhatWasSeenElsewhere() {
		Timestamp seen = new Timestamp(Timestamp.hybridOfMillis(START_MILLIS + 500) + 9, 3);
		this.clock.observe(seen);
		assertThat(stamp().hybrid()).isEqualTo(seen.hybrid() + 1);
		this.clock.observe(Timestamp.ofMillis(5));
		assertThat(stamp().hybrid()).isEqualTo(seen.hybrid() + 2);
	}

	@Test
	void aClockContinuesAboveWhereItStood() {
		long stood = Timestamp.hybridOfMillis(START_MILLIS + 10_000);
		HybridClock restarted = new HybridClock(this.millis::get, 7, this.ceiling, stood);
		assertThat(Objects.requireNonNull(restarted.tryNow()).hybrid()).isEqualTo(stood + 1);
		assertThat(restarted.lastHybrid()).isEqualTo(stood + 1);
	}

	@Test
	void lookingAtThePresentGivesNothingOut() {
		this.clock.currentHybrid();
		this.clock.currentMillis();
		assertThat(stamp().hybrid()).isEqualTo(Timestamp.hybridOfMillis(START_MILLIS));
	}

	@Test
	void noStampReachesTheCeilingAndAllGoesOnWhenItIsRaised() {
		this.ceiling.durable.set(Timestamp.hybridOfMillis(START_MILLIS) + 2);
		stamp();
		Timestamp last = stamp();
		assertThat(this.clock.tryNow()).isNull();
		assertThat(this.clock.tryNow()).isNull();
		CompletableFuture<Void> raised = this.clock.whenCeilingRaised();
		assertThat(this.ceiling.asked).containsExactly(last.hybrid() + 1);
		this.ceiling.raise();
		assertThat(raised).isCompleted();
		assertThat(stamp()).isGreaterThan(last);
	}

	@Test
	void aJumpOfTheSystemClockWaitsForTheCeilingAbovePresent() {
		this.ceiling.durable.set(Timestamp.hybridOfMillis(START_MILLIS + 1000));
		this.millis.addAndGet(3_600_000);
		assertThat(this.clock.tryNow()).isNull();
		assertThat(this.clock.whenCeilingRaised()).isNotDone();
		assertThat(this.ceiling.asked).containsExactly(Timestamp.hybridOfMillis(START_MILLIS + 3_600_000) + 1);
		this.ceiling.raise();
		assertThat(stamp().millis()).isEqualTo(START_MILLIS + 3_600_000);
	}

	@Test
	void threadsNeverGetTheSameStampAndEachSeesThemGrow() throws Exception {
		long seed = System.nanoTime();
		int threads = 4;
		CyclicBarrier start = new CyclicBarrier(threads);
		Set<Timestamp> all = new HashSet<>();
		int expected = 0;
		try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
			List<Future<List<Timestamp>>> results = new ArrayList<>();
			for (int thread = 0; thread < threads; thread++) {
				Random random = new Random(seed + thread);
				results.add(executor.submit(() -> {
					start.await(1, TimeUnit.MINUTES);
					return stampsOfOneThread(random);
				}));
			}
			for (Future<List<Timestamp>> result : results) {
				List<Timestamp> stamps = result.get(1, TimeUnit.MINUTES);
				assertThat(stamps).as("seed %d", seed).isSorted();
				expected += stamps.size();
				all.addAll(stamps);
			}
		}
		assertThat(all).as("seed %d", seed).hasSize(expected);
	}

	private List<Timestamp> stampsOfOneThread(Random random) {
		List<Timestamp> stamps = new ArrayList<>();
		for (int i = 0; i < 20_000; i++) {
			switch (random.nextInt(20)) {
				case 0 -> this.millis.addAndGet(random.nextInt(100) - 50);
				case 1 -> {
					Timestamp seen = Timestamp.ofMillis(START_MILLIS + random.nextInt(10_000));
					this.clock.observe(seen);
					Timestamp next = stamp();
					assertThat(next).isGreaterThan(seen);
					stamps.add(next);
				}
				default -> stamps.add(stamp());
			}
		}
		return stamps;
	}

	private Timestamp stamp() {
		return Objects.requireNonNull(this.clock.tryNow(), "the ceiling leaves room");
	}

	/** A ceiling that the test raises. */
	private static final class FakeCeiling implements ClockCeiling {

		private final AtomicLong durable = new AtomicLong(Long.MAX_VALUE);

		private final List<Long> asked = new ArrayList<>();

		private final CompletableFuture<Void> raised = new CompletableFuture<>();

		@Override
		public long durableHybrid() {
			return this.durable.get();
		}

		@Override
		public CompletableFuture<Void> raiseAbove(long hybrid) {
			this.asked.add(hybrid);
			return this.raised;
		}

		void raise() {
			this.durable.set(this.asked.getLast() + Timestamp.hybridOfMillis(5000));
			this.raised.complete(null);
		}

	}

}
