package io.quorate.command.bench;

import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BenchScheduleTests {

	private final BenchSchedule schedule = new BenchSchedule(400, 0.25, Duration.ofSeconds(1), Duration.ofSeconds(2));

	@Test
	void requestsAreDueAtConstantIntervals() {
		assertThat(this.schedule.requests()).isEqualTo(1200);
		assertThat(this.schedule.firstMeasured()).isEqualTo(400);
		assertThat(this.schedule.dueNanos(0)).isZero();
		assertThat(this.schedule.dueNanos(1)).isEqualTo(2_500_000);
		assertThat(this.schedule.dueNanos(1199)).isLessThan(this.schedule.endNanos());
	}

	@Test
	void requestsThatAreSecondsBehindAreNotSent() {
		assertThat(this.schedule.isTooLate(400, Duration.ofSeconds(7).toNanos())).isFalse();
		assertThat(this.schedule.isTooLate(400, Duration.ofSeconds(9).toNanos())).isTrue();
	}

	@Test
	void aWarmupThatIsSecondsBehindHoldsUpNothing() {
		long end = Duration.ofSeconds(6).toNanos();
		assertThat(this.schedule.isTooLate(399, end)).isFalse();
		assertThat(this.schedule.isTooLate(399, end + 1)).isTrue();
		assertThat(this.schedule.isTooLate(400, end + 1)).isFalse();
	}

	@Test
	void readsAreSpreadEvenly() {
		assertThat(LongStream.range(0, 1200).filter(this.schedule::isRead).count()).isEqualTo(300);
		assertThat(LongStream.range(600, 608).filter(this.schedule::isRead).count()).isEqualTo(2);
		BenchSchedule all = new BenchSchedule(10, 1, Duration.ofSeconds(1), Duration.ofSeconds(1));
		BenchSchedule none = new BenchSchedule(10, 0, Duration.ofSeconds(1), Duration.ofSeconds(1));
		assertThat(LongStream.range(0, 20)).allMatch(all::isRead).noneMatch(none::isRead);
	}

	@Test
	void everyKeyIsUsed() {
		assertThat(IntStream.range(0, 1000).map((request) -> BenchSchedule.key(request, 50)).distinct().sorted())
			.containsExactlyElementsOf(IntStream.range(0, 50).boxed().toList());
	}

	@Test
	void aLoadWithoutWarmupIsMeasuredFromItsFirstRequest() {
		assertThat(new BenchSchedule(10, 0, Duration.ZERO, Duration.ofSeconds(1)).firstMeasured()).isZero();
	}

	@Test
	void aShortTimeHasOneRequest() {
		BenchSchedule one = new BenchSchedule(1, 0, Duration.ofMillis(10), Duration.ofMillis(10));
		assertThat(one.requests()).isEqualTo(2);
	}

}
