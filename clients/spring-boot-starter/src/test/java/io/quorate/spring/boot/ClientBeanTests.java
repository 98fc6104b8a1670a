package io.quorate.spring.boot;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.client.CallObserver;
import io.quorate.client.CallReport;
import io.quorate.client.ClientBuilder;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.reactor.QuorateReactiveClient;
import io.quorate.spring.boot.autoconfigure.QuorateClientBuilderCustomizer;
import io.quorate.spring.boot.autoconfigure.QuorateConnectionDetails;
import org.junit.jupiter.api.Test;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The beans of clients, and the conditions on which a context has them. */
class ClientBeanTests extends NodeTests {

	@Test
	void contextHasEachKindOfClientOverTheSameConnections() {
		TestNode node = node();
		contexts().withPropertyValues(endpoints(node.url())).run((context) -> {
			assertThat(context.getBean(QuorateClient.class).get("k")).isPresent();
			assertThat(context.getBean(QuorateAsyncClient.class).get("k").join()).isPresent();
			assertThat(context.getBean(QuorateReactiveClient.class).get("k").block(millis(10_000))).isNotNull();
			assertThat(node.received()).hasSize(3);
			context.getBean(QuorateAsyncClient.class).close();
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(QuorateClient.class).get("k"));
		});
	}

	@Test
	void clientsEndWithTheContext() {
		AtomicInteger count = new AtomicInteger();
		QuorateClient[] sync = new QuorateClient[1];
		QuorateAsyncClient[] async = new QuorateAsyncClient[1];
		contexts().run((context) -> {
			sync[0] = context.getBean(QuorateClient.class);
			async[0] = context.getBean(QuorateAsyncClient.class);
			count.incrementAndGet();
		});
		assertThat(count).hasValue(1);
		assertThatIllegalStateException().isThrownBy(() -> sync[0].get("k"));
		assertThatIllegalStateException().isThrownBy(() -> async[0].get("k"));
	}

	@Test
	void contextStartsWithoutAnyNode() {
		contexts().withPropertyValues(endpoints(unusedUrl())).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void withoutReactorThereIsNoReactiveClient() {
		applicationWithout("reactor").run((context) -> assertThat(context).hasSingleBean(QuorateClient.class)
			.hasSingleBean(QuorateAsyncClient.class)
			.doesNotHaveBean("quorateReactiveClient"));
	}

	@Test
	void withoutTheClientThereIsNothing() {
		applicationWithout("io.quorate.client")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("quorateClient"));
	}

	@Test
	void clientOfTheApplicationTakesThePlaceOfOurs() {
		TestNode node = node();
		QuorateClient own = opened(QuorateClient.of(node.url()));
		contexts().withBean("own", QuorateClient.class, () -> own).run((context) -> {
			assertThat(context).hasSingleBean(QuorateClient.class).doesNotHaveBean("quorateClient");
			assertThat(context.getBean(QuorateAsyncClient.class).get("k").join()).isPresent();
			assertThat(context.getBean(QuorateReactiveClient.class).get("k").block(millis(10_000))).isNotNull();
		});
	}

	@Test
	void otherClientsOfTheApplicationTakeThePlaceOfOurs() {
		QuorateAsyncClient async = opened(QuorateAsyncClient.builder().buildAsync());
		QuorateReactiveClient reactive = QuorateReactiveClient.of(async);
		contexts().withBean("async", QuorateAsyncClient.class, () -> async)
			.withBean("reactive", QuorateReactiveClient.class, () -> reactive)
			.run((context) -> {
				assertThat(context.getBean(QuorateAsyncClient.class)).isSameAs(async);
				assertThat(context.getBean(QuorateReactiveClient.class)).isSameAs(reactive);
			});
	}

	@Test
	void severalClientsOfTheApplicationHaveNoAsynchronousOne() {
		contexts().withBean("one", QuorateClient.class, () -> QuorateClient.of("http://localhost:1"))
			.withBean("two", QuorateClient.class, () -> QuorateClient.of("http://localhost:1"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(QuorateAsyncClient.class)
				.doesNotHaveBean(QuorateReactiveClient.class));
	}

	@Test
	void builderIsNewForEachClient() {
		contexts().run((context) -> assertThat(context.getBean(ClientBuilder.class))
			.isNotSameAs(context.getBean(ClientBuilder.class)));
	}

	@Test
	void builderOfTheApplicationTakesThePlaceOfOurs() {
		TestNode node = node();
		contexts().withBean("own", ClientBuilder.class, () -> QuorateClient.builder().endpoints(node.url()))
			.run((context) -> assertThat(context.getBean(QuorateClient.class).get("k")).isPresent());
	}

	@Test
	void customizersRunBehindThePropertiesInTheirOrder() {
		TestNode first = node();
		TestNode last = node();
		contexts().withPropertyValues(endpoints(unusedUrl()))
			.withBean("late", QuorateClientBuilderCustomizer.class, () -> new Late(last.url()))
			.withBean("early", QuorateClientBuilderCustomizer.class,
					() -> new Early((builder) -> builder.endpoints(first.url())))
			.run((context) -> {
				assertThat(context.getBean(QuorateClient.class).get("k")).isPresent();
				assertThat(first.received()).isEmpty();
				assertThat(last.received()).hasSize(1);
			});
	}

	@Test
	void observersOfTheApplicationGetReports() {
		TestNode node = node();
		List<CallReport> reports = new CopyOnWriteArrayList<>();
		contexts().withPropertyValues(endpoints(node.url()))
			.withBean(CallObserver.class, () -> reports::add)
			.run((context) -> {
				context.getBean(QuorateClient.class).get("k");
				assertThat(reports).hasSize(1);
			});
	}

	@Test
	void detailsOfTheApplicationTakeThePlaceOfTheProperties() {
		TestNode node = node();
		contexts()
			.withPropertyValues(endpoints(unusedUrl()), "quorate.client.token=ours", "quorate.client.ssl.bundle=none")
			.withBean(QuorateConnectionDetails.class, () -> () -> List.of(node.url()))
			.run((context) -> {
				assertThat(context).hasSingleBean(QuorateConnectionDetails.class);
				assertThat(context.getBean(QuorateClient.class).get("k")).isPresent();
				assertThat(node.received().get(0).field("Authorization")).isNull();
			});
	}

	@Test
	void severalDetailsAreNodesOfOneCluster() {
		TestNode node = node();
		contexts().withBean("n0", QuorateConnectionDetails.class, () -> () -> List.of(unusedUrl()))
			.withBean("n1", QuorateConnectionDetails.class, () -> () -> List.of(node.url()))
			.run((context) -> assertThat(context.getBean(QuorateClient.class).get("k")).isPresent());
	}

	/** A customizer that runs first. */
	@Order(Ordered.HIGHEST_PRECEDENCE)
	private record Early(QuorateClientBuilderCustomizer change) implements QuorateClientBuilderCustomizer {

		@Override
		public void customize(ClientBuilder builder) {
			this.change.customize(builder);
		}

	}

	/** A customizer that runs last. */
	@Order(Ordered.LOWEST_PRECEDENCE)
	private record Late(String url) implements QuorateClientBuilderCustomizer {

		@Override
		public void customize(ClientBuilder builder) {
			builder.endpoints(this.url);
		}

	}

}
