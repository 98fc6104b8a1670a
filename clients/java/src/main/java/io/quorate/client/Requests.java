package io.quorate.client;

import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/** The requests of the HTTP API. */
final class Requests {

	static final String ENTITIES = "/v0/entities";

	private static final String ENTITY = "/v0/entity";

	private static final String ANY = "*";

	private static final byte[] NOTHING = {};

	private Requests() {
	}

	static Request put(Put put, CallOptions options) {
		Map<String, String> query = new LinkedHashMap<>();
		if (put.ttl() != null) {
			query.put("ttl", put.ttl().toString());
		}
		return write("PUT", entity(put.key(), query, options), put.bytes(), put.ifMatch(), put.ifNoneMatch())
			.field("Content-Type", put.contentType());
	}

	static Request delete(Delete delete, CallOptions options) {
		return write("DELETE", entity(delete.key(), new LinkedHashMap<>(), options), NOTHING, delete.ifMatch(),
				List.of());
	}

	/*
	 * What such a write does ends its condition, so that it can be repeated by its key.
	 */
	private static Request write(String method, String target, byte[] body, List<String> ifMatch,
			List<String> ifNoneMatch) {
		Map<String, String> fields = conditions(ifMatch, ifNoneMatch);
		Effect effect = Effect.WRITE;
		if (!ifMatch.isEmpty() && !ifMatch.contains(ANY)) {
			effect = Effect.ONCE_ON_VERSIONS;
		}
		else if (ifNoneMatch.contains(ANY)) {
			effect = Effect.ONCE;
		}
		if (effect.isOnce()) {
			fields.put("Idempotency-Key", UUID.randomUUID().toString());
		}
		return new Request(method, target, fields, body, effect);
	}

	/* It may be repeated like a read. */
	static Request touch(Touch touch, CallOptions options) {
		Map<String, String> query = new LinkedHashMap<>();
		query.put("ttl", Long.toString(touch.ttl().toSeconds()));
		return new Request("PATCH", entity(touch.key(), query, options), conditions(touch.ifMatch(), List.of()),
				NOTHING, Effect.NONE);
	}

	private static Map<String, String> conditions(List<String> ifMatch, List<String> ifNoneMatch) {
		Map<String, String> fields = new HashMap<>();
		if (!ifMatch.isEmpty()) {
			fields.put("If-Match", String.join(", ", ifMatch));
		}
		if (!ifNoneMatch.isEmpty()) {
			fields.put("If-None-Match", String.join(", ", ifNoneMatch));
		}
		return fields;
	}

	static Request get(Get get, CallOptions options) {
		return read("GET", get.key(), conditions(get.ifMatch(), get.ifNoneMatch()), options);
	}

	static Request head(String key, CallOptions options) {
		Keys.check(key);
		return read("HEAD", key, Map.of(), options);
	}

	static Request part(String key, ByteRange part, CallOptions options) {
		Keys.check(key);
		Map<String, String> fields = new HashMap<>();
		fields.put("Range", part.field());
		if (part.etag() != null) {
			fields.put("If-Range", part.etag());
		}
		return read("GET", key, fields, options);
	}

	static Request status() {
		return new Request("GET", "/v0/status", Map.of(), null, Effect.NONE);
	}

	/**
	 * Returns the request for a part of a range.
	 * @param query the range
	 * @param cursor the place to go on, {@code null} for the beginning
	 * @param records the most records of the answer
	 * @param withValues {@code false} for keys alone
	 * @param options the options of the call
	 */
	static Request range(RangeQuery query, @Nullable String cursor, long records, boolean withValues,
			CallOptions options) {
		Map<String, String> parameters = new LinkedHashMap<>();
		String place = (cursor != null) ? cursor : query.bounds().cursor();
		if (place != null) {
			parameters.put("cursor", place);
		}
		else {
			addBounds(parameters, query);
			if (!withValues) {
				parameters.put("keys", "true");
			}
		}
		parameters.put("limit", Long.toString(records));
		return new Request("GET", target(ENTITIES, parameters, options), Map.of("Accept", "application/x-ndjson"), null,
				Effect.NONE);
	}

