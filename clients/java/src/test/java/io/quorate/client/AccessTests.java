package io.quorate.client;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The token of a client: sent to nodes, and said to no one else. */
class AccessTests extends HostileTests {

	private static final String SECRET = "qk_app_secret";

	private static List<String> tokens(HostileServer server) {
		return server.received().stream().map((each) -> each.fields().getOrDefault("authorization", "none")).toList();
	}

	@Test
	void tokenIsSentToEachNode() {
		HostileServer first = node(Scripts.problem(503, "draining"));
		HostileServer second = node(Scripts.written());
		opened(builder(first, second).token(SECRET).build()).put("k", "v");
		assertThat(tokens(first)).containsExactly("Bearer " + SECRET);
		assertThat(tokens(second)).containsExactly("Bearer " + SECRET);
	}

	@Test
	void sourceIsAskedBeforeEachRequest() {
		HostileServer server = node(Scripts.problem(503, "draining", "Retry-After: 0"), Scripts.written());
		Iterator<String> tokens = List.of("a", "b").iterator();
		opened(builder(server).token(tokens::next).build()).put("k", "v");
		assertThat(tokens(server)).containsExactly("Bearer a", "Bearer b");
	}

	@Test
	void sourceThatFailsSendsNothing() {
		HostileServer server = node(Scripts.written());
		QuorateClient client = opened(builder(server).token(() -> {
			throw new IllegalStateException(SECRET);
		}).build());
		TokenException error = caught(TokenException.class, () -> client.put("k", "v"));
		assertThat(text(error)).contains("IllegalStateException").doesNotContain(SECRET);
		assertThat(server.received()).isEmpty();
	}

	@Test
	void errorOfASourceIsNotOneOfTheNode() {
		HostileServer server = node(Scripts.written());
		QuorateClient client = opened(builder(server).token(() -> {
			throw new InvalidAnswerException("http://other", 503, "of a client that the source has", null);
		}).build());
		TokenException error = caught(TokenException.class, () -> client.put("k", "v"));
		assertThat(error.failures()).hasSize(1);
		assertThat(server.received()).isEmpty();
	}

	@Test
	void sourceNeedsNoThreadOfTheCaller() {
		List<String> names = new CopyOnWriteArrayList<>();
		QuorateClient client = opened(builder(node(Scripts.value("red"), new RangeStore("a"))).executor((task) -> {
			throw new RejectedExecutionException("all threads wait for the client");
		}).token(() -> {
			names.add(Thread.currentThread().getName());
			return SECRET;
		}).build());
		assertThat(client.get("k")).isPresent();
		try (RangeIterator<RangeRecord> range = client.range(RangeQuery.all())) {
			assertThat(range.next().key()).isEqualTo("a");
		}
		assertThat(names).hasSize(2).allMatch((name) -> name.startsWith("quorate-client-"));
	}

	@Test
	void sourceThatFailsLaterMakesNoOutcomeKnown() {
		HostileServer server = node(Scripts.CUT);
		Iterator<String> tokens = List.of("a").iterator();
		QuorateClient client = opened(
				builder(server).token(tokens::next).options((options) -> options.repeatUnknown(true)).build());
		assertThat(caught(OutcomeUnknownException.class, () -> client.put("k", "v")).wasRepeated()).isFalse();
	}

	@Test
	void sourceThatBlocksHasTheDeadline() {
		HostileServer server = node(Scripts.written());
		CountDownLatch end = new CountDownLatch(1);
		QuorateClient client = opened(builder(server).token(() -> {
			try {
				end.await();
			}
			catch (InterruptedException interrupt) {
				Thread.currentThread().interrupt();
			}
			return SECRET;
		}).options(deadline(400)).build());
		Duration time = timeUntil(TokenException.class, () -> client.put("k", "v"));
		end.countDown();
		assertThat(time).isBetween(millis(300), millis(400).plus(SLACK));
		assertThat(server.received()).isEmpty();
	}

