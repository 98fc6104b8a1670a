package io.quorate.spring.boot;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.QuorateClient;
import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import io.quorate.spring.boot.metrics.CallMeters;
import io.quorate.spring.boot.metrics.QuorateMetricsAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** The meters of calls. */
class MeterTests extends NodeTests {

	private static ApplicationContextRunner metered() {
		return contexts().withBean(MeterRegistry.class, SimpleMeterRegistry::new);
	}

	@Test
	void callIsTimedByOperationAndOutcome() {
		TestNode node = node();
		metered().withPropertyValues(endpoints(node.url())).run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			QuorateClient client = context.getBean(QuorateClient.class);
			client.get("k");
			client.get("other");
			client.put("k", "v");
			client.delete("k", (options) -> options.ack(2));
			assertThat(registry.get(CallMeters.CALLS)
				.tags("operation", "get", "outcome", "success", "error", "none", "ack", "default")
				.timer()
				.count()).isEqualTo(2);
			assertThat(registry.get(CallMeters.CALLS).tags("operation", "get").timer().totalTime(TimeUnit.NANOSECONDS))
				.isBetween(1.0, (double) Duration.ofMinutes(1).toNanos());
			assertThat(registry.get(CallMeters.CALLS).tags("operation", "put", "outcome", "success").timer().count())
				.isEqualTo(1);
			assertThat(registry.get(CallMeters.CALLS).tags("operation", "delete", "ack", "2").timer().count())
				.isEqualTo(1);
		});
	}

	@Test
	void replicasThatTheNodeNamesAreCounted() {
		TestNode node = node();
		metered().withPropertyValues(endpoints(node.url())).run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			QuorateClient client = context.getBean(QuorateClient.class);
			client.put("k", "v");
			client.get("k");
			assertThat(registry.get(CallMeters.ACKNOWLEDGED).tag("outcome", "success").summaries()).singleElement()
				.satisfies((summary) -> {
					assertThat(summary.getId().getTag("operation")).isEqualTo("put");
					assertThat(summary.totalAmount()).isEqualTo(2);
				});
			node.answer(TestNode.TOO_FEW);
			assertThatException().isThrownBy(() -> client.put("k", "v"));
			assertThat(registry.get(CallMeters.ACKNOWLEDGED).tag("outcome", "unknown").summary().totalAmount())
				.isEqualTo(1);
		});
	}

	@Test
	void outcomeAndErrorSayHowACallFailed() {
		TestNode node = node();
		metered().withPropertyValues(endpoints(node.url())).run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			QuorateClient client = context.getBean(QuorateClient.class);
			node.answer(TestNode.TOO_FEW);
			assertThatException().isThrownBy(() -> client.put("k", "v"));
			node.answer(TestNode.FORBIDDEN);
			assertThatException().isThrownBy(() -> client.put("k", "v"));
			node.answer(TestNode.OVERLOADED);
			assertThatException().isThrownBy(() -> client.put("k", "v"));
			node.answer(new TestNode.Answer(200, "<html>", Map.of()));
			assertThatException().isThrownBy(() -> client.get("k"));
			assertThat(registry.get(CallMeters.CALLS).timers())
				.extracting((timer) -> timer.getId().getTag("outcome") + " " + timer.getId().getTag("error"))
				.containsExactlyInAnyOrder("unknown OutcomeUnknownException", "refused ForbiddenException",
						"unavailable OverloadedException", "error InvalidAnswerException");
		});
	}

	@Test
	void failedAttemptsAreCountedAlsoOfCallsThatSucceed() {
		TestNode node = node();
		metered().withPropertyValues(endpoints(unusedUrl(), node.url()), "quorate.client.shuffle=false")
			.run((context) -> {
				context.getBean(QuorateAsyncClient.class).get("k").join();
				assertThat(context.getBean(MeterRegistry.class)
					.get(CallMeters.FAILED_ATTEMPTS)
					.tag("operation", "get")
					.counter()
					.count()).isEqualTo(1);
			});
	}

	@Test
	void tagsHaveNeitherKeysNorNodes() {
		TestNode node = node();
		metered().withPropertyValues(endpoints(node.url())).run((context) -> {
			QuorateClient client = context.getBean(QuorateClient.class);
			for (int i = 1; i <= 50; i++) {
				int number = i;
				client.get("key-" + i, (options) -> options.ack(number));
			}
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.get(CallMeters.CALLS).timers()).hasSize(10);
			assertThat(registry.getMeters()).flatExtracting((Meter meter) -> meter.getId().getTags())
				.extracting(Tag::getValue)
				.noneMatch((value) -> value.contains("key-") || value.contains("localhost"));
		});
	}

	@Test
	void withoutARegistryThereAreNoMeters() {
		contexts()
			.run((context) -> assertThat(context).hasSingleBean(QuorateClient.class).doesNotHaveBean(CallMeters.class));
	}

	@Test
	void withoutMicrometerThereAreNoMeters() {
		applicationWithout("io.micrometer").run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(QuorateClient.class)
			.doesNotHaveBean("quorateCallMeters"));
	}

	@Test
	void metersOfTheApplicationTakeThePlaceOfOurs() {
		metered().withBean("own", CallMeters.class, () -> new CallMeters(new SimpleMeterRegistry()))
			.run((context) -> assertThat(context).hasSingleBean(CallMeters.class).doesNotHaveBean("quorateCallMeters"));
	}

	@Test
	void registryOfTheApplicationIsFoundInAnyOrder() {
		TestNode node = node();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(QuorateAutoConfiguration.class,
					QuorateMetricsAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, MetricsAutoConfiguration.class))
			.withPropertyValues(endpoints(node.url()))
			.run((context) -> {
				context.getBean(QuorateClient.class).get("k");
				assertThat(context.getBean(MeterRegistry.class).get(CallMeters.CALLS).timer().count()).isEqualTo(1);
			});
	}

}
