package io.quorate.command;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * A request of an {@linkplain AotTraining AOT training}, and the status of its answer.
 *
 * @param accept form of the answer, {@code null} for that for people
 * @param type form of the body, {@code null} for a value
 */
@SuppressWarnings("ArrayRecordComponent")
record TrainingStep(String method, String path, byte @Nullable [] body, @Nullable String accept, @Nullable String type,
		int status) {

	private static final String LINES = "application/x-ndjson";

	/* Requests as programs send them, for what the warm-up leaves out. */
	private static final int KEYS = 500;

	private static final int BATCH = 100;

	private static final int MOVED = 50 * BATCH;

	private static final byte[] SMALL = bytes(100);

	private static final byte[] LARGE = bytes(1_000_000);

	private static final String TEXT = "text".repeat(50);

	static TrainingStep of(String method, String path, int status) {
		return new TrainingStep(method, path, null, null, null, status);
	}

	static TrainingStep of(String method, String path, byte[] body, int status) {
		return new TrainingStep(method, path, body, null, null, status);
	}

	/** A command of an operator. */
	static TrainingStep command(String path, String json) {
		return new TrainingStep("POST", path, json.getBytes(StandardCharsets.UTF_8), null, "application/json", 202);
	}

	private static TrainingStep range(String range, String format) {
		return new TrainingStep("GET", range, null, format, null, 200);
	}

	private static TrainingStep batch(String lines) {
		return new TrainingStep("POST", "/v0/batch", lines.getBytes(StandardCharsets.UTF_8), null, LINES, 200);
	}

	/** Writes keys that are to move when members change. */
	static List<TrainingStep> filling() {
		return IntStream.range(0, MOVED / BATCH)
			.mapToObj((part) -> batch(IntStream.range(part * BATCH, (part + 1) * BATCH)
				.mapToObj((key) -> "{\"op\":\"put\",\"id\":\"moved-%d\",\"text\":\"%s\"}\n".formatted(key, TEXT))
				.collect(Collectors.joining())))
			.toList();
	}

	/** Writes and reads a key while members change. */
	static List<TrainingStep> meanwhile(int number) {
		String key = "/v0/entity?id=moved-" + number % MOVED;
		return List.of(of("PUT", key, SMALL, 201), of("GET", key, 200));
	}

	/** Requests of all kinds. */
	static List<TrainingStep> all() {
		List<TrainingStep> steps = new ArrayList<>();
		for (int i = 0; i < KEYS; i++) {
			String key = "/v0/entity?id=key-" + i;
			steps.add(of("PUT", key, SMALL, 201));
			steps.add(of("GET", key, 200));
			steps.add(of("PUT", key + "&replicas=1/1&ttl=3600", SMALL, 201));
			steps.add(of("HEAD", key + "&replicas=1/1", 200));
			steps.add(of("GET", "/v0/entity?id=none-" + i, 404));
		}
		for (int i = 0; i < KEYS / 10; i++) {
			steps.add(of("DELETE", "/v0/entity?id=key-" + i, 202));
		}
		for (int i = 0; i < 5; i++) {
			steps.add(of("PUT", "/v0/entity?id=large-" + i, LARGE, 201));
			steps.add(of("GET", "/v0/entity?id=large-" + i, 200));
		}
		for (int i = 0; i < 20; i++) {
			String range = "/v0/entities?prefix=key-" + (i + KEYS / 10);
			steps.add(range(range, "application/octet-stream"));
			steps.add(range(range, LINES));
			steps.add(of("GET", range + "&keys=true&reverse=true&limit=1", 200));
			steps.add(batch(mixed(i)));
		}
		steps.add(of("GET", "/v0/entity?id=key&replicas=3/1", 400));
		for (String path : List.of("/v0/status", "/actuator/health", "/actuator/prometheus")) {
			steps.add(of("GET", path, 200));
		}
		return steps;
	}

	private static String mixed(int number) {
		StringBuilder lines = new StringBuilder();
		for (int i = 0; i < KEYS / 10; i++) {
			lines.append("{\"op\":\"put\",\"id\":\"batch-%d-%d\",\"text\":\"text\"}\n".formatted(number, i))
				.append("{\"op\":\"get\",\"id\":\"key-%d\"}\n".formatted(KEYS / 10 + i));
		}
		return lines.toString();
	}

	/* Of no meaning: they must not be compressible. */
	private static byte[] bytes(int size) {
		byte[] bytes = new byte[size];
		new Random(size).nextBytes(bytes);
		return bytes;
	}

	/** The request to a node. */
	HttpRequest.Builder request(NodeAccess access, URI url) {
		HttpRequest.Builder request = access.request(url, this.path);
		if (this.accept != null) {
			request.header("Accept", this.accept);
		}
		if (this.type != null) {
			request.header("Content-Type", this.type);
		}
		return request.method(this.method,
				(this.body != null) ? BodyPublishers.ofByteArray(this.body) : BodyPublishers.noBody());
	}

	@Override
	public String toString() {
		return this.method + " " + this.path;
	}

}
