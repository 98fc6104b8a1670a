package io.quorate.meter;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import org.jspecify.annotations.Nullable;

/**
 * A meter as its room declares it; the constants of {@code <Room>Meters} are such. It
 * registers the meter, too: the code that measures names the constant and the values of
 * its tags, in their declared order.
 * <p>
 * Registering with another number of tags, or as another type than declared, is an
 * {@link IllegalArgumentException}.
 */
public interface DocumentedMeter extends MeterDocumentation {

	/** The declaration of this meter. */
	MeterDeclaration declaration();

	@Override
	default String getName() {
		return declaration().name();
	}

	@Override
	default Meter.Type getType() {
		return declaration().type();
	}

	@Override
	@SuppressWarnings("NullAway") // MeterDocumentation knows no JSpecify, and means null.
	default @Nullable String getBaseUnit() {
		return declaration().unit();
	}

	@Override
	default KeyName[] getKeyNames() {
		return declaration().keys().stream().map((key) -> (KeyName) () -> key).toArray(KeyName[]::new);
	}

	/** A histogram of latencies over {@link Buckets#latencies}. */
	default Timer timer(MeterRegistry registry, String... values) {
		MeterDeclaration declared = declaredAs(Meter.Type.TIMER);
		return Timer.builder(declared.name())
			.description(declared.meaning())
			.tags(tags(values))
			.serviceLevelObjectives(Buckets.latencies())
			.register(registry);
	}

	/** A histogram of amounts over the declared buckets. */
	default DistributionSummary summary(MeterRegistry registry, String... values) {
		MeterDeclaration declared = declaredAs(Meter.Type.DISTRIBUTION_SUMMARY);
		return DistributionSummary.builder(declared.name())
			.description(declared.meaning())
			.baseUnit(declared.unit())
			.tags(tags(values))
			.serviceLevelObjectives(declared.buckets().stream().mapToDouble(Double::doubleValue).toArray())
			.register(registry);
	}

	/** A counter, incremented by the code that measures. */
	default Counter counter(MeterRegistry registry, String... values) {
		MeterDeclaration declared = declaredAs(Meter.Type.COUNTER);
		return Counter.builder(declared.name())
			.description(declared.meaning())
			.baseUnit(declared.unit())
			.tags(tags(values))
			.register(registry);
	}

	/** A gauge, read when the meters are read; the registry keeps the object alive. */
	default <T> void gauge(MeterRegistry registry, T of, ToDoubleFunction<T> value, String... values) {
		MeterDeclaration declared = declaredAs(Meter.Type.GAUGE);
		Gauge.builder(declared.name(), of, value)
			.description(declared.meaning())
			.baseUnit(declared.unit())
			.tags(tags(values))
			.strongReference(true)
			.register(registry);
	}

	private MeterDeclaration declaredAs(Meter.Type type) {
		if (getType() != type) {
			throw new IllegalArgumentException("%s is declared as a %s, not as a %s".formatted(this, getType(), type));
		}
		return declaration();
	}

	private Tags tags(String... values) {
		List<String> keys = declaration().keys();
		if (keys.size() != values.length) {
			throw new IllegalArgumentException(
					"%s has the tags %s, not %s".formatted(this, keys, Arrays.toString(values)));
		}
		Tags tags = Tags.empty();
		for (int i = 0; i < values.length; i++) {
			tags = tags.and(keys.get(i), values[i]);
		}
		return tags;
	}

}
