package io.quorate.client;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests: keys, parameters, fields and bodies as they go over the wire. */
class RequestTests extends HostileTests {

	static Stream<Arguments> keys() {
		return Map
			.ofEntries(Map.entry("fruit", "/v0/entity/fruit"),
					Map.entry("John Smith + Söhne", "/v0/entity/John%20Smith%20%2B%20S%C3%B6hne"),
					Map.entry("John Smith + Söhne/ü%", "/v0/entity/John%20Smith%20%2B%20S%C3%B6hne%2F%C3%BC%25"),
					Map.entry("a/b//c", "/v0/entity/a%2Fb%2F%2Fc"), Map.entry("50%", "/v0/entity/50%25"),
					Map.entry("%41", "/v0/entity/%2541"), Map.entry("?x=1&y#z", "/v0/entity/%3Fx%3D1%26y%23z"),
					Map.entry("-._~", "/v0/entity/-._~"), Map.entry("...", "/v0/entity/..."),
					Map.entry("a/../b", "/v0/entity/a%2F..%2Fb"), Map.entry("\0\n\u007f", "/v0/entity/%00%0A%7F"),
					Map.entry("日本 🍎", "/v0/entity/%E6%97%A5%E6%9C%AC%20%F0%9F%8D%8E"),
					Map.entry("[a];b:c@d!$'()*,", "/v0/entity/%5Ba%5D%3Bb%3Ac%40d%21%24%27%28%29%2A%2C"),
					Map.entry(".", "/v0/entity?id=."), Map.entry("..", "/v0/entity?id=.."))
			.entrySet()
			.stream()
			.map((each) -> Arguments.of(each.getKey(), each.getValue()));
	}

