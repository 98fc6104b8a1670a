package io.quorate.warmup;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Warms the node up when it has met its peers, before it opens its port for clients. It
 * holds the start up for as long; a failure is a line in the log, and nothing else.
 */
final class WarmUp implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(WarmUp.class);

	/* Later than the connections with peers, earlier than the server for clients. */
	private static final int PHASE = WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE - 1;

	private final WarmUpProperties properties;

	private final Duration timeout;

	private final Supplier<ScratchCluster> clusters;

	private volatile boolean running;

	/**
	 * A warm-up that has not begun.
	 * @param timeout the time that each of its requests may take: the code is cold
	 * @param clusters makes the cluster that receives its requests
	 */
	WarmUp(WarmUpProperties properties, Duration timeout, Supplier<ScratchCluster> clusters) {
		this.properties = properties;
		this.timeout = timeout;
		this.clusters = clusters;
	}

	@Override
	public void start() {
		if (this.properties.requests() > 0 && this.properties.limit().isPositive()) {
			long begun = System.nanoTime();
			try {
				warmUp(begun);
			}
			catch (RuntimeException failure) {
				log.warn("The warm-up has failed, the node starts without it: {}", failure.toString());
			}
		}
		this.running = true;
	}

	private void warmUp(long begun) {
		RequestMix.Result result;
		try (ScratchCluster cluster = this.clusters.get()) {
			// A busy machine takes long to open it: the requests have their time all the
			// same.
			Deadline end = Deadline.after(this.properties.limit());
			result = new RequestMix(cluster.port(), this.timeout, this.properties.requests(), end).run();
		}
		long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
		if (result.failed() > 0) {
			log.warn("{} of {} requests of the warm-up have failed: {}", result.failed(), result.done(),
					result.firstFailure());
		}
		log.info("Warmed up by {} requests in {} ms", result.done(), millis);
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
