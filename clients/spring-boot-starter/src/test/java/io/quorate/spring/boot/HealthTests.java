package io.quorate.spring.boot;

import java.util.Map;

import io.quorate.client.QuorateClient;
import io.quorate.client.reactor.QuorateReactiveClient;
import io.quorate.spring.boot.health.QuorateHealthIndicator;
import io.quorate.spring.boot.health.QuorateReactiveHealthIndicator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;

import static org.assertj.core.api.Assertions.assertThat;

/** The health of a cluster, with and without Reactor. */
class HealthTests extends NodeTests {

	private static ApplicationContextRunner contexts(boolean withReactor) {
		return withReactor ? contexts() : contexts().withClassLoader(new FilteredClassLoader(Flux.class));
	}

	private static Health health(AssertableApplicationContext context) {
		Object contributor = context.getBean("quorateHealthContributor");
		Health health = (contributor instanceof QuorateReactiveHealthIndicator reactive)
				? reactive.health().block(millis(30_000)) : ((QuorateHealthIndicator) contributor).health();
		assertThat(health).isNotNull();
		return health;
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void healthNamesTheNodeThatAnswered(boolean withReactor) {
		TestNode node = node();
		contexts(withReactor)
			.withPropertyValues(endpoints(node.url(), unusedUrl()), "quorate.client.shuffle=false",
					"quorate.client.health.timeout=" + millis(10_000).toMillis() + "ms")
			.run((context) -> {
				Health health = health(context);
				assertThat(health.getStatus()).isEqualTo(Status.UP);
				assertThat(health.getDetails()).isEqualTo(
						Map.of("endpoint", node.url(), "node", "n0", "cluster", "c", "version", "1", "state", "ready"));
				assertThat(node.received()).extracting(TestNode.Received::method).containsExactly("GET");
				assertThat(node.received()).extracting(TestNode.Received::target).containsExactly("/v0/status");
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void healthIsDownWithoutANode(boolean withReactor) {
		String url = unusedUrl();
		contexts(withReactor).withPropertyValues(endpoints(url)).run((context) -> {
			Health health = health(context);
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(String.valueOf(health.getDetails().get("attempts"))).contains(url);
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void nodeThatIsNotReadyIsOutOfService(boolean withReactor) {
		TestNode node = node();
		node.be("draining");
		contexts(withReactor).withPropertyValues(endpoints(node.url())).run((context) -> {
			assertThat(health(context).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
			assertThat(health(context).getDetails()).containsEntry("state", "draining");
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void checkEndsInTime(boolean withReactor) {
		TestNode node = node();
		node.fallSilent();
		contexts(withReactor)
			.withPropertyValues(endpoints(node.url()),
					"quorate.client.health.timeout=" + millis(1_000).toMillis() + "ms")
			.run((context) -> {
				long began = System.nanoTime();
				assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
				assertThat(System.nanoTime() - began).isLessThan(millis(4_000).toNanos());
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void silentNodesLeaveTimeForAnother(boolean withReactor) {
		TestNode silent = node();
		silent.fallSilent();
		TestNode alsoSilent = node();
		alsoSilent.fallSilent();
		TestNode other = node();
		contexts(withReactor)
			.withPropertyValues(endpoints(silent.url(), alsoSilent.url(), other.url()), "quorate.client.shuffle=false",
					"quorate.client.health.timeout=" + millis(3_000).toMillis() + "ms")
			.run((context) -> {
				assertThat(health(context).getDetails()).containsEntry("endpoint", other.url());
				assertThat(silent.received()).hasSize(1);
			});
	}

	@Test
	void withReactorTheIndicatorIsReactive() {
		contexts().run((context) -> assertThat(context).hasSingleBean(QuorateReactiveHealthIndicator.class)
			.doesNotHaveBean(QuorateHealthIndicator.class));
	}

	@Test
	void withoutReactorTheIndicatorBlocks() {
		contexts(false).run((context) -> assertThat(context).hasSingleBean(QuorateHealthIndicator.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.health.quorate.enabled=false", "management.health.defaults.enabled=false" })
	void healthIsOffByItsProperty(String property) {
		for (boolean withReactor : new boolean[] { true, false }) {
			contexts(withReactor).withPropertyValues(property)
				.run((context) -> assertThat(context).hasSingleBean(QuorateClient.class)
					.doesNotHaveBean("quorateHealthContributor"));
		}
	}

	@Test
	void withoutTheModuleThereIsNoHealth() {
		applicationWithout("org.springframework.boot.health").run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(QuorateClient.class)
			.doesNotHaveBean("quorateHealthContributor"));
	}

	@Test
	void applicationWithTheModuleHasHealth() {
		applicationWithout().run((context) -> assertThat(context).hasBean("quorateHealthContributor"));
		applicationWithout("reactor").run((context) -> assertThat(context).hasBean("quorateHealthContributor"));
	}

	@Test
	void indicatorOfTheApplicationTakesThePlaceOfOurs() {
		HealthIndicator own = () -> Health.unknown().build();
		contexts().withBean("quorateHealthIndicator", HealthIndicator.class, () -> own)
			.run((context) -> assertThat(context).hasSingleBean(HealthIndicator.class)
				.doesNotHaveBean("quorateHealthContributor"));
	}

	@Test
	void eachClientOfTheApplicationHasAnIndicator() {
		TestNode one = node();
		TestNode two = node();
		contexts().withBean("one", QuorateClient.class, () -> QuorateClient.of(one.url()))
			.withBean("two", QuorateClient.class, () -> QuorateClient.of(two.url()))
			.run((context) -> {
				assertThat(context).doesNotHaveBean(QuorateReactiveClient.class);
				CompositeHealthContributor all = context.getBean(CompositeHealthContributor.class);
				assertThat(all.stream().map((each) -> each.name())).containsExactlyInAnyOrder("one", "two");
				assertThat(all.getContributor("two")).isInstanceOfSatisfying(HealthIndicator.class,
						(indicator) -> assertThat(indicator.health()).extracting(Health::getDetails)
							.isInstanceOfSatisfying(Map.class,
									(details) -> assertThat(details.get("endpoint")).isEqualTo(two.url())));
			});
	}

}
