package io.quorate.meter;

import java.time.Duration;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/**
 * Upper bounds of the buckets of histograms: the same for all latencies, so that stages
 * can be compared. Classic buckets, because the Prometheus registry of Micrometer has no
 * native ones.
 */
public final class Buckets {

	/** Counts of things of which there are few. */
	public static final List<Double> FEW = DoubleStream.of(1, 2, 3, 4, 6, 8, 12, 16, 24).boxed().toList();

	/** Sizes of values in bytes: 128 to 16 Mi. */
	public static final List<Double> SIZES = DoubleStream
		.of(128, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20)
		.boxed()
		.toList();

	private static final Duration[] LATENCIES = LongStream
		.of(100, 200, 300, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 30_000, 50_000, 100_000, 200_000, 300_000,
				500_000, 1_000_000, 2_000_000, 3_000_000, 5_000_000, 10_000_000)
		.mapToObj((micros) -> Duration.ofNanos(micros * 1_000))
		.toArray(Duration[]::new);

	private Buckets() {
	}

	/** Latencies: 100 us to 10 s, four a decade. */
	public static Duration[] latencies() {
		return LATENCIES.clone();
	}

}
