package io.quorate.client;

import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

import org.jspecify.annotations.Nullable;

/** The requests of the HTTP API. */
final class Requests {

	static final String ENTITIES = "/v0/entities";

	private static final String ENTITY = "/v0/entity";

	private static final byte[] NOTHING = {};

	private Requests() {
	}

	static Request put(Put put, CallOptions options) {
		Map<String, String> query = new LinkedHashMap<>();
		if (put.ttl() != null) {
			query.put("ttl", Long.toString(put.ttl().toSeconds()));
		}
		Map<String, String> fields = (put.contentType() != null) ? Map.of("Content-Type", put.contentType()) : Map.of();
		return new Request("PUT", entity(put.key(), query, options), fields, put.bytes(), true);
	}

	static Request delete(Delete delete, CallOptions options) {
		return new Request("DELETE", entity(delete.key(), new LinkedHashMap<>(), options), Map.of(), NOTHING, true);
	}

	/* It may be repeated like a read. */
	static Request touch(Touch touch, CallOptions options) {
		Map<String, String> query = new LinkedHashMap<>();
		query.put("ttl", Long.toString(touch.ttl().toSeconds()));
		Map<String, String> fields = touch.ifMatch().isEmpty() ? Map.of()
				: Map.of("If-Match", String.join(", ", touch.ifMatch()));
		return new Request("PATCH", entity(touch.key(), query, options), fields, NOTHING, false);
	}

	static Request get(Get get, CallOptions options) {
		Map<String, String> fields = new HashMap<>();
		if (!get.ifMatch().isEmpty()) {
			fields.put("If-Match", String.join(", ", get.ifMatch()));
		}
		if (!get.ifNoneMatch().isEmpty()) {
			fields.put("If-None-Match", String.join(", ", get.ifNoneMatch()));
		}
		return read("GET", get.key(), fields, options);
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
		return new Request("GET", "/v0/status", Map.of(), null, false);
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
				false);
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

	static Request batch(List<? extends Item> items, CallOptions options) {
		ByteArrayOutputStream body = new ByteArrayOutputStream();
		for (Item item : items) {
			body.writeBytes(Json.line(members(item)));
		}
		return new Request("POST", target("/v0/batch", Map.of(), options), Map.of(), body.toByteArray(),
				hasWrite(items));
	}

	static boolean hasWrite(List<? extends Item> items) {
		return items.stream().anyMatch((item) -> !(item instanceof Get));
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
				members.put("ttl", put.ttl().toSeconds());
			}
		}
		else if (item instanceof Get get) {
			members.put("op", "get");
			members.put("id", get.key());
			if (!get.ifMatch().isEmpty()) {
				members.put("ifMatch", String.join(", ", get.ifMatch()));
			}
			if (!get.ifNoneMatch().isEmpty()) {
				members.put("ifNoneMatch", String.join(", ", get.ifNoneMatch()));
			}
		}
		else {
			members.put("op", "delete");
			members.put("id", item.key());
		}
		return members;
	}

	private static Request read(String method, String key, Map<String, String> fields, CallOptions options) {
		return new Request(method, entity(key, new LinkedHashMap<>(), options), fields, null, false);
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
