package io.quorate.spring.boot.cluster;

import java.util.List;
import java.util.UUID;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.client.Put;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.reactor.QuorateReactiveClient;
import io.quorate.spring.boot.metrics.CallMeters;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** An application of Spring Boot on a cluster of three processes. */
@Tag("cluster")
class ClusterTests {

	private final Cluster cluster = Cluster.get();

	private final String key = UUID.randomUUID() + "/Söhne + Co";

	private void run(ContextConsumer<AssertableApplicationContext> test) {
		new ApplicationContextRunner().withUserConfiguration(Application.class)
			.withPropertyValues("quorate.client.endpoints=" + String.join(",", this.cluster.urls()),
					"quorate.client.node-timeout=" + Cluster.NODE_SECONDS + "s",
					"quorate.client.health.timeout=" + 20 * Cluster.SLOWNESS + "s")
			.run(test);
	}

	@Test
	void allClientsReadTheWriteOfOne() {
		run((context) -> {
			context.getBean(QuorateClient.class).put(this.key, "red");
			assertThat(context.getBean(QuorateAsyncClient.class).get(this.key).join().orElseThrow().text())
				.isEqualTo("red");
			assertThat(context.getBean(QuorateReactiveClient.class).get(this.key).blockOptional().orElseThrow().text())
				.isEqualTo("red");
		});
	}

	@Test
	void healthEndpointNamesANodeOfTheCluster() {
		run((context) -> assertThat(context.getBean(HealthEndpoint.class).healthForPath("quorate"))
			.isInstanceOfSatisfying(IndicatedHealthDescriptor.class, (health) -> {
				assertThat(health.getStatus()).isEqualTo(Status.UP);
				assertThat(this.cluster.urls()).contains(String.valueOf(health.getDetails().get("endpoint")));
			}));
	}

	@Test
	void nodesSayHowManyReplicasHadAnswered() {
		run((context) -> {
			QuorateClient client = context.getBean(QuorateClient.class);
			client.put(Put.of(this.key, "red"), (options) -> options.ack(3).from(3));
			client.get(this.key, (options) -> options.ack(3).from(3));
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			for (String operation : List.of("put", "get")) {
				assertThat(registry.get(CallMeters.ACKNOWLEDGED).tag("operation", operation).summary().max())
					.isEqualTo(3);
				assertThat(registry.get(CallMeters.CALLS).tags("operation", operation, "ack", "3").timer().count())
					.isEqualTo(1);
			}
		});
	}

	/** An application with all that the class path of the tests offers. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
