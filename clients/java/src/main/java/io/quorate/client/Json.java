package io.quorate.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** The JSON objects of the API, as maps. */
final class Json {

	private static final int DEEPEST = 32;

	/* The size of a text is bounded before, by that of its answer. */
	private static final JsonFactory FACTORY = JsonFactory.builder()
		.streamReadConstraints(
				StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).maxNestingDepth(DEEPEST).build())
		.build();

	/* What a program has in its values is its own affair. */
	private static final JsonFactory VALUES = JsonFactory.builder()
		.streamReadConstraints(StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
		.build();

	private Json() {
	}

	/**
	 * Returns a job without the number of its attempts, all else as it is; {@code null}
	 * if it is no object, or the number is none.
	 */
	static @Nullable Attempted attempted(byte[] job) {
		ByteArrayOutputStream others = new ByteArrayOutputStream();
		long attempt = 0;
		try (JsonParser parser = VALUES.createParser(ObjectReadContext.empty(), job);
				JsonGenerator generator = VALUES.createGenerator(ObjectWriteContext.empty(), others)) {
			if (parser.nextToken() != JsonToken.START_OBJECT) {
				return null;
			}
			generator.writeStartObject();
			while (parser.nextToken() != JsonToken.END_OBJECT) {
				if (!parser.currentName().equals("attempt")) {
					generator.copyCurrentStructureExact(parser);
				}
				else if (parser.nextToken() == JsonToken.VALUE_NUMBER_INT) {
					attempt = parser.getLongValue();
				}
				else {
					return null;
				}
			}
			generator.writeEndObject();
			if (parser.nextToken() != null) {
				return null;
			}
		}
		catch (JacksonException failure) {
			return null;
		}
		return new Attempted(others.toByteArray(), attempt);
	}

	/** Returns one line of JSON, with its end. */
	static byte[] line(Map<String, Object> members) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
			generator.writeStartObject();
			members.forEach((name, value) -> {
				generator.writeName(name);
				if (value instanceof Long number) {
					generator.writeNumber(number);
				}
				else {
					generator.writeString((String) value);
				}
			});
			generator.writeEndObject();
		}
		bytes.write('\n');
		return bytes.toByteArray();
	}

	/**
	 * Reads an object. Members that are {@code null} count as missing.
	 * @throws JacksonException if the text is no JSON
	 * @return the object, {@code null} if the text is something else
	 */
	static @Nullable Map<String, Object> object(byte[] text) {
		try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
			if (parser.nextToken() != JsonToken.START_OBJECT) {
				return null;
			}
			Map<String, Object> object = members(parser);
			return (parser.nextToken() == null) ? object : null;
		}
	}

	private static Map<String, Object> members(JsonParser parser) {
		Map<String, Object> members = new LinkedHashMap<>();
		while (parser.nextToken() != JsonToken.END_OBJECT) {
			String name = parser.currentName();
			Object value = value(parser, parser.nextToken());
			if (value != null) {
				members.put(name, value);
			}
		}
		return members;
	}

	private static @Nullable Object value(JsonParser parser, JsonToken token) {
		return switch (token) {
			case START_OBJECT -> members(parser);
			case START_ARRAY -> elements(parser);
			case VALUE_STRING -> parser.getString();
			case VALUE_NUMBER_INT -> integer(parser);
			case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
			case VALUE_TRUE -> true;
			case VALUE_FALSE -> false;
			default -> null;
		};
	}

	/* No number of the API is larger than a long. */
	private static Object integer(JsonParser parser) {
		return switch (parser.getNumberType()) {
			case INT, LONG -> parser.getLongValue();
			default -> parser.getBigIntegerValue();
		};
	}

	private static List<Object> elements(JsonParser parser) {
		List<Object> elements = new ArrayList<>();
		for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
			Object value = value(parser, token);
			if (value != null) {
				elements.add(value);
			}
		}
		return elements;
	}

	/** A job and the number of its attempts. */
	static final class Attempted {

		private final byte[] value;

		private final long attempt;

		Attempted(byte[] value, long attempt) {
			this.value = value;
			this.attempt = attempt;
		}

		byte[] value() {
			return this.value;
		}

		long attempt() {
			return this.attempt;
		}

		/** Returns the job with one attempt more. */
		byte[] next() {
			String text = new String(this.value, StandardCharsets.UTF_8);
			String rest = text.equals("{}") ? "}" : "," + text.substring(1);
			return ("{\"attempt\":" + (this.attempt + 1) + rest).getBytes(StandardCharsets.UTF_8);
		}

	}

}
