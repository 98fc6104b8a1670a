package io.quorate.command;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A request to any node of a cluster. Immutable.
 *
 * @param method the method of HTTP
 * @param path path and query, percent-encoded
 * @param headers further headers
 * @param body the body, {@code null} for none
 * @param isRead whether it changes nothing, so that it may be repeated
 */
@SuppressWarnings("ArrayRecordComponent")
record Call(String method, String path, Map<String, String> headers, byte @Nullable [] body, boolean isRead) {

	private static final String ENTITY = "/v0/entity?id=";

	static Call get(String path) {
		return new Call("GET", path, Map.of(), null, true);
	}

	/** A request for an operation of operators. */
	static Call post(String path) {
		return new Call("POST", path, Map.of(), null, false);
	}

	/** The same request, of which a node only says what would come of it. */
	Call tried() {
		return new Call(this.method, this.path, this.headers, this.body, true);
	}

	/** A request for one key. */
	static Call ofKey(String method, String key) {
		return new Call(method, ENTITY + encoded(key), Map.of(), null, method.equals("GET"));
	}

	/** A request for many keys. */
	static Call batch() {
		return new Call("POST", "/v0/batch?", Map.of(), null, false);
	}

	/** The same with a parameter, unless its value is {@code null}. */
	Call with(String parameter, @Nullable Object value) {
		return (value != null) ? new Call(this.method, this.path + "&" + parameter + "=" + encoded(value.toString()),
				this.headers, this.body, this.isRead) : this;
	}

	Call withHeader(String name, @Nullable String value) {
		if (value == null) {
			return this;
		}
		Map<String, String> more = new LinkedHashMap<>(this.headers);
		more.put(name, value);
		return new Call(this.method, this.path, Map.copyOf(more), this.body, this.isRead);
	}

	Call withBody(byte[] bytes) {
		return new Call(this.method, this.path, this.headers, bytes, this.isRead);
	}

	/** The word for what it changes. */
	String noun() {
		return this.path.startsWith("/actuator/") ? "change" : "write";
	}

	/** A text as a parameter: every byte but letters, digits and {@code -._*}. */
	static String encoded(String text) {
		if (!Utf8.isText(text)) {
			throw new CommandException(ExitCode.MISUSED, "a text has half of a character");
		}
		return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
	}

}