	@Test
	void fileIsReadAgainWhenItChanges(@TempDir Path directory) throws IOException {
		Path file = Files.writeString(directory.resolve("token"), "first\n");
		HostileServer server = node(Scripts.written());
		QuorateClient client = opened(
				builder(server).environment(Map.of("QUORATE_TOKEN_FILE", file.toString())).build());
		client.put("k", "v");
		client.put("k", "v");
		Files.writeString(file, "the second one".replace(" ", "-"));
		client.put("k", "v");
		assertThat(tokens(server)).containsExactly("Bearer first", "Bearer first", "Bearer the-second-one");
		Files.delete(file);
		caught(TokenException.class, () -> client.put("k", "v"));
		assertThat(server.received()).hasSize(3);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "two words", "a\r\nX: y", "ä", "=", "secret\n" })
	void noTokenIsSentOrPrintedThatIsNone(String token) {
		TokenException error = caught(TokenException.class, () -> builder("http://localhost").token(token));
		assertThat(error).hasMessage("the token must have letters, digits and -._~+/ alone");
		HostileServer server = node(Scripts.written());
		QuorateClient client = opened(builder(server).token(() -> token).build());
		assertThat(text(caught(TokenException.class, () -> client.put("k", "v")))).doesNotContain("two words", "ä");
		assertThat(server.received()).isEmpty();
	}

	@Test
	void noTextHasTheToken() {
		HostileServer server = node(Scripts.problem(401, "unauthenticated"), Scripts.CUT);
		ClientBuilder builder = builder(server).token(SECRET);
		QuorateClient client = opened(builder.build());
		assertThat(client.toString() + builder + opened(builder.buildAsync()) + Token.of(SECRET))
			.doesNotContain(SECRET);
		assertThat(text(caught(UnauthenticatedException.class, () -> client.get("k")))).doesNotContain(SECRET);
		assertThat(text(caught(OutcomeUnknownException.class, () -> client.put("k", "v")))).doesNotContain(SECRET);
	}

	private static String text(Throwable error) {
		StringWriter text = new StringWriter();
		error.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

	@Test
	@ResourceLock(Resources.SYSTEM_PROPERTIES)
	void exposedTokenIsLogged() {
		StringBuilder logged = new StringBuilder();
		Handler handler = new Handler() {

			@Override
			public void publish(LogRecord entry) {
				logged.append(entry.getLevel()).append(List.of(entry.getParameters())).append(entry.getMessage());
			}

			@Override
			public void flush() {
			}

			@Override
			public void close() {
			}

		};
		Logger logger = Logger.getLogger("io.quorate.client");
		logger.addHandler(handler);
		logger.setUseParentHandlers(false);
		try {
			opened(builder("http://localhost", "http://127.0.0.2:80", "http://[::1]", "https://a").token(SECRET)
				.build());
			opened(builder("http://10.0.0.1").build());
			assertThat(logged).isEmpty();
			opened(builder("http://10.0.0.1").token(SECRET).build());
			assertThat(logged.toString()).contains("WARNING", "http://10.0.0.1", "without encryption")
				.doesNotContain(SECRET);
			QuorateClient client = opened(builder("https://a").token(SECRET).build());
			client.at("http://10.0.0.2");
			client.at("http://10.0.0.2");
			assertThat(logged.toString()).containsOnlyOnce("http://10.0.0.2");
		}
		finally {
			logger.removeHandler(handler);
		}
	}

	@Test
	@ResourceLock(Resources.SYSTEM_PROPERTIES)
	void noProxyOfTheSystemHasARequest() {
		HostileServer server = node(Scripts.value("red"));
		ProxySelector before = ProxySelector.getDefault();
		ProxySelector.setDefault(new ProxySelector() {

			@Override
			public List<Proxy> select(URI uri) {
				throw new AssertionError("asked for a proxy");
			}

			@Override
			public void connectFailed(URI uri, SocketAddress address, IOException failure) {
			}

		});
		try {
			assertThat(client(server).get("k")).isPresent();
		}
		finally {
			ProxySelector.setDefault(before);
		}
	}

}
