package io.quorate.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

import io.quorate.client.CallOptions;
import io.quorate.client.ClientBuilder;
import io.quorate.client.InvalidAnswerException;
import io.quorate.client.Problem;
import io.quorate.client.Put;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.RangeIterator;
import io.quorate.client.RangeQuery;
import io.quorate.client.RangeRecord;
import io.quorate.client.Watch;
import io.quorate.client.WatchOptions;
import org.jspecify.annotations.Nullable;

/**
 * The client for Java of one node, for any number of threads, each of which has one
 * request under way. A call is one request. What the node refuses is an answer, not an
 * exception; an {@link IOException} means that there was no answer.
 */
final class NodeClient {

	private static final Duration TIMEOUT = Duration.ofMinutes(2);

	/*
	 * The machine may be busy with much else; that a deadline is kept is tested
	 * elsewhere.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration AGAIN = Duration.ofMillis(100);

	private static final int ANSWER_BUFFER_BYTES = 64 * 1024;

	/* Shared: each has threads of its own. No request waits for another. */
	private static final QuorateClient ALL_NODES = builder().build();

	/* The same for nodes with HTTPS. */
	private static final Map<SSLContext, QuorateClient> TRUSTING = new ConcurrentHashMap<>();

	private final NodeProcess node;

	private final String query;

	private final Duration deadline;

	private final boolean isPatient;

	private NodeClient(NodeProcess node, String query, Duration deadline, boolean isPatient) {
		this.node = node;
		this.query = query;
		this.deadline = deadline;
		this.isPatient = isPatient;
	}

	private static ClientBuilder builder() {
		return QuorateClient.builder()
			.connections(100_000)
			.connectTimeout(TIMEOUT)
			.options((options) -> options.attempts(1).deadline(TIMEOUT).stallTimeout(TIMEOUT));
	}

	/** A client with a deadline that no test waits for, and the node's own quorums. */
	static NodeClient of(NodeProcess node) {
		return new NodeClient(node, "", PATIENCE, false);
	}

	/** The same with more parameters: {@code replicas=2/3}, {@code ttl=5}, or both. */
	NodeClient with(String parameters) {
		return new NodeClient(this.node, this.query + "&" + parameters, this.deadline, this.isPatient);
	}

	/** The same with a deadline of its own for each request, of at most 30 s. */
	NodeClient within(Duration deadline) {
		return new NodeClient(this.node, this.query, deadline, this.isPatient);
	}

	/**
	 * The same, which gets, puts and deletes again for two minutes while it is answered
	 * that too few replicas are there, or have answered in time: the machine may be busy
	 * with much else, and what it asks for is in the end as if it had asked once.
	 */
	NodeClient patient() {
		return new NodeClient(this.node, this.query, this.deadline, true);
	}

	/** The status of the node's answer, -1 if there is none. */
	int status() {
		try {
			client().status((options) -> options.deadline(PATIENCE));
			return 200;
		}
		catch (QuorateException failure) {
			return failure.problem().map(Problem::status).orElse(-1);
		}
	}

	NodeAnswer get(String key) throws IOException, InterruptedException {
		return answer(() -> client().get(key, this::options).map(NodeAnswer::of).orElseGet(NodeAnswer::absent));
	}

	NodeAnswer put(String key, byte[] value) throws IOException, InterruptedException {
		return put(key, value, null);
	}

	/** Writes a value of a media type, {@code null} for none. */
	NodeAnswer put(String key, byte[] value, @Nullable String contentType) throws IOException, InterruptedException {
		Put put = (contentType != null) ? write(key, value).contentType(contentType) : write(key, value);
		return answer(() -> NodeAnswer.of(201, client().put(put, this::options)));
	}

	NodeAnswer delete(String key) throws IOException, InterruptedException {
		return answer(() -> NodeAnswer.of(202, client().delete(key, this::options)));
	}

	/** Writes while the caller does something else. */
	CompletableFuture<NodeAnswer> putLater(String key, byte[] value) {
		return client().async()
			.put(write(key, value), this::options)
			.handle((written, failure) -> (written != null) ? NodeAnswer.of(201, written) : refusal(failure));
	}

	private static NodeAnswer refusal(Throwable failure) {
		if (failure instanceof QuorateException error) {
			Problem problem = problem(error);
			if (problem != null) {
				return NodeAnswer.of(problem);
			}
		}
		throw new CompletionException(failure);
	}

	/*
	 * What is no answer of the API is a fault of the node, whatever the test makes of
	 * lost ones.
	 */
	private static @Nullable Problem problem(QuorateException failure) {
		if (failure instanceof InvalidAnswerException || failure.getCause() instanceof InvalidAnswerException) {
			throw new AssertionError(failure.getMessage(), failure);
		}
		return failure.problem().orElse(null);
	}

	/** Reads keys and values, and fails unless it reads them to the end. */
	RangeIterator<RangeRecord> range(RangeQuery query) {
		return client().range(query, this::options);
	}

