package io.quorate.client;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.quorate.client.HostileServer.Connection;
import io.quorate.client.HostileServer.Received;
import io.quorate.client.HostileServer.Script;
import org.jspecify.annotations.Nullable;

/**
 * A node with values by the rules of conditional writes, which loses requests and answers
 * as the test says.
 */
final class ConditionalStore implements Script {

	private final LongSupplier nanos;

	private final Map<String, Stored> values = new TreeMap<>();

	private final List<String> asked = new ArrayList<>();

	private long versions;

	private Faults faults = (method, key) -> Fault.NONE;

	private Runnable meanwhile = () -> {
	};

	ConditionalStore(LongSupplier nanos) {
		this.nanos = nanos;
	}

	/** Has requests or answers lost from now on. */
	synchronized void lose(Faults some) {
		this.faults = some;
	}

	/** Has others do something before each request that is answered. */
	synchronized void meanwhile(Runnable others) {
		this.meanwhile = others;
	}

	synchronized @Nullable String text(String key) {
		Stored stored = present(key);
		return (stored != null) ? stored.value : null;
	}

	synchronized String etag(String key) {
		Stored stored = this.values.get(key);
		if (stored == null) {
			throw new NoSuchElementException(key);
		}
		return stored.etag;
	}

	synchronized boolean expires(String key) {
		Stored stored = present(key);
		return stored != null && stored.expires != null;
	}

	synchronized List<String> keys() {
		return this.values.keySet().stream().filter((key) -> present(key) != null).toList();
	}

	/** Returns methods, keys and queries of the requests. */
	synchronized List<String> asked() {
		return List.copyOf(this.asked);
	}

	synchronized void put(String key, String value) {
		this.values.put(key, new Stored(value, next(), null, Map.of()));
	}

	synchronized void drop(String key) {
		this.values.remove(key);
	}

	private @Nullable Stored present(String key) {
		Stored stored = this.values.get(key);
		return (stored == null || (stored.expires != null && stored.expires - this.nanos.getAsLong() <= 0)) ? null
				: stored;
	}

	private String next() {
		return "\"%016x-00000001\"".formatted(++this.versions);
	}

	@Override
	public void answer(Connection connection, Received request) throws IOException {
		String[] parts = request.target().split("\\?", 2);
		Map<String, String> query = (parts.length == 1) ? Map.of() : RangeStore.parameters(request);
		String key = URLDecoder.decode(parts[0], StandardCharsets.UTF_8).replaceFirst("^/v0/entity/", "");
		Answered answered;
		synchronized (this) {
			this.meanwhile.run();
			this.asked.add(request.method() + " " + key + ((parts.length == 1) ? "" : "?" + parts[1]));
			Fault fault = this.faults.of(request.method(), key);
			answered = (fault != Fault.REQUEST) ? answered(request, key, query) : null;
			if (fault != Fault.NONE || answered == null) {
				connection.cut();
				return;
			}
		}
		StringBuilder head = new StringBuilder("HTTP/1.1 " + answered.status + " Whatever\r\n");
		answered.fields.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
		head.append("Content-Length: ").append(answered.body.getBytes(StandardCharsets.UTF_8).length);
		connection.send(Scripts
			.bytes(head.append("\r\n\r\n").append(request.method().equals("HEAD") ? "" : answered.body).toString()));
	}

	private Answered answered(Received request, String key, Map<String, String> query) {
		if (key.equals("/v0/entities")) {
			return range(query);
		}
		if (key.equals("/v0/batch")) {
			StringBuilder lines = new StringBuilder();
			request.body().lines().map(this::item).forEach(lines::append);
			return new Answered(200, Map.of(), lines.toString());
		}
		return one(request.method(), key, query, request.fields(), request.body());
	}

	private String item(String line) {
		Map<String, Object> item = Objects.requireNonNull(Json.object(Scripts.bytes(line)));
		Answered each = one("DELETE", String.valueOf(item.get("id")), Map.of(),
				Map.of("if-match", String.valueOf(item.get("ifMatch"))), "");
		String etag = each.fields.getOrDefault("ETag", "").replace("\"", "\\\"");
		return "{\"status\":" + each.status + ((each.status == 202) ? ",\"etag\":\"" + etag + "\"}\n"
				: ",\"problem\":" + each.body.strip() + "}\n");
	}

