package io.quorate.internode.frame;

import java.util.concurrent.atomic.AtomicLong;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.BeforeEach;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.quorate.internode.wiring.InternodeFixture.in;
import static org.assertj.core.api.Assertions.assertThat;

/** Event loops that have other things to do. */
class EventLoopLagTests {

	private final EmbeddedChannel busy = new EmbeddedChannel();

	private final EmbeddedChannel idle = new EmbeddedChannel();

	private final AtomicLong nanos = new AtomicLong();

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final EventLoopLag lag = new EventLoopLag(List.of(this.busy.eventLoop(), this.idle.eventLoop()),
			this.registry, this.nanos::get);

	@BeforeEach
	void start() {
		this.busy.freezeTime();
		this.idle.freezeTime();
		this.lag.start();
	}

	@AfterEach
	void close() {
		this.lag.stop();
		this.busy.finishAndReleaseAll();
		this.idle.finishAndReleaseAll();
	}

	/* Lets time pass, in which the busy loop turns or stands still. */
	private void pass(int millis, boolean turns) {
		for (int i = 0; i < millis; i += 10) {
			this.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
			this.busy.advanceTimeBy(10, TimeUnit.MILLISECONDS);
			this.idle.advanceTimeBy(10, TimeUnit.MILLISECONDS);
			this.idle.runScheduledPendingTasks();
			if (turns) {
				this.busy.runScheduledPendingTasks();
			}
		}
	}

	@Test
	void aLoopThatStandsStillIsSeenAndWeighsAsMuchAsItHasHeldUp() {
		pass(200, true);
		pass(1000, false);
		pass(200, true);
		assertThat(timer().max(TimeUnit.MILLISECONDS)).isBetween(900.0, 910.0);
		assertThat(slowerThan(200)).as("probes that were due in a second, 900 ms to 200 ms before its end")
			.isBetween(7L, 9L);
		assertThat(timer().count()).as("every probe of both, in 1400 ms").isEqualTo(28);
	}

	@Test
	void aBlockOfThreeTenthsOfASecondIsSeen() {
		pass(300, false);
		pass(10, true);
		assertThat(timer().max(TimeUnit.MILLISECONDS)).isGreaterThan(190);
	}

	@Test
	void theScheduleDoesNotDrift() {
		pass(250, false);
		pass(5000, true);
		assertThat(timer().count()).isEqualTo(104);
	}

	@Test
	void nothingIsProbedAfterTheEnd() {
		pass(200, true);
		this.lag.stop();
		pass(300, true);
		assertThat(timer().count()).isEqualTo(4);
	}

	private long slowerThan(int millis) {
		double faster = Arrays.stream(timer().takeSnapshot().histogramCounts())
			.filter((bucket) -> bucket.bucket(TimeUnit.MILLISECONDS) <= millis)
			.mapToDouble((bucket) -> bucket.count())
			.max()
			.orElseThrow();
		return timer().count() - (long) faster;
	}

	private Timer timer() {
		return this.registry.get("quorate.event.loop.lag").timer();
	}

}
