package io.quorate.internode.context;

import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.Timestamp;

/** A clock that moves only when it observes a later timestamp. */
public final class TestClock implements InternodeClock {

	private final AtomicLong hybrid;

	private final long physicalMillis;

	public TestClock(long hybrid, long physicalMillis) {
		this.hybrid = new AtomicLong(hybrid);
		this.physicalMillis = physicalMillis;
	}

	@Override
	public Timestamp current() {
		return new Timestamp(this.hybrid.get(), 7);
	}

	@Override
	public void observe(Timestamp seen) {
		this.hybrid.accumulateAndGet(seen.hybrid(), Math::max);
	}

	@Override
	public long physicalMillis() {
		return this.physicalMillis;
	}

}
