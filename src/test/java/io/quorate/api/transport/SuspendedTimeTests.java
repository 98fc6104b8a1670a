package io.quorate.api.transport;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SuspendedTimeTests {

	private long monotonic = Duration.ofHours(2).toNanos();

	private long physical = 1_700_000_000_000L;

	private Runnable betweenTheClocks = () -> {
	};

	private final SuspendedTime time = new SuspendedTime(() -> this.monotonic, () -> {
		this.betweenTheClocks.run();
		return this.physical;
	});

	@Test
	void itGoesOnWithTheMonotonicClock() {
		long begun = this.time.getAsLong();
		pass(250, 250);
		assertThat(this.time.getAsLong() - begun).isEqualTo(Duration.ofMillis(250).toNanos());
	}

	@Test
	void theTimeInWhichTheMachineWasSuspendedCounts() {
		long begun = this.time.getAsLong();
		pass(10, 60_010);
		assertThat(this.time.getAsLong() - begun).isEqualTo(Duration.ofMillis(60_010).toNanos());
		pass(10, 10);
		assertThat(this.time.getAsLong() - begun).isEqualTo(Duration.ofMillis(60_020).toNanos());
	}

	@Test
	void clocksThatDriftApartAreNoSuspension() {
		long begun = this.time.getAsLong();
		for (int i = 0; i < 1000; i++) {
			pass(1000, 1002);
			this.time.getAsLong();
		}
		assertThat(this.time.getAsLong() - begun).isEqualTo(Duration.ofSeconds(1000).toNanos());
	}

	/* Its two clocks have nothing to do with each other then. */
	@Test
	void aThreadThatStandsStillBetweenTheClocksSeesNoSuspension() {
		long begun = this.time.getAsLong();
		this.betweenTheClocks = () -> pass(5000, 5000);
		assertThat(this.time.getAsLong() - begun).isEqualTo(Duration.ofSeconds(5).toNanos());
		this.betweenTheClocks = () -> {
		};
		assertThat(this.time.getAsLong() - begun).isEqualTo(Duration.ofSeconds(5).toNanos());
	}

	@Test
	void itNeverGoesBack() {
		long begun = this.time.getAsLong();
		pass(10, -60_000);
		assertThat(this.time.getAsLong() - begun).isEqualTo(Duration.ofMillis(10).toNanos());
		pass(10, 10);
		assertThat(this.time.getAsLong() - begun).isEqualTo(Duration.ofMillis(20).toNanos());
	}

	@Test
	void whatWaitedInASocketMeanwhileHasWaitedForTheLoop() {
		List<Long> stalls = new ArrayList<>();
		LoopTurns turns = new LoopTurns(this.time, stalls::add);
		pass(50, 50);
		turns.turn();
		pass(20, 30_020);
		assertThat(turns.stalledNanos()).isEqualTo(Duration.ofMillis(30_020).toNanos());
		turns.turn();
		assertThat(stalls).containsExactly(Duration.ofMillis(30_020).toNanos());
	}

	private void pass(long monotonicMillis, long physicalMillis) {
		this.monotonic += Duration.ofMillis(monotonicMillis).toNanos();
		this.physical += physicalMillis;
	}

}
