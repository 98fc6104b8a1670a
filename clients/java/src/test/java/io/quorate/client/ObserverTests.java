package io.quorate.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.quorate.client.HostileServer.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Reports of calls, and clients that share their connections. */
class ObserverTests extends HostileTests {

	private final List<CallReport> reports = new CopyOnWriteArrayList<>();

	private QuorateClient observed(Object... nodes) {
		return opened(builder(nodes).observer(this.reports::add).build());
	}

	private CallReport only() {
		assertThat(this.reports).hasSize(1);
		return this.reports.get(0);
	}

	private static Script timed(String timing) {
		return Scripts.answer(201, "", "ETag: \"1\"", "Server-Timing: " + timing);
	}

	@Test
	void everyCallIsReportedOnceBeforeItsResult() {
		QuorateClient client = observed(node(Scripts.written(), Scripts.deleted(), Scripts.value("red"),
				Scripts.value("red"), Scripts.value("red"), Scripts.answer(200, "{\"status\":201,\"etag\":\"1\"}\n"),
				Scripts.sends(Scripts.lines("{\"last\":true,\"records\":0}")),
				Scripts.sends(Scripts.lines("{\"last\":true,\"records\":0}")),
				Scripts.sends(Scripts.lines("{\"last\":true,\"records\":0}")),
				Scripts.answer(200, "{\"node\":\"n0\",\"cluster\":\"c\",\"version\":\"1\",\"state\":\"ready\"}")));
		List<Operation> expected = new ArrayList<>();
		Consumer<Operation> check = (next) -> {
			expected.add(next);
			assertThat(this.reports).extracting(CallReport::operation).isEqualTo(expected);
		};
		client.put(put());
		check.accept(Operation.PUT);
		client.delete("k");
		check.accept(Operation.DELETE);
		client.get("k");
		check.accept(Operation.GET);
		client.get(Get.of("k"));
		check.accept(Operation.GET);
		client.head("k");
		check.accept(Operation.HEAD);
		client.batch(List.of(put()));
		check.accept(Operation.BATCH);
		try (RangeIterator<RangeRecord> range = client.range(RangeQuery.all())) {
			assertThat(range.hasNext()).isFalse();
		}
		check.accept(Operation.RANGE);
		try (RangeIterator<KeyRecord> range = client.keys(RangeQuery.all())) {
			assertThat(range.hasNext()).isFalse();
		}
		check.accept(Operation.RANGE);
		client.page(RangeQuery.all());
		check.accept(Operation.PAGE);
		client.status();
		check.accept(Operation.STATUS);
		assertThat(this.reports).allMatch((each) -> each.error().isEmpty() && each.failedAttempts() == 0);
	}

	@Test
	void reportHasTimeAndAttempts() {
		QuorateClient client = observed(unusedUrl(), node(Scripts.late(300, Scripts.value("red"))));
		client.get("k", (options) -> options.ack(2));
		assertThat(only().failedAttempts()).isEqualTo(1);
		assertThat(only().duration()).isBetween(Duration.ofMillis(300), millis(10_000));
		assertThat(only().ack()).hasValue(2);
		assertThat(only().toString()).contains("GET", "succeeded");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-", value = {
			"total;dur=13.4, coord;dur=13.1, replicas;dur=13, n0;dur=0.4;desc=\"applied\", n1;dur=12;desc=\"applied\"|2",
			"total;dur=1, n0;dur=1;desc=\"applied\", n1;desc=\"waiting\", n2;dur=3;desc=\"unreachable\"|1",
			"total;dur=1, n0;dur=1;desc=\"found\", n0;dur=2;desc=\"fetch found\", n1;dur=2;desc=\"hedge digest\"|2",
			"n0;dur=1;desc=\"absent\", n1;dur=1;desc=\"superseded\", n2;dur=2;desc=\"repair applied\"|2",
			"total;dur=1, more;desc=\"2\"|-", "cdn;dur=1;desc=\"HIT\"|-", "x|-" })
	void acknowledgementsAreThoseThatTheNodeNames(String timing, Integer number) {
		observed(node(timed(timing))).put(put());
		assertThat(only().acknowledged().stream().boxed().findFirst()).isEqualTo(Optional.ofNullable(number));
	}

	@Test
	void failureIsReportedWithItsNumbers() {
		Script script = Scripts.problemWith(504, "not-enough-replicas",
				",\"required\":2,\"acknowledged\":1,\"outcome\":\"unknown\"");
		QuorateClient client = observed(node(script));
		OutcomeUnknownException error = caught(OutcomeUnknownException.class, () -> client.put(put()));
		assertThat(only().error()).containsSame(error);
		assertThat(only().acknowledged()).hasValue(1);
		assertThat(only().failedAttempts()).isEqualTo(1);
	}

	@Test
	void cancelledCallIsReportedOnce() throws InterruptedException {
		QuorateClient client = observed(node(Scripts.STAND_STILL));
		CompletableFuture<Written> future = client.async().put(put());
		future.cancel(true);
		await(() -> !this.reports.isEmpty());
		client.close();
		assertThat(only().error()).isPresent();
	}

	@Test
	void rangeThatIsLeftEarlyIsNoError() throws InterruptedException {
		QuorateClient client = observed(
				node(Scripts.standStillAfter(Scripts.begunLines("{\"key\":\"a\",\"value\":\"\",\"etag\":\"1\"}",
						"{\"key\":\"b\",\"value\":\"\",\"etag\":\"1\"}"))));
		try (RangeIterator<RangeRecord> range = client.range(RangeQuery.all())) {
			assertThat(range.next().key()).isEqualTo("a");
		}
		// The thread that brings the answer may be the one that ends it.
		await(() -> !this.reports.isEmpty());
		assertThat(only().operation()).isEqualTo(Operation.RANGE);
		assertThat(only().error()).isEmpty();
	}

	@Test
	void faultOfAnObserverIsNoneOfTheCall() {
		QuorateClient client = opened(builder(node(Scripts.value("red"))).observer((call) -> {
			throw new IllegalStateException("a fault of the test");
		}).observer(this.reports::add).build());
		assertThat(client.get("k")).isPresent();
		assertThat(only().operation()).isEqualTo(Operation.GET);
	}

	@Test
	void synchronousAndAsynchronousClientShareTheirConnections() {
		HostileServer server = node(Scripts.value("red"));
		QuorateClient client = observed(server);
		QuorateAsyncClient async = client.async();
		assertThat(client.get("k")).isPresent();
		assertThat(async.get("k").join()).isPresent();
		assertThat(server.connections()).isEqualTo(1);
		assertThat(this.reports).hasSize(2);
		async.close();
		caught(IllegalStateException.class, () -> client.get("k"));
		client.close();
	}

	@Test
	void wrongOptionsAreRefusedWhereTheyAreSet() {
		ClientBuilder builder = QuorateClient.builder();
		assertThat(caught(IllegalArgumentException.class, () -> builder.endpoints("ftp://n0")))
			.hasMessage("an endpoint is http://host:port or https://host:port");
		assertThat(caught(IllegalArgumentException.class, () -> builder.endpoints(" ,"))).hasMessageContaining("one");
		caught(IllegalArgumentException.class, () -> builder.connections(0));
		caught(IllegalArgumentException.class, () -> builder.options((options) -> options.ack(0)));
		caught(IllegalArgumentException.class, () -> builder.options((options) -> options.from(-1)));
	}

}
