package io.quorate.command.data;

import java.nio.charset.CharacterCodingException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quorate.command.access.Answers;
import io.quorate.command.terminal.Utf8;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One record of an import, or one key to delete.
 *
 * @param line the line that it is from
 * @param request the item of a batch that writes it
 * @param written the status of that item when it is written
 */
record ImportItem(JsonNode line, String request, int written) {

	private static final String EXPIRES = "expires";

	private static final JsonMapper STRICT = JsonMapper
		.builder(JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
		.build();

	private static final Pattern TWICE = Pattern.compile("Duplicate Object property \"(.*)\"");

	/**
	 * The record of a line, {@code null} if there is none: the last line of a range, an
	 * empty one, or a value that has expired.
	 * @throws IllegalArgumentException if the line is no record
	 */
	static @Nullable ImportItem parse(byte[] bytes, long nowMillis) {
		JsonNode line = keyed(bytes);
		if (line == null) {
			return null;
		}
		if (line.has("value") == line.has("text")) {
			throw new IllegalArgumentException("it has neither or both of 'value' and 'text'");
		}
		ObjectNode item = JsonMapper.shared().createObjectNode();
		item.put("op", "put").set("id", line.get("key"));
		for (String member : new String[] { "value", "text", "contentType", EXPIRES }) {
			if (line.has(member)) {
				item.set(member, line.get(member));
			}
		}
		String request = item.toString();
		if (!Utf8.isText(request)) {
			throw new IllegalArgumentException("it has half of a character, which is no text");
		}
		ImportItem parsed = new ImportItem(line, request, Answers.CREATED);
		return parsed.hasExpired(nowMillis) ? null : parsed;
	}

	/** The deletion of a key. */
	static ImportItem deletion(String key) {
		ObjectNode item = JsonMapper.shared().createObjectNode().put("op", "delete").put("id", key);
		return new ImportItem(JsonMapper.shared().createObjectNode().put("key", key), item.toString(),
				Answers.ACCEPTED);
	}

	/**
	 * The key of a line that has no more to say, such as those of {@code ls -o json};
	 * {@code null} if there is none: the last line of a range, or an empty one.
	 * @throws IllegalArgumentException if the line has no key
	 */
	static @Nullable String key(byte[] bytes) {
		JsonNode line = keyed(bytes);
		return (line != null) ? line.path("key").asString() : null;
	}

	private static @Nullable JsonNode keyed(byte[] bytes) {
		String text = text(bytes);
		if (text.isBlank()) {
			return null;
		}
		JsonNode line = json(text);
		if (line.has("last") && !line.has("key")) {
			return null;
		}
		if (!line.path("key").isString()) {
			throw new IllegalArgumentException("it has no 'key'");
		}
		return line;
	}

	/** The text of bytes. */
	static String text(byte[] bytes) {
		try {
			return Utf8.text(bytes);
		}
		catch (CharacterCodingException noText) {
			throw new IllegalArgumentException("it is not UTF-8", noText);
		}
	}

	/**
	 * Whether its value has expired.
	 * @throws IllegalArgumentException if the line does not say when it does
	 */
	boolean hasExpired(long nowMillis) {
		try {
			return this.line.has(EXPIRES)
					&& !Instant.parse(this.line.path(EXPIRES).asString("")).isAfter(Instant.ofEpochMilli(nowMillis));
		}
		catch (DateTimeException none) {
			throw new IllegalArgumentException("its 'expires' is no time such as 2030-01-01T00:00:00Z", none);
		}
	}

	/*
	 * As in a batch, a member that stands twice is an error: the line does not say which
	 * of them is meant.
	 */
	private static JsonNode json(String text) {
		JsonNode line;
		try {
			line = STRICT.readTree(text);
		}
		catch (StreamReadException fault) {
			Matcher twice = TWICE.matcher(String.valueOf(fault.getOriginalMessage()));
			throw new IllegalArgumentException(
					twice.find() ? "its member '%s' stands twice".formatted(twice.group(1)) : "it is no JSON", fault);
		}
		catch (JacksonException noJson) {
			throw new IllegalArgumentException("it is no JSON", noJson);
		}
		if (!line.isObject()) {
			throw new IllegalArgumentException("it is no JSON object");
		}
		return line;
	}

	/** The line with the reason why it was not written. */
	String failed(String reason) {
		return ((ObjectNode) this.line.deepCopy()).put("failed", reason).toString();
	}

}
