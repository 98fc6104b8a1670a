package io.quorate.internode.context;

import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;

/** This node's clock, which ignores timestamps of peers that are too far ahead of it. */
record JudgedClock(HybridClock clock, SkewJudge judge, TimeSource time) implements InternodeClock {

	@Override
	public Timestamp current() {
		return new Timestamp(this.clock.currentHybrid(), 0);
	}

	@Override
	public void observe(Timestamp seen) {
		if (!this.judge.refuses(seen)) {
			this.clock.observe(seen);
		}
	}

	@Override
	public long physicalMillis() {
		return this.time.millis();
	}

}
