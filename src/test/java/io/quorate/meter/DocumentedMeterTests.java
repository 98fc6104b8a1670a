package io.quorate.meter;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DocumentedMeterTests {

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final DocumentedMeter latency = () -> MeterDeclaration.timer("quorate.latency", "How long", "what", "how");

	private final DocumentedMeter size = () -> MeterDeclaration.summary("quorate.size", "How large", Buckets.SIZES)
		.in(MeterDeclaration.BYTES);

	@Test
	void isRegisteredAsDeclared() {
		Timer timer = this.latency.timer(this.registry, "read", "failed");
		assertThat(timer.getId().getName()).isEqualTo("quorate.latency");
		assertThat(timer.getId().getDescription()).isEqualTo("How long");
		assertThat(timer.getId().getTags()).containsExactlyInAnyOrder(Tag.of("what", "read"), Tag.of("how", "failed"));
		assertThat(this.size.summary(this.registry).getId().getBaseUnit()).isEqualTo("bytes");
	}

	@Test
	void latenciesHaveTheSameBuckets() {
		Timer timer = this.latency.timer(this.registry, "read", "failed");
		CountAtBucket[] buckets = timer.takeSnapshot().histogramCounts();
		assertThat(Arrays.stream(buckets).map((bucket) -> bucket.bucket(TimeUnit.MICROSECONDS)).toList())
			.startsWith(100.0, 200.0, 300.0, 500.0, 1_000.0)
			.endsWith(10_000_000.0)
			.hasSize(21);
	}

	@Test
	void amountsHaveTheBucketsDeclared() {
		CountAtBucket[] buckets = this.size.summary(this.registry).takeSnapshot().histogramCounts();
		assertThat(Arrays.stream(buckets).map(CountAtBucket::bucket).toList()).isEqualTo(Buckets.SIZES);
	}

	@Test
	void tagsMustBeThoseDeclared() {
		for (String[] values : List.of(new String[0], new String[] { "read" },
				new String[] { "read", "failed", "n1" })) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.latency.timer(this.registry, values))
				.withMessageContaining("[what, how]");
		}
		assertThat(this.registry.getMeters()).isEmpty();
	}

	@Test
	void typeMustBeThatDeclared() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.latency.counter(this.registry, "read", "failed"))
			.withMessageContaining("TIMER");
		assertThatIllegalArgumentException().isThrownBy(() -> this.size.gauge(this.registry, 1, Integer::doubleValue))
			.withMessageContaining("DISTRIBUTION_SUMMARY");
		assertThat(this.registry.getMeters()).isEmpty();
	}

}
