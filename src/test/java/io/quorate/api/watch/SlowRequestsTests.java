package io.quorate.api.watch;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.api.LoggedLines;
import io.quorate.api.request.Operation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SlowRequestsTests {

	private final LoggedLines logged = new LoggedLines("io.quorate.slow");

	private final AtomicLong nanos = new AtomicLong(-5);

	@AfterEach
	void close() {
		this.logged.close();
	}

	@Test
	void tooManyAreLeftOutAndCounted() {
		SlowRequests slow = new SlowRequests(Duration.ofNanos(1), this.nanos::get);
		RequestMetrics metrics = new RequestMetrics(new SimpleMeterRegistry());
		for (int i = 0; i < SlowRequests.LINES_A_SECOND + 7; i++) {
			new RequestObserver(metrics, slow, Traces.NONE).begin(Operation.GET, null).answered(200);
		}
		assertThat(this.logged.lines()).hasSize(SlowRequests.LINES_A_SECOND)
			.noneMatch((line) -> line.contains("left out"));
		this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		for (int i = 0; i < 2; i++) {
			new RequestObserver(metrics, slow, Traces.NONE).begin(Operation.GET, null).answered(200);
		}
		assertThat(this.logged.lines()).hasSize(SlowRequests.LINES_A_SECOND + 2);
		assertThat(this.logged.lines().get(SlowRequests.LINES_A_SECOND)).endsWith("; left out before: 7");
		assertThat(this.logged.lines()).last().asString().doesNotContain("left out");
	}

	@Test
	void zeroSwitchesItOff() {
		SlowRequests off = new SlowRequests(Duration.ZERO, this.nanos::get);
		new RequestObserver(new RequestMetrics(new SimpleMeterRegistry()), off, Traces.NONE).begin(Operation.GET, null)
			.answered(200);
		assertThat(this.logged.lines()).isEmpty();
	}

}
