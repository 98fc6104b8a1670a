package io.quorate.client;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** The members of a JSON object of an answer. */
final class Members {

	private static final Pattern INSTANT = Pattern
		.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?Z");

	private final Answer answer;

	private final byte[] json;

	private final Map<String, Object> members;

	private Members(Answer answer, byte[] json, Map<String, Object> members) {
		this.answer = answer;
		this.json = json;
		this.members = members;
	}

	/**
	 * Reads an object.
	 * @throws InvalidAnswerException if the text is none
	 */
	static Members of(Answer answer, byte[] text) {
		Map<String, Object> members;
		try {
			members = Json.object(text);
		}
		catch (JacksonException failure) {
			// Its text quotes the answer, which may have a value.
			throw answer.invalid("that is no JSON");
		}
		if (members == null) {
			throw answer.invalid("that is no JSON object");
		}
		return new Members(answer, text, members);
	}

	Map<String, Object> all() {
		return this.members;
	}

	/** Returns the text of the object, which is not copied. */
	byte[] json() {
		return this.json;
	}

	boolean has(String name) {
		return this.members.containsKey(name);
	}

	boolean isTrue(String name) {
		return Boolean.TRUE.equals(this.members.get(name));
	}

	String text(String name) {
		if (this.members.get(name) instanceof String text) {
			if (!Text.isWhole(text)) {
				throw this.answer.invalid("with half of a character in " + name);
			}
			return text;
		}
		throw this.answer.invalid("without the text " + name);
	}

	String text(String name, String otherwise) {
		return has(name) ? text(name) : otherwise;
	}

	long number(String name) {
		if (this.members.get(name) instanceof Long number && number >= 0) {
			return number;
		}
		throw this.answer.invalid("without the number " + name);
	}

	byte[] bytes(String name) {
		try {
			return Base64.getDecoder().decode(text(name));
		}
		catch (IllegalArgumentException failure) {
			throw this.answer.invalid("with a value that is no base64");
		}
	}

	@Nullable Instant expires() {
		return has("expires") ? instant("expires") : null;
	}

	Instant instant(String name) {
		String text = text(name);
		try {
			if (INSTANT.matcher(text).matches()) {
				return Instant.parse(text);
			}
		}
		catch (DateTimeException failure) {
			throw this.answer.invalid("with a wrong instant " + name, failure);
		}
		throw this.answer.invalid("with a wrong instant " + name);
	}

	List<String> texts(String name) {
		List<String> texts = new ArrayList<>();
		if (this.members.get(name) instanceof List<?> elements) {
			for (Object each : elements) {
				if (!(each instanceof String text)) {
					throw this.answer.invalid("with " + name + " that are no texts");
				}
				texts.add(text);
			}
		}
		return texts;
	}

	/** Returns a member that is an object; {@code null} if it is none. */
	@SuppressWarnings("unchecked")
	@Nullable Map<String, Object> object(String name) {
		return (this.members.get(name) instanceof Map<?, ?> object) ? (Map<String, Object>) object : null;
	}

}
