package io.quorate.command.access;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;

import io.quorate.client.Answer;
import io.quorate.client.RangeLine;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.TextTable;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One key with its value and what belongs to it, in the form of a line of a range.
 * Immutable.
 *
 * @param json the line
 */
public record RangeRecord(JsonNode json) {

	private static final String VALUE = "value";

	private static final int SHOWN = 60;

	/** The record that a node has sent. */
	public static RangeRecord of(RangeLine line) {
		return new RangeRecord(JsonMapper.shared().readTree(line.json()));
	}

	/** The record of a value that was read by its key. */
	public static RangeRecord of(String key, Answer answer) {
		ObjectNode line = JsonMapper.shared().createObjectNode();
		line.put("key", key).put(VALUE, Base64.getEncoder().encodeToString(answer.body()));
		line.put("etag", answer.field("ETag"));
		Instant expires = answer.date("Expires");
		if (expires != null) {
			line.put("expires", expires.toString());
		}
		String type = answer.field("Content-Type");
		if (type != null) {
			line.put("contentType", type);
		}
		return new RangeRecord(line);
	}

	/** The key. */
	public String key() {
		return this.json.path("key").asString();
	}

	/**
	 * The value.
	 * @throws CommandException when the answer has none that can be read
	 */
	public byte[] value() {
		try {
			return Base64.getDecoder().decode(this.json.path(VALUE).asString(""));
		}
		catch (IllegalArgumentException wrong) {
			throw new CommandException(ExitCode.FAILED, "the answer has a value that is no base64", wrong);
		}
	}

	/** An empty table of such records. */
	public static TextTable table(boolean withValues) {
		return withValues ? new TextTable("KEY", "BYTES", "TYPE", "EXPIRES", "VALUE")
				: new TextTable("KEY", "BYTES", "EXPIRES");
	}

	/** The record as a row of that table. */
	public String[] cells(boolean withValues) {
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
	public static String printable(String text) {
		StringBuilder printable = new StringBuilder();
		text.codePoints()
			.forEach((point) -> printable
				.append(Character.isISOControl(point) ? "\\u%04x".formatted(point) : Character.toString(point)));
		return printable.toString();
	}

}
