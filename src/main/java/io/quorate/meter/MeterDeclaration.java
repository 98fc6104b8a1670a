package io.quorate.meter;

import java.util.List;

import io.micrometer.core.instrument.Meter;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of a meter by its room.
 *
 * @param name its name in small letters, words separated by dots
 * @param type the kind of meter
 * @param unit the unit of its values; {@code null} for a mere number, and for a timer
 * @param meaning its meaning for people: one sentence
 * @param keys the keys of its tags; the values of each are few and known beforehand
 * @param buckets upper bounds of the histogram of a summary; empty for others
 */
public record MeterDeclaration(String name, Meter.Type type, @Nullable String unit, String meaning, List<String> keys,
		List<Double> buckets) {

	/** The unit of sizes. */
	public static final String BYTES = "bytes";

	/** The unit of times that are gauges. */
	public static final String SECONDS = "seconds";

	/** Latencies, a histogram. */
	public static MeterDeclaration timer(String name, String meaning, String... keys) {
		return new MeterDeclaration(name, Meter.Type.TIMER, null, meaning, List.of(keys), List.of());
	}

	/** A number that only grows. */
	public static MeterDeclaration counter(String name, String meaning, String... keys) {
		return new MeterDeclaration(name, Meter.Type.COUNTER, null, meaning, List.of(keys), List.of());
	}

	/** A number that rises and falls. */
	public static MeterDeclaration gauge(String name, String meaning, String... keys) {
		return new MeterDeclaration(name, Meter.Type.GAUGE, null, meaning, List.of(keys), List.of());
	}

	/** Amounts, a histogram over some {@link Buckets}. */
	public static MeterDeclaration summary(String name, String meaning, List<Double> buckets, String... keys) {
		return new MeterDeclaration(name, Meter.Type.DISTRIBUTION_SUMMARY, null, meaning, List.of(keys), buckets);
	}

	/** Returns the same declaration with a unit. */
	public MeterDeclaration in(String unit) {
		return new MeterDeclaration(this.name, this.type, unit, this.meaning, this.keys, this.buckets);
	}

}
