package io.quorate.client;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.quorate.client.reactor.QuorateReactiveClient;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** The client for Reactor, and what it has in common with the others. */
class ReactiveTests extends HostileTests {

	private static final Duration LIMIT = Duration.ofSeconds(20 * SLOWNESS);

	private QuorateReactiveClient reactive(Object... nodes) {
		return opened(QuorateReactiveClient.of(builder(nodes).buildAsync()));
	}

	@Test
	void callBeginsWithEachSubscription() {
		HostileServer server = node(Scripts.written());
		Mono<Written> write = reactive(server).put("k", "v");
		assertThat(server.received()).isEmpty();
		StepVerifier.create(write).expectNext(new Written("\"1\"")).expectComplete().verify(LIMIT);
		StepVerifier.create(write).expectNext(new Written("\"1\"")).expectComplete().verify(LIMIT);
		assertThat(server.received()).hasSize(2);
	}

	@Test
	void callHasTheArgumentsOfItsAssembly() {
		HostileServer server = node(Scripts.sends(Scripts.lines("{\"status\":201,\"etag\":\"1\"}")));
		List<Item> items = new ArrayList<>(List.of(put()));
		Mono<List<ItemResult>> batch = reactive(server).batch(items);
		items.clear();
		StepVerifier.create(batch).expectNext(List.of(new Written("1"))).expectComplete().verify(LIMIT);
	}

	@Test
	void rangeBeginsWithItsSubscription() {
		QuorateReactiveClient client = reactive(unusedUrl());
		client.close();
		StepVerifier.create(client.range(RangeQuery.all())).expectError(IllegalStateException.class).verify(LIMIT);
		StepVerifier.create(client.keys(RangeQuery.all())).expectError(IllegalStateException.class).verify(LIMIT);
	}

	@Test
	void absenceIsEmptyAndAnErrorIsAnError() {
		QuorateReactiveClient client = reactive(node(Scripts.ABSENT, Scripts.value("red"), Scripts.CUT));
		StepVerifier.create(client.get("k")).expectComplete().verify(LIMIT);
		StepVerifier.create(client.get("k").map(Entity::text)).expectNext("red").expectComplete().verify(LIMIT);
		StepVerifier.create(client.put("k", "v")).expectError(OutcomeUnknownException.class).verify(LIMIT);
		StepVerifier.create(reactive(unusedUrl()).batch(List.of(put())))
			.expectError(NoNodeAnsweredException.class)
			.verify(LIMIT);
	}

	@Test
	void cancelEndsTheExchange() throws InterruptedException {
		HostileServer server = node(Scripts.STAND_STILL);
		StepVerifier.create(reactive(server).put("k", "v"))
			.expectSubscription()
			.thenAwait(Duration.ofMillis(300 * SLOWNESS))
			.thenCancel()
			.verify(LIMIT);
		await(() -> server.connections() == 1 && server.openConnections() == 0);
	}

	@Test
	void rangeHasBackpressure() {
		HostileServer server = node(new RangeStore("a", "b", "c", "d", "e"));
		StepVerifier.create(reactive(server).range(RangeQuery.all().pageSize(2)).map(RangeRecord::key), 0)
			.expectSubscription()
			.thenRequest(2)
			.expectNext("a", "b")
			.then(() -> assertThat(server.received()).hasSize(1))
			.thenRequest(1)
			.expectNext("c")
			.thenRequest(10)
			.expectNext("d", "e")
			.expectComplete()
			.verify(LIMIT);
		assertThat(server.received()).hasSize(3);
	}

	@Test
	void cancelledRangeEndsItsConnection() throws InterruptedException {
		HostileServer server = node(Scripts.standStillAfter(
				Scripts.begunLines(RangeStore.record("a"), RangeStore.record("b"), RangeStore.record("c"))));
		StepVerifier.create(reactive(server).range(RangeQuery.all()).map(RangeRecord::key).take(2))
			.expectNext("a", "b")
			.expectComplete()
			.verify(LIMIT);
		await(() -> server.openConnections() == 0);
	}

	@Test
	void rangeWithoutItsLastRecordFails() {
		HostileServer server = node(
				Scripts.cutAfter(Scripts.begunLines(RangeStore.record("a"), RangeStore.record("b"))), Scripts.CUT);
		StepVerifier.create(reactive(server).range(RangeQuery.all()).map(RangeRecord::key))
			.expectNext("a", "b")
			.expectErrorSatisfies((error) -> assertThat(error).isInstanceOf(IncompleteRangeException.class))
			.verify(LIMIT);
		StepVerifier.create(reactive(node(new RangeStore("a", "b"))).range(RangeQuery.all()).map(RangeRecord::key))
			.expectNext("a", "b")
			.expectComplete()
			.verify(LIMIT);
	}

	@Test
	void clientOfANodeAsksThisOneAlone() {
		HostileServer others = node(Scripts.written());
		HostileServer node = node(Scripts.written());
		StepVerifier.create(reactive(others).at(node.url()).put("k", "v"))
			.expectNextCount(1)
			.expectComplete()
			.verify(LIMIT);
		assertThat(others.received()).isEmpty();
		assertThat(node.received()).hasSize(1);
	}

	@Test
	void clientsHaveTheSameCalls() {
		Set<String> calls = calls(QuorateClient.class);
		assertThat(calls).hasSizeGreaterThan(20);
		assertThat(calls(QuorateAsyncClient.class)).isEqualTo(calls);
		assertThat(calls(QuorateReactiveClient.class)).isEqualTo(calls);
	}

	@Test
	void handbookHasTheNamesOfTheCalls() throws IOException {
		String recipes = Files.readString(Path.of("../../src/docs/recipes.md"));
		Set<String> listed = Pattern.compile("(?m)^\\| `\\w+\\(.*?\\| `(\\w+)\\(")
			.matcher(recipes.substring(recipes.indexOf("## Calls of the clients")))
			.results()
			.map((row) -> row.group(1))
			.collect(Collectors.toSet());
		Set<String> names = calls(QuorateClient.class).stream()
			.map((call) -> call.replaceFirst("\\[.*", ""))
			// These are of Java alone.
			.filter((name) -> !Set.of("at", "with", "close", "status", "toString").contains(name))
			.collect(Collectors.toSet());
		assertThat(listed).isEqualTo(names);
	}

	private static Set<String> calls(Class<?> client) {
		return Arrays.stream(client.getDeclaredMethods())
			.filter((method) -> Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers()))
			// No call: it leads to the asynchronous client.
			.filter((method) -> !method.getName().equals("async"))
			.map(ReactiveTests::signature)
			.collect(Collectors.toSet());
	}

	private static String signature(Method method) {
		return method.getName() + Arrays.toString(method.getGenericParameterTypes());
	}

	@Test
	void synchronousCallsSayNothingOfReactor() {
		// The dependency is optional: no type of the client itself may need it.
		assertThat(Arrays.stream(QuorateAsyncClient.class.getDeclaredMethods()).map(Method::toGenericString))
			.noneMatch((each) -> each.contains("reactor"));
	}

}
