package io.quorate.clock;

import java.util.concurrent.CompletableFuture;

/** A ceiling that is never reached, for clocks that need no disk. */
public final class NoCeiling implements ClockCeiling {

	@Override
	public long durableHybrid() {
		return Long.MAX_VALUE;
	}

	@Override
	public CompletableFuture<Void> raiseAbove(long hybrid) {
		return CompletableFuture.completedFuture(null);
	}

}
