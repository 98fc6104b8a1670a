package io.quorate.internode.wiring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.util.internal.PlatformDependent;
import io.quorate.internode.InternodeMeters;

/**
 * The gauges of the memory outside the heap that Netty has taken, whatever allocator has
 * asked for it and however it is freed. They read the counter by which Netty itself
 * refuses more.
 */
final class DirectMemoryMetrics implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		InternodeMeters.DIRECT_MEMORY.gauge(registry, this, (_) -> used());
		InternodeMeters.DIRECT_MEMORY_LIMIT.gauge(registry, this, (_) -> PlatformDependent.maxDirectMemory());
	}

	/** Netty counts nothing when it is configured to leave the bound to the JVM. */
	private static double used() {
		long used = PlatformDependent.usedDirectMemory();
		return (used >= 0) ? used : Double.NaN;
	}

}
