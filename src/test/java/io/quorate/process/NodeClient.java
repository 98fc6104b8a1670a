package io.quorate.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A client of a node for any number of threads, each of which has one request under way.
 * What the node refuses is an answer, not an exception; an {@link IOException} means that
 * nobody knows what became of the request.
 */
final class NodeClient {

	static final String RETRY_AFTER = "Retry-After";

	/* Shared: each has a thread of its own. */
	private static final HttpClient HTTP = HttpClient.newBuilder()
		.version(Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(10))
		.build();

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	/*
	 * The machine may be busy with much else; that a deadline is kept is tested
	 * elsewhere.
	 */
	private static final String PATIENCE_MILLIS = "30000";

	private static final int ANSWER_BUFFER_BYTES = 64 * 1024;

	private final NodeProcess node;

	private final String query;

	private final String deadlineMillis;

	private NodeClient(NodeProcess node, String query, String deadlineMillis) {
		this.node = node;
		this.query = query;
		this.deadlineMillis = deadlineMillis;
	}

	/** A client with a deadline that no test waits for, and the node's own quorums. */
	static NodeClient of(NodeProcess node) {
		return new NodeClient(node, "", PATIENCE_MILLIS);
	}

	/** The same with more parameters, such as {@code replicas=2/3} or {@code ttl=5}. */
	NodeClient with(String parameters) {
		return new NodeClient(this.node, this.query + "&" + parameters, this.deadlineMillis);
	}

	/** The same with a deadline of its own for each request, of at most 30 s. */
	NodeClient within(Duration deadline) {
		return new NodeClient(this.node, this.query, Long.toString(deadline.toMillis()));
	}

	int status() {
		try {
			return HTTP
				.send(request(this.node.uri("/v0/status")).timeout(Duration.ofSeconds(5)).build(),
						BodyHandlers.discarding())
				.statusCode();
		}
		catch (IOException notYet) {
			return -1;
		}
		catch (InterruptedException stop) {
			throw new IllegalStateException(stop);
		}
	}

	HttpResponse<byte[]> get(String key) throws IOException, InterruptedException {
		return send(entity(key).GET());
	}

	HttpResponse<byte[]> put(String key, byte[] value) throws IOException, InterruptedException {
		return send(entity(key).PUT(BodyPublishers.ofByteArray(value)));
	}

	/** Writes a value of a media type, {@code null} for none. */
	HttpResponse<byte[]> put(String key, byte[] value, @Nullable String contentType)
			throws IOException, InterruptedException {
		HttpRequest.Builder request = entity(key).PUT(BodyPublishers.ofByteArray(value));
		return send((contentType != null) ? request.header("Content-Type", contentType) : request);
	}

	HttpResponse<byte[]> delete(String key) throws IOException, InterruptedException {
		return send(entity(key).DELETE());
	}

	/**
	 * Writes while the caller does something else; to cancel the future breaks the
	 * connection off.
	 */
	CompletableFuture<HttpResponse<byte[]>> putLater(String key, byte[] value) {
		return HTTP.sendAsync(entity(key).PUT(BodyPublishers.ofByteArray(value)).build(), BodyHandlers.ofByteArray());
	}

	/** Writes and closes the connection as soon as the body is sent. */
	void putAndLeave(String key, byte[] value) throws IOException {
		try (RawRequest request = RawRequest.send(this.node, ANSWER_BUFFER_BYTES, "PUT",
				"/v0/entity?id=" + key + this.query, "Content-Length: " + value.length)) {
			request.body(value, value.length);
		}
	}

	/**
	 * A batch, whose answer is read as it comes.
	 * @param lines its items, one a line
	 */
	HttpResponse<InputStream> openBatch(String lines) throws IOException, InterruptedException {
		return HTTP.send(request(this.node.uri("/v0/batch?" + this.query)).timeout(TIMEOUT)
			.POST(BodyPublishers.ofString(lines))
			.build(), BodyHandlers.ofInputStream());
	}

	/** Everything from a key on, each record as its key, a line feed and its value. */
	InputStream scan(String start) throws IOException, InterruptedException {
		return requireScan(openRange("start=" + start));
	}

	/** All keys that begin with it, as a scan. */
	InputStream scanPrefix(String prefix) throws IOException, InterruptedException {
		return requireScan(openRange("prefix=" + prefix));
	}

	/** Everything from a key on, each record as a line of JSON. */
	InputStream scanLines(String start) throws IOException, InterruptedException {
		return requireScan(HTTP.send(range("start=" + start).header("Accept", "application/x-ndjson").build(),
				BodyHandlers.ofInputStream()));
	}

	private static InputStream requireScan(HttpResponse<InputStream> answer) throws IOException {
		if (answer.statusCode() != 200) {
			answer.body().close();
			throw new IOException("the scan was answered " + answer.statusCode());
		}
		return answer.body();
	}

	/** A range by its parameters, with whatever status it is answered. */
	HttpResponse<InputStream> openRange(String parameters) throws IOException, InterruptedException {
		return HTTP.send(range(parameters).build(), BodyHandlers.ofInputStream());
	}

	private HttpRequest.Builder range(String parameters) {
		return request(this.node.uri("/v0/entities?" + parameters + this.query)).timeout(TIMEOUT);
	}

	/**
	 * Another thing that the node answers, such as {@code /actuator/health/readiness}.
	 */
	HttpResponse<byte[]> getPath(String pathAndQuery) throws IOException, InterruptedException {
		return send(request(this.node.uri(pathAndQuery)).timeout(TIMEOUT).GET());
	}

	/** Sends JSON to a path, such as {@code /actuator/recovery/end-rebuild}. */
	HttpResponse<byte[]> postPath(String path, String json) throws IOException, InterruptedException {
		return send(request(this.node.uri(path)).timeout(TIMEOUT)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(json)));
	}

	/** The body of an answer as text. */
	static String text(HttpResponse<byte[]> answer) {
		return new String(answer.body(), StandardCharsets.UTF_8);
	}

	/** How long a request takes, and its answer. */
	static Timed timed(Exchange exchange) throws IOException, InterruptedException {
		long began = System.nanoTime();
		HttpResponse<byte[]> answer = exchange.run();
		return new Timed(answer, Duration.ofNanos(System.nanoTime() - began));
	}

	private HttpRequest.Builder entity(String key) {
		return request(this.node.uri("/v0/entity?id=" + key + this.query)).timeout(TIMEOUT);
	}

	private HttpRequest.Builder request(URI uri) {
		return HttpRequest.newBuilder(uri).header("Quorate-Timeout", this.deadlineMillis);
	}

	private static HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return HTTP.send(request.build(), BodyHandlers.ofByteArray());
	}

	/** A request that is sent when it is run. */
	@FunctionalInterface
	interface Exchange {

		HttpResponse<byte[]> run() throws IOException, InterruptedException;

	}

	/** An answer, and the time from before the request to the end of the answer. */
	record Timed(HttpResponse<byte[]> answer, Duration took) {

		int status() {
			return this.answer.statusCode();
		}

		String text() {
			return NodeClient.text(this.answer);
		}

	}

}
