package io.quorate.operations;

import java.lang.management.ManagementFactory;
import java.time.Duration;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/** The time from the start of the process until the node was ready for the first time. */
final class StartTime implements ApplicationListener<ApplicationReadyEvent> {

	private static final double MILLIS_PER_SECOND = Duration.ofSeconds(1).toMillis();

	private boolean serving;

	private boolean majorityMet;

	private double seconds = Double.NaN;

	@Override
	public synchronized void onApplicationEvent(ApplicationReadyEvent event) {
		this.serving = true;
		note();
	}

	/** Notes that a majority of the members has been met. */
	synchronized void majorityMet() {
		this.majorityMet = true;
		note();
	}

	private void note() {
		if (this.serving && this.majorityMet && Double.isNaN(this.seconds)) {
			this.seconds = ManagementFactory.getRuntimeMXBean().getUptime() / MILLIS_PER_SECOND;
		}
	}

	/**
	 * Seconds from the start of the process, or NaN as long as the node has never been
	 * ready.
	 */
	synchronized double seconds() {
		return this.seconds;
	}

}