	@ParameterizedTest
	@MethodSource("keys")
	void keyHasOneSpellingInThePath(String key, String target) {
		HostileServer server = node(Scripts.written(), Scripts.value("red"), Scripts.deleted());
		QuorateClient client = client(server);
		client.put(key, "red");
		assertThat(client.get(key).orElseThrow().key()).isEqualTo(key);
		client.delete(key);
		assertThat(server.received()).extracting((each) -> each.method() + " " + each.target())
			.containsExactly("PUT " + target, "GET " + target, "DELETE " + target);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "\ud800", "a\udc00", "long", "umlauts" })
	void noKeyIsSentThatIsNone(String name) {
		String key = switch (name) {
			case "long" -> "x".repeat(1_025);
			case "umlauts" -> "ä".repeat(513);
			default -> name;
		};
		HostileServer server = node(Scripts.written());
		QuorateClient client = client(server);
		caught(IllegalArgumentException.class, () -> client.put(key, "v"));
		caught(IllegalArgumentException.class, () -> client.get(key));
		caught(IllegalArgumentException.class, () -> client.head(key));
		caught(IllegalArgumentException.class, () -> client.getPart(key, ByteRange.from(1)));
		caught(IllegalArgumentException.class, () -> client.delete(key));
		caught(IllegalArgumentException.class, () -> client.batch(List.of(Get.of(key))));
		assertThat(server.received()).isEmpty();
	}

	@Test
	void noTextIsSentThatIsNone() {
		HostileServer server = node(Scripts.written());
		QuorateClient client = client(server);
		for (String text : List.of("\ud83d", "a\udc00b", "\ud83d\ud83d")) {
			assertThat(caught(IllegalArgumentException.class, () -> client.put("k", text)))
				.hasMessageContaining("half of a surrogate pair");
		}
		assertThat(server.received()).isEmpty();
		client.put("k", "\ud83d\ude00");
		assertThat(server.received()).hasSize(1);
	}

	@Test
	@SuppressWarnings("NullAway")
	void nullIsNamedByWhatItStandsFor() {
		QuorateClient client = client(node(Scripts.written()));
		assertThat(caught(NullPointerException.class, () -> client.put("k", (String) null)))
			.hasMessageStartingWith("a value is text or bytes, not null");
		assertThat(caught(NullPointerException.class, () -> client.put("k", (byte[]) null)))
			.hasMessageStartingWith("a value is text or bytes, not null");
		assertThat(caught(NullPointerException.class, () -> client.get((String) null)))
			.hasMessage("a key is text, not null");
		assertThat(caught(NullPointerException.class, () -> Put.of("k", "v").ttl(null)))
			.hasMessageContaining("time to live");
		assertThat(caught(NullPointerException.class, () -> Put.of("k", "v").contentType(null)))
			.hasMessageContaining("content type");
		assertThat(caught(NullPointerException.class, () -> RangeQuery.cursor(null))).hasMessageContaining("cursor");
		assertThat(caught(NullPointerException.class, () -> RangeQuery.prefix(null))).hasMessageContaining("prefix");
		assertThat(caught(NullPointerException.class, () -> RangeQuery.from(null))).hasMessageContaining("bound");
	}

	@Test
	void longestKeyIsSent() {
		HostileServer server = node(Scripts.written());
		client(server).put("ä".repeat(512), "v");
		assertThat(server.received().get(0).target()).isEqualTo("/v0/entity/" + "%C3%A4".repeat(512));
	}

	@Test
	void optionsOfACallPrecedeThoseOfTheClient() {
		HostileServer server = node(Scripts.written());
		QuorateClient client = client((options) -> options.ack(2).from(3).nodeTimeout(Duration.ofMillis(1_500)),
				server);
		client.put(put());
		client.put(put().ttl(Duration.ofMinutes(1)), (options) -> options.ack(1));
		assertThat(server.received()).extracting(HostileServer.Received::target)
			.containsExactly("/v0/entity/k?ack=2&from=3", "/v0/entity/k?ttl=60&ack=1&from=3");
		assertThat(server.received()).allMatch((each) -> "1500".equals(each.fields().get("quorate-timeout")));
	}

	@Test
	void nodeIsNotAskedToWorkBeyondTheDeadline() {
		HostileServer server = node(Scripts.written());
		client((options) -> options.nodeTimeout(Duration.ofSeconds(20)).deadline(Duration.ofSeconds(3)), server)
			.put("k", "v");
		assertThat(Integer.parseInt(server.received().get(0).fields().get("quorate-timeout"))).isBetween(1, 3_000);
	}

	@Test
	void valuesHaveTheirTypes() {
		HostileServer server = node(Scripts.written());
		QuorateClient client = client(server);
		client.put("k", new byte[] { 0, -1 });
		client.put("k", new byte[0]);
		client.put("k", "grün");
		client.put(Put.of("k", "grün").contentType("image/png"));
		assertThat(server.received()).extracting(HostileServer.Received::body)
			.containsExactly("\0ÿ", "", "grÃ¼n", "grÃ¼n");
		assertThat(server.received()).extracting((each) -> each.fields().get("content-length"))
			.containsExactly("2", "0", "5", "5");
		assertThat(server.received()).extracting((each) -> each.fields().get("content-type"))
			.containsExactly(null, null, "text/plain; charset=utf-8", "image/png");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "text/plain\r\nX: y", "tüxt/plain", " ", "text/plain ", " text/plain" })
	void noMediaTypeIsSentThatIsNone(String type) {
		caught(IllegalArgumentException.class, () -> put().contentType(type));
	}

	@Test
	void wrongArgumentsAreRefusedBefore() {
		caught(IllegalArgumentException.class, () -> put().contentType("a".repeat(256)));
		caught(IllegalArgumentException.class, () -> put().ttl(Duration.ofMillis(1_500)));
		caught(IllegalArgumentException.class, () -> put().ttl(Duration.ZERO));
		caught(IllegalArgumentException.class, () -> put().ttl(Duration.ofSeconds(-1)));
		caught(IllegalArgumentException.class, () -> put().ttl(Duration.ofDays(3_650).plusSeconds(1)));
		assertThat(put().ttl(Duration.ofSeconds(1)).ttl(Duration.ofDays(3_650)).ttl())
			.isEqualTo(Duration.ofDays(3_650).toSeconds());
		caught(IllegalArgumentException.class, () -> Get.of("k").ifNoneMatch("\"1\"\r\nX: y"));
		caught(IllegalArgumentException.class, () -> ByteRange.of(5, 5));
		caught(IllegalArgumentException.class, () -> ByteRange.last(0));
		caught(IllegalArgumentException.class, () -> builder("http://a").options(deadline(0)));
		caught(IllegalArgumentException.class, () -> builder("http://a").connections(0).build());
		caught(IllegalArgumentException.class, () -> RangeQuery.between("a", ""));
		caught(IllegalArgumentException.class, () -> RangeQuery.all().limit(-1));
		caught(IllegalArgumentException.class, () -> RangeQuery.all().pageSize(0));
		caught(IllegalArgumentException.class, () -> RangeQuery.prefix("x".repeat(1_025)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "localhost:8080", "ftp://a", "http://", "http://a?x=1", "http://a?", "http://a#",
			"http://user:secret@a", "http://user:secret@a:b", "http://a:b" })
	void noEndpointIsTakenThatIsNone(String endpoint) {
		Throwable error = caught(IllegalArgumentException.class, () -> builder(endpoint).build());
		assertThat(error).hasMessageContaining("endpoint");
		assertThat(error).hasStackTraceContaining("endpoint");
		assertThat(stackTrace(error)).doesNotContain("secret");
	}

	private static String stackTrace(Throwable error) {
		StringWriter text = new StringWriter();
		error.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

	@Test
	void endpointsMayStandInOneText() {
		HostileServer server = node(Scripts.written());
		QuorateClient client = opened(QuorateClient.builder().endpoints(server.url() + "/, " + server.url()).build());
		client.put("k", "v");
		assertThat(client).hasToString("QuorateClient[" + server.url() + ", " + server.url() + "]");
		assertThat(opened(builder("http://[::1]:8080", "http://10.0.0.1:8080/base/").build()))
			.hasToString("QuorateClient[http://[::1]:8080, http://10.0.0.1:8080/base]");
	}

	@Test
	void endpointMayHaveAPath() {
		HostileServer server = node(Scripts.written());
		client(server.url() + "/base/").put("k", "v");
		assertThat(server.received().get(0).target()).isEqualTo("/base/v0/entity/k");
	}

	@Test
	void requestsSayTheProgramAndNoMore() {
		HostileServer server = node(Scripts.value("red"));
		client(server).get("k");
		assertThat(server.received().get(0).fields()).containsOnlyKeys("user-agent", "host", "content-length")
			.hasEntrySatisfying("user-agent", (agent) -> assertThat(agent).startsWith("quorate-java/"));
	}

	@Test
	void environmentNamesTheNodes() {
		HostileServer server = node(Scripts.written());
		QuorateClient client = opened(QuorateClient.builder()
			.environment(Map.of("QUORATE_ENDPOINTS", "http://a," + server.url(), "QUORATE_CA", ""))
			.build());
		assertThat(client).hasToString("QuorateClient[http://a, " + server.url() + "]");
	}

}
