package io.quorate.client;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The status, the header fields and the body of an answer. It belongs to
 * {@link OperatorClient}, and may change at any time. Safe for use by several threads, if
 * none writes to the body, which is not copied.
 */
public final class Answer {

	private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

	private final String node;

	private final int status;

	private final HttpHeaders fields;

	private final byte[] body;

	Answer(String node, int status, HttpHeaders fields, byte[] body) {
		this.node = node;
		this.status = status;
		this.fields = fields;
		this.body = body;
	}

	Answer withBody(byte[] bytes) {
		return new Answer(this.node, this.status, this.fields, bytes);
	}

	/** Returns the URL of the node. */
	public String node() {
		return this.node;
	}

	/** Returns the status. */
	public int status() {
		return this.status;
	}

	/** Returns the body, which is not copied. */
	public byte[] body() {
		return this.body;
	}

	/**
	 * Returns the value of a header field, {@code null} without one.
	 * @param name the name
	 */
	public @Nullable String field(String name) {
		return this.fields.firstValue(name).orElse(null);
	}

	List<String> fields(String name) {
		return this.fields.allValues(name);
	}

	String required(String name) {
		String value = field(name);
		if (value == null) {
			throw invalid("without " + name);
		}
		return value;
	}

	long number(String name) {
		String text = required(name);
		if (!NUMBER.matcher(text).matches()) {
			throw invalid("with a wrong " + name);
		}
		return Long.parseLong(text);
	}

	/**
	 * Returns the instant that a header field has, {@code null} without one.
	 * @param name the name
	 * @throws InvalidAnswerException if it is none
	 */
	public @Nullable Instant date(String name) {
		String text = field(name);
		if (text == null) {
			return null;
		}
		try {
			return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
		}
		catch (DateTimeException failure) {
			throw invalid("with a wrong " + name, failure);
		}
	}

	InvalidAnswerException invalid(String reason) {
		return invalid(reason, null);
	}

	InvalidAnswerException invalid(String reason, @Nullable Throwable cause) {
		return new InvalidAnswerException(this.node, this.status, reason, cause);
	}

}
