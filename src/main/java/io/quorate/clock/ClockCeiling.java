package io.quorate.clock;

import java.util.concurrent.CompletableFuture;

/**
 * The durable bound below which a hybrid clock may give out stamps, so that a restart
 * with the system clock set back cannot give one out again.
 */
public interface ClockCeiling {

	/**
	 * Hybrid time that is durably recorded: stamps below it may be given out. It may fall
	 * again, never to the clock's last stamp or below it.
	 */
	long durableHybrid();

	/**
	 * Asks for the bound to be raised above a hybrid time, without waiting. The future
	 * completes when it has been, and fails when it cannot be recorded; cancelling it has
	 * no effect on the recording.
	 */
	CompletableFuture<Void> raiseAbove(long hybrid);

}
