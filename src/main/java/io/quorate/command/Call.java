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
 */
@SuppressWarnings("ArrayRecordComponent")
record Call(String method, String path, Map<String, String> headers, byte @Nullable [] body) {

	private static final String ENTITY = "/v0/entity?id=";

	static Call get(String path) {
		return new Call("GET", path, Map.of(), null);
	}

	/** A request for an operation of operators. */
	static Call post(String path) {
		return new Call("POST", path, Map.of(), null);
	}

	/** A request for one key. */
	static Call ofKey(String method, String key) {
		return new Call(method, ENTITY + encoded(key), Map.of(), null);
	}

	/** A request for many keys. */
	static Call batch() {
		return new Call("POST", "/v0/batch?", Map.of(), null);
	}

	/** The same with a parameter, unless its value is {@code null}. */
	Call with(String parameter, @Nullable Object value) {
		return (value != null) ? new Call(this.method, this.path + "&" + parameter + "=" + encoded(value.toString()),
				this.headers, this.body) : this;
	}

	Call withHeader(String name, @Nullable String value) {
		if (value == null) {
			return this;
		}
		Map<String, String> more = new LinkedHashMap<>(this.headers);
		more.put(name, value);
		return new Call(this.method, this.path, Map.copyOf(more), this.body);
	}

	Call withBody(byte[] bytes) {
		return new Call(this.method, this.path, this.headers, bytes);
	}

	/** Whether it changes nothing, so that it may be repeated. */
	boolean isRead() {
		return this.method.equals("GET");
	}

	/** The word for what it changes. */
	String noun() {
		return this.path.startsWith("/actuator/") ? "change" : "write";
	}

	/** A text as a parameter: every byte but letters, digits and {@code -._*}. */
	static String encoded(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
	}

}