	private Answered range(Map<String, String> query) {
		String start = query.getOrDefault("cursor", query.getOrDefault("prefix", query.getOrDefault("start", "")));
		String end = query.getOrDefault("end", start.replaceFirst(":[^:]*$", ";"));
		List<String> inside = keys().stream()
			.filter((key) -> key.compareTo(start) >= 0 && key.compareTo(end) < 0)
			.toList();
		StringBuilder lines = new StringBuilder();
		List<String> shown = inside.stream().limit(Long.parseLong(query.get("limit"))).toList();
		for (String key : shown) {
			lines.append("{\"key\":\"" + key + "\",\"size\":1,\"etag\":\"" + etag(key).replace("\"", "\\\"") + "\"}\n");
		}
		lines.append((shown.size() < inside.size()) ? RangeStore.last(shown.size(), inside.get(shown.size()))
				: RangeStore.last(shown.size()));
		return new Answered(200, Map.of(), lines.append('\n').toString());
	}

	private Answered one(String method, String key, Map<String, String> query, Map<String, String> fields,
			String body) {
		Stored stored = present(key);
		if (method.equals("GET") || method.equals("HEAD")) {
			return (stored == null) ? problem(404, "not-found", "")
					: new Answered("*".equals(fields.get("if-none-match")) ? 304 : 200,
							Map.of("ETag", stored.etag, "Content-Type", "text/plain"), stored.value);
		}
		Stored last = this.values.get(key);
		String repeated = fields.get("idempotency-key");
		if (repeated != null && last != null && last.done.containsKey(repeated)) {
			return new Answered(method.equals("PUT") ? 201 : 202, Map.of("ETag", last.done.get(repeated),
					"Idempotency-Replayed", "true", "Quorate-Current", (stored != null) ? stored.etag : "none"), "");
		}
		String match = fields.get("if-match");
		if ((match != null && (stored == null || !stored.etag.equals(match)))
				|| (fields.containsKey("if-none-match") && stored != null)) {
			return problem(412, "precondition-failed",
					",\"current\":" + ((stored != null) ? "\"" + stored.etag.replace("\"", "\\\"") + "\"" : "null"));
		}
		String ttl = query.getOrDefault("ttl", "none");
		Long expires = ttl.matches("\\d+")
				? Long.valueOf(this.nanos.getAsLong() + TimeUnit.SECONDS.toNanos(Long.parseLong(ttl))) : null;
		if (method.equals("PATCH")) {
			if (stored == null) {
				return problem(404, "not-found", "");
			}
			if (expires == null || stored.expires == null || expires - stored.expires < 0) {
				expires = stored.expires;
			}
			this.values.put(key, new Stored(stored.value, stored.etag, expires, stored.done));
			return new Answered(200, Map.of("ETag", stored.etag), "");
		}
		String etag = next();
		Map<String, String> done = new HashMap<>((last != null) ? last.done : Map.of());
		if (repeated != null) {
			done.put(repeated, etag);
		}
		if (ttl.equals("keep") && stored != null) {
			expires = stored.expires;
		}
		boolean isPut = method.equals("PUT");
		this.values.put(key, new Stored(body, etag, isPut ? expires : Long.valueOf(this.nanos.getAsLong()), done));
		return new Answered(isPut ? 201 : 202, Map.of("ETag", etag), "");
	}

	private static Answered problem(int status, String name, String more) {
		return new Answered(status, Map.of("Content-Type", "application/problem+json", "Cache-Control", "no-store"),
				Scripts.document(status, name, more));
	}

	/** The loss of requests and answers, or none. */
	enum Fault {

		NONE, REQUEST, ANSWER

	}

	/** The fault of each request. */
	interface Faults {

		Fault of(String method, String key);

	}

	private record Answered(int status, Map<String, String> fields, String body) {
	}

	/*
	 * The outcomes of keyed writes, as long as conditional writes alone change the key.
	 */
	private record Stored(String value, String etag, @Nullable Long expires, Map<String, String> done) {
	}

}