	/** Watches keys at this node alone. */
	Watch watch(WatchOptions options) {
		return client().watch(options);
	}

	private QuorateClient client() {
		SSLContext tls = this.node.tls();
		QuorateClient shared = (tls != null)
				? TRUSTING.computeIfAbsent(tls, (context) -> builder().sslContext(context).build()) : ALL_NODES;
		return shared.at(this.node.uri("").toString());
	}

	private CallOptions options(CallOptions options) {
		CallOptions timed = options.nodeTimeout(this.deadline);
		String replicas = parameter("replicas");
		if (replicas == null) {
			return timed;
		}
		int slash = replicas.indexOf('/');
		return timed.ack(Integer.parseInt(replicas.substring(0, slash)))
			.from(Integer.parseInt(replicas.substring(slash + 1)));
	}

	private Put write(String key, byte[] value) {
		String ttl = parameter("ttl");
		Put put = Put.of(key, value);
		return (ttl != null) ? put.ttl(Duration.ofSeconds(Long.parseLong(ttl))) : put;
	}

	private @Nullable String parameter(String name) {
		int at = this.query.lastIndexOf("&" + name + "=");
		if (at < 0) {
			return null;
		}
		int begin = at + name.length() + 2;
		int end = this.query.indexOf('&', begin);
		return this.query.substring(begin, (end < 0) ? this.query.length() : end);
	}

	private NodeAnswer answer(Supplier<NodeAnswer> call) throws IOException, InterruptedException {
		long end = System.nanoTime() + TIMEOUT.toNanos();
		Pace pace = new Pace(AGAIN);
		NodeAnswer answer = answerOf(call);
		while (this.isPatient && isTooFew(answer.statusCode()) && System.nanoTime() - end < 0) {
			pace.await();
			answer = answerOf(call);
		}
		return answer;
	}

	private static boolean isTooFew(int status) {
		return status == 503 || status == 504;
	}

	private static NodeAnswer answerOf(Supplier<NodeAnswer> call) throws IOException, InterruptedException {
		try {
			return call.get();
		}
		catch (QuorateException failure) {
			Problem problem = problem(failure);
			if (problem != null) {
				return NodeAnswer.of(problem);
			}
			if (Thread.interrupted()) {
				InterruptedException interrupt = new InterruptedException(failure.getMessage());
				interrupt.initCause(failure);
				throw interrupt;
			}
			throw new IOException(failure.getMessage(), failure);
		}
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
		return raw().openBatch("/v0/batch?" + this.query, lines);
	}

	/** Everything from a key on, each record as its key, a line feed and its value. */
	InputStream scan(String start) throws IOException, InterruptedException {
		return raw().scan(range("start=" + start), "application/octet-stream");
	}

	/** All keys that begin with it, as a scan. */
	InputStream scanPrefix(String prefix) throws IOException, InterruptedException {
		return raw().scan(range("prefix=" + prefix), "application/octet-stream");
	}

	/** Everything from a key on, each record as a line of JSON. */
	InputStream scanLines(String start) throws IOException, InterruptedException {
		return raw().scan(range("start=" + start), "application/x-ndjson");
	}

	/** A range by its parameters, with whatever status it is answered. */
	HttpResponse<InputStream> openRange(String parameters) throws IOException, InterruptedException {
		return raw().open(range(parameters));
	}

	private String range(String parameters) {
		return "/v0/entities?" + parameters + this.query;
	}

	/**
	 * Another thing that the node answers, such as {@code /actuator/health/readiness}.
	 */
	HttpResponse<byte[]> getPath(String pathAndQuery) throws IOException, InterruptedException {
		return raw().get(pathAndQuery);
	}

	/** Sends JSON to a path, such as {@code /actuator/recovery/end-rebuild}. */
	HttpResponse<byte[]> postPath(String path, String json) throws IOException, InterruptedException {
		return raw().post(path, json);
	}

	private RawHttp raw() {
		return new RawHttp(this.node, this.deadline);
	}

	/** The body of an answer as text. */
	static String text(HttpResponse<byte[]> answer) {
		return new String(answer.body(), StandardCharsets.UTF_8);
	}

	/** The body of an answer as text. */
	static String text(NodeAnswer answer) {
		return answer.text();
	}

	/** How long a request takes, and its answer. */
	static Timed timed(Exchange exchange) throws IOException, InterruptedException {
		long began = System.nanoTime();
		NodeAnswer answer = exchange.run();
		return new Timed(answer, Duration.ofNanos(System.nanoTime() - began));
	}

	/** A request that is sent when it is run. */
	@FunctionalInterface
	interface Exchange {

		NodeAnswer run() throws IOException, InterruptedException;

	}

	/** An answer, and the time from before the request to the end of the answer. */
	record Timed(NodeAnswer answer, Duration took) {

		int status() {
			return this.answer.statusCode();
		}

		String text() {
			return this.answer.text();
		}

	}

}
