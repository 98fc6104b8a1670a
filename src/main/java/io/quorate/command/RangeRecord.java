package io.quorate.command;

import java.io.IOException;
import java.net.ProtocolException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One key with its value and what belongs to it, in the form of a line of a range.
 *
 * @param json the line
 */
record RangeRecord(JsonNode json) {

	private static final String VALUE = "value";

	private static final String LAST = "last";

	private static final int SHOWN = 60;

	/* A line is UTF-8: only an escape makes half of a character. */
	private static final String ESCAPE = "\\u";

	/**
	 * The record of a line.
	 * @throws JacksonException if it is no JSON
	 * @throws IOException if it has no key, or half of a character, which would be
	 * printed as another one
	 */
	static RangeRecord parse(String line) throws IOException {
		JsonNode parsed = JsonMapper.shared().readTree(line);
		if (line.contains(ESCAPE) && !Utf8.isText(parsed.toString())) {
			throw new MalformedInputException(1);
		}
		if (!parsed.has(LAST) && !parsed.path("key").isString()) {
			throw new ProtocolException("the answer has a record without a key");
		}
		return new RangeRecord(parsed);
	}

	/** Whether it is the last line of a range, which is no record. */
	boolean isLast() {
		return this.json.has(LAST);
	}

	/** The record of a value that was read by its key. */
	static RangeRecord of(String key, HttpResponse<byte[]> answer) {
		ObjectNode line = JsonMapper.shared().createObjectNode();
		line.put("key", key).put(VALUE, Base64.getEncoder().encodeToString(answer.body()));
		answer.headers().firstValue("ETag").ifPresent((etag) -> line.put("etag", etag));
		answer.headers()
			.firstValue("Expires")
			.ifPresent((expires) -> line.put("expires",
					ZonedDateTime.parse(expires, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant().toString()));
		answer.headers().firstValue("Content-Type").ifPresent((type) -> line.put("contentType", type));
		return new RangeRecord(line);
	}

	String key() {
		return this.json.path("key").asString();
	}

	byte[] value() {
		try {
			return Base64.getDecoder().decode(this.json.path(VALUE).asString(""));
		}
		catch (IllegalArgumentException wrong) {
			throw new CommandException(ExitCode.FAILED, "the answer has a value that is no base64", wrong);
		}
	}

	static TextTable table(boolean withValues) {
		return withValues ? new TextTable("KEY", "BYTES", "TYPE", "EXPIRES", "VALUE")
				: new TextTable("KEY", "BYTES", "EXPIRES");
	}

	String[] cells(boolean withValues) {
		String expires = this.json.path("expires").asString("-");
		if (!withValues) {
			return new String[] { printable(key()), this.json.path("size").asString(), expires };
		}
		byte[] value = value();
		return new String[] { printable(key()), Integer.toString(value.length),
				this.json.path("contentType").asString("-"), expires, shown(value) };
	}

	private static String shown(byte[] value) {
		String text = text(value);
		if (text == null) {
			return "(binary)";
		}
		String printable = printable(text.substring(0, Math.min(text.length(), SHOWN)));
		return (text.length() > SHOWN) ? printable + "..." : printable;
	}

	private static @Nullable String text(byte[] value) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
		}
		catch (CharacterCodingException binary) {
			return null;
		}
	}

	/**
	 * A text with its control characters escaped: those of a stranger's data would
	 * command the terminal.
	 */
	static String printable(String text) {
		StringBuilder printable = new StringBuilder();
		text.codePoints()
			.forEach((point) -> printable
				.append(Character.isISOControl(point) ? "\\u%04x".formatted(point) : Character.toString(point)));
		return printable.toString();
	}

}