	private static void addBounds(Map<String, String> parameters, RangeQuery query) {
		RangeQuery.Bounds bounds = query.bounds();
		if (bounds.prefix() != null) {
			parameters.put("prefix", bounds.prefix());
		}
		else {
			if (bounds.start() != null || !query.isReverse()) {
				parameters.put("start", (bounds.start() != null) ? bounds.start() : RangeQuery.FIRST_KEY);
			}
			if (bounds.end() != null) {
				parameters.put("end", bounds.end());
			}
		}
		if (query.isReverse()) {
			parameters.put("reverse", "true");
		}
	}

	/**
	 * Returns the request for the events of a watch.
	 * @param watch the watch
	 * @param start the first place, {@code null} for now
	 * @param cursor the place that an event has named, in place of the first one
	 */
	static Request watch(WatchOptions watch, @Nullable String start, @Nullable String cursor) {
		Request request = Request.read("/v0/watch");
		if (watch.key() != null) {
			request = request.parameter("key", watch.key());
		}
		else if (watch.range().bounds().isBounded()) {
			Map<String, String> bounds = new LinkedHashMap<>();
			addBounds(bounds, watch.range());
			for (Map.Entry<String, String> each : bounds.entrySet()) {
				request = request.parameter(each.getKey(), each.getValue());
			}
		}
		return request.parameter("value", watch.hasValues() ? "true" : null)
			.parameter("cursor", (cursor == null) ? start : null)
			.field("Accept", ServerSentEvents.MEDIA_TYPE)
			.field("Last-Event-ID", cursor);
	}

	static Request batch(List<? extends Item> items, CallOptions options) {
		ByteArrayOutputStream body = new ByteArrayOutputStream();
		for (Item item : items) {
			body.writeBytes(Json.line(members(item)));
		}
		return new Request("POST", target("/v0/batch", Map.of(), options), Map.of(), body.toByteArray(), effect(items));
	}

	static Effect effect(List<? extends Item> items) {
		return items.stream().allMatch(Get.class::isInstance) ? Effect.NONE : Effect.WRITE;
	}

	private static Map<String, Object> members(Item item) {
		Map<String, Object> members = new LinkedHashMap<>();
		if (item instanceof Put put) {
			members.put("op", "put");
			members.put("id", put.key());
			members.put("value", Base64.getEncoder().encodeToString(put.bytes()));
			if (put.contentType() != null) {
				members.put("contentType", put.contentType());
			}
			if (put.ttl() != null) {
				members.put("ttl", put.ttl());
			}
			putConditions(put.ifMatch(), put.ifNoneMatch(), members);
		}
		else if (item instanceof Get get) {
			members.put("op", "get");
			members.put("id", get.key());
			putConditions(get.ifMatch(), get.ifNoneMatch(), members);
		}
		else if (item instanceof Delete delete) {
			members.put("op", "delete");
			members.put("id", delete.key());
			putConditions(delete.ifMatch(), List.of(), members);
		}
		return members;
	}

	private static void putConditions(List<String> ifMatch, List<String> ifNoneMatch, Map<String, Object> members) {
		if (!ifMatch.isEmpty()) {
			members.put("ifMatch", String.join(", ", ifMatch));
		}
		if (!ifNoneMatch.isEmpty()) {
			members.put("ifNoneMatch", String.join(", ", ifNoneMatch));
		}
	}

	private static Request read(String method, String key, Map<String, String> fields, CallOptions options) {
		return new Request(method, entity(key, new LinkedHashMap<>(), options), fields, null, Effect.NONE);
	}

	private static String entity(String key, Map<String, String> query, CallOptions options) {
		// Clients and proxies take such a segment for a place of the path.
		if (key.equals(".") || key.equals("..")) {
			Map<String, String> all = new LinkedHashMap<>();
			all.put("id", key);
			all.putAll(query);
			return target(ENTITY, all, options);
		}
		return target(ENTITY + "/" + Keys.encode(key), query, options);
	}

	private static String target(String path, Map<String, String> parameters, CallOptions options) {
		StringJoiner query = new StringJoiner("&", path + "?", "").setEmptyValue(path);
		parameters.forEach((name, value) -> query.add(name + "=" + Keys.encode(value)));
		if (options.ack() != null) {
			query.add("ack=" + options.ack());
		}
		if (options.from() != null) {
			query.add("from=" + options.from());
		}
		return query.toString();
	}

}
