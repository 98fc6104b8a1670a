package io.quorate.membership.reports;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.membership.layout.Moved;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MoveRatesTests {

	private final AtomicLong nanos = new AtomicLong(-5);

	private final MoveRates rates = new MoveRates(this.nanos::get);

	private void hear(long seconds, Moved its) {
		this.nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
		this.rates.heard("n3", its);
	}

	@Test
	void aMemberThatWaitsHasNoRate() {
		assertThat(this.rates.of("n3")).isNull();
		hear(0, new Moved(3, 0, 0, 0));
		hear(60, new Moved(3, 0, 0, 0));
		assertThat(this.rates.of("n3")).isNull();
	}

	@Test
	void theTimeBeforeTheFirstProgressDoesNotCount() {
		hear(0, new Moved(3, 0, 0, 0));
		hear(600, new Moved(3, 0, 0, 0));
		hear(10, new Moved(3, 200_000, 5000, 0));
		assertThat(this.rates.of("n3")).isEqualTo(new MoveRates.Rate(500, 0.02));
	}

	@Test
	void aMemberThatStandsStillGetsSlower() {
		hear(0, new Moved(3, 100_000, 1000, 0));
		hear(10, new Moved(3, 200_000, 2000, 0));
		hear(10, new Moved(3, 200_000, 2000, 0));
		assertThat(this.rates.of("n3")).isEqualTo(new MoveRates.Rate(50, 0.005));
	}

	@Test
	void aCopyThatBeginsAnewIsCountedAnew() {
		hear(0, new Moved(3, 0, 0, 0));
		hear(10, new Moved(3, 500_000, 9000, 0));
		hear(10, new Moved(5, 500_000, 9000, 0));
		assertThat(this.rates.of("n3")).as("another version").isNull();
		hear(10, new Moved(5, 750_000, 9100, 0));
		assertThat(this.rates.of("n3")).isEqualTo(new MoveRates.Rate(10, 0.025));
		hear(10, new Moved(5, 0, 0, 0));
		assertThat(this.rates.of("n3")).as("the member has started anew").isNull();
		this.rates.forget("n3");
		assertThat(this.rates.of("n3")).isNull();
	}

}
