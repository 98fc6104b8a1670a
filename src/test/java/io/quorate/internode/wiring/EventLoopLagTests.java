package io.quorate.internode.wiring;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.quorate.clock.Deadline;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.quorate.internode.wiring.InternodeFixture.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Event loops that have other things to do. */
class EventLoopLagTests {

	private final EventLoop busy = new DefaultEventLoop();

	private final EventLoop idle = new DefaultEventLoop();

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final EventLoopLag lag = new EventLoopLag(List.of(this.busy, this.idle), this.registry);

	@AfterEach
	void close() {
		this.lag.stop();
		this.busy.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
		this.idle.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
	}

	@Test
	void aLoopThatStandsStillIsSeenAndWeighsAsMuchAsItHasHeldUp() {
		this.lag.start();
		awaitProbes(4);
		this.busy.submit(() -> standStill(1000)).syncUninterruptibly();
		long probes = timer().count();
		awaitProbes(probes + 12);
		assertThat(timer().max(TimeUnit.MILLISECONDS)).isBetween(880.0, 3000.0);
		assertThat(slowerThan(200)).as("probes that were due in a second, 900 ms to 200 ms before its end")
			.isGreaterThanOrEqualTo(6);
		assertThat(timer().count() - slowerThan(200)).as("those of the other loop").isGreaterThan(8);
	}

	@Test
	void aBlockOfThreeTenthsOfASecondIsSeen() {
		this.lag.start();
		awaitProbes(2);
		this.idle.execute(() -> standStill(300));
		Awaitility.await().until(() -> timer().max(TimeUnit.MILLISECONDS) > 190);
	}

	@Test
	void theScheduleDoesNotDrift() {
		long begun = System.nanoTime();
		this.lag.start();
		awaitProbes(10);
		this.busy.execute(() -> standStill(250));
		awaitProbes(60);
		double periods = (System.nanoTime() - begun) / (double) EventLoopLag.PERIOD.toNanos();
		assertThat(timer().count() / 2.0).isCloseTo(periods, within(2.0));
	}

	@Test
	void nothingIsProbedAfterTheEnd() {
		this.lag.start();
		awaitProbes(2);
		this.lag.stop();
		this.busy.submit(() -> {
		}).syncUninterruptibly();
		this.idle.submit(() -> {
		}).syncUninterruptibly();
		long probes = timer().count();
		Deadline later = in(300);
		Awaitility.await().pollInterval(Duration.ofMillis(10)).until(later::isExpired);
		assertThat(timer().count()).isEqualTo(probes);
	}

	private void awaitProbes(long count) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> timer().count() >= count);
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

	/* Keeps the calling thread busy: waiting is not allowed on an event loop. */
	private static void standStill(int millis) {
		Deadline end = in(millis);
		long looked = 0;
		while (!end.isExpired()) {
			looked++;
		}
		assertThat(looked).isPositive();
	}

}
