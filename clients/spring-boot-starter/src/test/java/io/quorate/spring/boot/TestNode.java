package io.quorate.spring.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/** A server on loopback that answers as a node, by the path and the method alone. */
final class TestNode implements AutoCloseable {

	/** The answer to a write that fewer replicas than required have stored. */
	static final Answer TOO_FEW = new Answer(504,
			"{\"type\":\"urn:quorate:problem:not-enough-replicas\",\"status\":504,\"required\":2,\"acknowledged\":1,"
					+ "\"outcome\":\"unknown\"}",
			Map.of("Content-Type", "application/problem+json"));

	/** The answer to a request that the node refuses. */
	static final Answer FORBIDDEN = new Answer(403, "{\"type\":\"urn:quorate:problem:forbidden\",\"status\":403}",
			Map.of("Content-Type", "application/problem+json"));

	/** The answer of a node that has too much to do. */
	static final Answer OVERLOADED = new Answer(503, "{\"type\":\"urn:quorate:problem:overloaded\",\"status\":503}",
			Map.of("Content-Type", "application/problem+json"));

	/** The answer to a read of a key without a value. */
	static final Answer ABSENT = new Answer(404, "{\"type\":\"urn:quorate:problem:not-found\",\"status\":404}",
			Map.of("Content-Type", "application/problem+json"));

	/** No answer at all. */
	static final Answer SILENCE = new Answer(0, "", Map.of());

	/** The answer to a write. */
	static final Answer WRITTEN = new Answer(201, "", Map.of("ETag", "\"1\"", "Server-Timing",
			"total;dur=2, n0;dur=1;desc=\"applied\", n1;dur=2;desc=\"applied\", n2;desc=\"waiting\""));

	/** The answer to a deletion. */
	static final Answer DELETED = new Answer(202, "", Map.of("ETag", "\"1\""));

	private static final Answer VALUE = new Answer(200, "red", Map.of("ETag", "\"1\"", "Content-Type", "text/plain"));

	private final HttpServer server;

	private final String scheme;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final CountDownLatch closed = new CountDownLatch(1);

	private final List<Received> received = new CopyOnWriteArrayList<>();

	private volatile String state = "ready";

	private volatile boolean isSilent;

	private volatile @Nullable Function<Received, Answer> script;

	TestNode() {
		this(null);
	}

	TestNode(@Nullable SslBundle bundle) {
		try {
			InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
			if (bundle != null) {
				HttpsServer secure = HttpsServer.create(address, 0);
				secure.setHttpsConfigurator(new HttpsConfigurator(bundle.createSslContext()));
				this.server = secure;
				this.scheme = "https";
			}
			else {
				this.server = HttpServer.create(address, 0);
				this.scheme = "http";
			}
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
		this.server.setExecutor(this.threads);
		this.server.createContext("/", this::handle);
		this.server.start();
	}

	String url() {
		return this.scheme + "://localhost:" + this.server.getAddress().getPort();
	}

	int port() {
		return this.server.getAddress().getPort();
	}

	List<Received> received() {
		return this.received;
	}

	/** Has the node say this state from now on. */
	void be(String next) {
		this.state = next;
	}

	/** Has the node answer nothing from now on. */
	void fallSilent() {
		this.isSilent = true;
	}

	/**
	 * Has the node give this answer to each request for a key from now on; {@code null}
	 * for its own.
	 */
	void answer(@Nullable Answer next) {
		this.script = (next != null) ? (request) -> next : null;
	}

	/** Has the node answer each request for a key so from now on. */
	void follow(Function<Received, Answer> next) {
		this.script = next;
	}

	private void handle(HttpExchange exchange) throws IOException {
		try (exchange) {
			byte[] sent = exchange.getRequestBody().readAllBytes();
			Received request = new Received(exchange.getRequestMethod(), exchange.getRequestURI().toString(),
					exchange.getRequestHeaders(), new String(sent, StandardCharsets.ISO_8859_1));
			this.received.add(request);
			Answer next = this.isSilent ? SILENCE : answerTo(request);
			if (next.equals(SILENCE)) {
				this.closed.await(1, TimeUnit.HOURS);
				return;
			}
			next.fields.forEach(exchange.getResponseHeaders()::set);
			byte[] body = next.body.getBytes(StandardCharsets.ISO_8859_1);
			if (body.length == 0) {
				// The server of the JDK writes this length only as a field.
				exchange.getResponseHeaders().set("Content-Length", "0");
			}
			exchange.sendResponseHeaders(next.status, (body.length > 0) ? body.length : -1);
			exchange.getResponseBody().write(body);
		}
		catch (InterruptedException end) {
			Thread.currentThread().interrupt();
		}
	}

	private Answer answerTo(Received request) {
		if (request.target().equals("/v0/status")) {
			return new Answer(200, "{\"node\":\"n0\",\"cluster\":\"c\",\"version\":\"1\",\"state\":\"" + this.state
					+ "\",\"open\":true}", Map.of("Content-Type", "application/json"));
		}
		Function<Received, Answer> next = this.script;
		if (next != null) {
			return next.apply(request);
		}
		return switch (request.method()) {
			case "PUT" -> WRITTEN;
			case "DELETE" -> DELETED;
			default -> VALUE;
		};
	}

	@Override
	public void close() {
		this.closed.countDown();
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	/**
	 * An answer to one request.
	 *
	 * @param status its status
	 * @param body its body
	 * @param fields its header fields
	 */
	record Answer(int status, String body, Map<String, String> fields) {
	}

	/**
	 * A request as the node has it.
	 *
	 * @param method its method
	 * @param target its path and query
	 * @param fields its header fields
	 * @param body its body, as Latin-1
	 */
	record Received(String method, String target, Headers fields, String body) {

		@Nullable String field(String name) {
			return this.fields.getFirst(name);
		}

	}

}
