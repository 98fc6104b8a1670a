package io.quorate.clock;

import java.util.concurrent.CompletableFuture;

/**
 * The durable bound below which a hybrid clock may give out timestamps, so that a restart
 * with the system clock set back cannot give one out again.
 */
public interface ClockCeiling {

	/**
	 * Hybrid time that is durably recorded: timestamps below it may be given out. It may
	 * fall again, but never to the clock's last timestamp or below.
	 */
	long durableHybrid();

	/**
	 * Asks for the bound to be raised above a hybrid time, without waiting. The future
	 * completes when the bound has been raised, and fails when it cannot be recorded;
	 * cancelling the future has no effect on the recording.
	 */
	CompletableFuture<Void> raiseAbove(long hybrid);

}
