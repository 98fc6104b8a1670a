package io.quorate.command;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One record of an import.
 *
 * @param line the line that it is from
 * @param request the item of a batch that writes it
 */
record ImportItem(JsonNode line, String request) {

	/**
	 * The record of a line, {@code null} if there is none: the last line of a range, an
	 * empty one, or a value that has expired.
	 * @throws IllegalArgumentException if the line is no record
	 */
	static @Nullable ImportItem parse(String text, long nowMillis) {
		if (text.isBlank()) {
			return null;
		}
		JsonNode line = json(text);
		if (line.has("last") && !line.has("key")) {
			return null;
		}
		if (!line.path("key").isString() || line.has("value") == line.has("text")) {
			throw new IllegalArgumentException("it has no 'key', or neither or both of 'value' and 'text'");
		}
		ObjectNode item = JsonMapper.shared().createObjectNode();
		item.put("op", "put").set("id", line.get("key"));
		for (String member : new String[] { "value", "text", "contentType" }) {
			if (line.has(member)) {
				item.set(member, line.get(member));
			}
		}
		if (line.has("expires")) {
			long left = Duration
				.between(Instant.ofEpochMilli(nowMillis), Instant.parse(line.path("expires").asString("")))
				.toMillis();
			if (left <= 0) {
				return null;
			}
			item.put("ttl", Math.ceilDiv(left, Duration.ofSeconds(1).toMillis()));
		}
		return new ImportItem(line, item.toString());
	}

	private static JsonNode json(String text) {
		try {
			JsonNode line = JsonMapper.shared().readTree(text);
			if (line.isObject()) {
				return line;
			}
		}
		catch (JacksonException noJson) {
			throw new IllegalArgumentException("it is no JSON", noJson);
		}
		throw new IllegalArgumentException("it is no JSON object");
	}

	/** The line with the reason why it was not written. */
	String failed(String reason) {
		return ((ObjectNode) this.line.deepCopy()).put("failed", reason).toString();
	}

}
