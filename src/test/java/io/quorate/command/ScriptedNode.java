package io.quorate.command;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A node that answers as a test says: once for each request, in the order of the script.
 */
public final class ScriptedNode implements AutoCloseable {

	private static final int NO_BODY = -1;

	/** An answer that breaks off the connection before its status. */
	public static final int SILENT = 0;

	public final List<String> requests = new CopyOnWriteArrayList<>();

	/** The header field of each request, empty without one. */
	public final List<String> lastEventIds = new CopyOnWriteArrayList<>();

	public final List<String> bodies = new CopyOnWriteArrayList<>();

	private final Queue<Reply> script = new ConcurrentLinkedQueue<>();

	private final Set<String> stalls = ConcurrentHashMap.newKeySet();

	private final CountDownLatch closed = new CountDownLatch(1);

	private final HttpServer server;

	public ScriptedNode() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", this::answer);
		this.server.start();
	}

	public ScriptedNode answers(int status, String type, String body) {
		this.script.add(new Reply(status, type, body, true, Map.of(), Duration.ZERO));
		return this;
	}

	/** An answer whose last chunk is missing. */
	public ScriptedNode breaksOff(String body) {
		this.script.add(new Reply(200, "application/x-ndjson", body, false, Map.of(), Duration.ZERO));
		return this;
	}

	/** Server-sent events, behind which the connection is lost. */
	public ScriptedNode streams(String events) {
		this.script.add(new Reply(200, "text/event-stream", events, false, Map.of(), Duration.ZERO));
		return this;
	}

	/** Server-sent events, behind which nothing more comes. */
	public ScriptedNode standsStillStreaming(String events) {
		this.stalls.add(events);
		return streams(events);
	}

	/** An answer that stands still behind these bytes. */
	public ScriptedNode standsStill(String body) {
		this.stalls.add(body);
		return breaksOff(body);
	}

	/** A write is acknowledged, or a value is there. */
	public ScriptedNode acknowledges(int status, String body) {
		return acknowledgesAfter(Duration.ZERO, status, body);
	}

	/** The same, and the node takes some time for it. */
	public ScriptedNode acknowledgesAfter(Duration pause, int status, String body) {
		this.script.add(new Reply(status, "text/plain", body, true, Map.of("ETag", "\"1-a\""), pause));
		return this;
	}

	/** A refusal of a node of ours. */
	public ScriptedNode refuses(int status) {
		return answers(status, "application/problem+json",
				"{\"type\":\"urn:quorate:problem:scripted\",\"status\":%d,\"title\":\"Refused\",\"detail\":\"because of the script\"}"
					.formatted(status));
	}

	public String url() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort();
	}

	private void answer(HttpExchange exchange) throws IOException {
		this.requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
		this.lastEventIds.add(Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Last-Event-ID"), ""));
		this.bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
		Reply reply = this.script.remove();
		if (reply.status() == SILENT) {
			exchange.close();
			return;
		}
		for (long end = System.nanoTime() + reply.pause().toNanos(),
				left = reply.pause().toNanos(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
		byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", reply.type());
		reply.headers().forEach(exchange.getResponseHeaders()::set);
		exchange.sendResponseHeaders(reply.status(), reply.isWhole() ? Math.max(body.length, NO_BODY) : 0);
		exchange.getResponseBody().write(body);
		exchange.getResponseBody().flush();
		if (this.stalls.contains(reply.body())) {
			awaitClose();
		}
		if (!reply.isWhole()) {
			throw new IOException("the script breaks off the answer");
		}
		exchange.close();
	}

	private void awaitClose() throws IOException {
		try {
			this.closed.await();
		}
		catch (InterruptedException stop) {
			throw new InterruptedIOException();
		}
	}

	@Override
	public void close() {
		this.closed.countDown();
		this.server.stop(0);
	}

	private record Reply(int status, String type, String body, boolean isWhole, Map<String, String> headers,
			Duration pause) {
	}

}
