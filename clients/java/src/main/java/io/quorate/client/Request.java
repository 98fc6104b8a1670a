package io.quorate.client;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A request that any node can answer. It belongs to {@link OperatorClient}, and may
 * change at any time. Immutable but for its body, which is not copied.
 */
public final class Request {

	private static final byte[] NOTHING = {};

	private final String method;

	private final String target;

	private final Map<String, String> fields;

	private final byte @Nullable [] body;

	private final Effect effect;

	private final boolean isUrgent;

	Request(String method, String target, Map<String, String> fields, byte @Nullable [] body, Effect effect) {
		this(method, target, fields, body, effect, false);
	}

	private Request(String method, String target, Map<String, String> fields, byte @Nullable [] body, Effect effect,
			boolean isUrgent) {
		this.method = method;
		this.target = target;
		this.fields = fields;
		this.body = body;
		this.effect = effect;
		this.isUrgent = isUrgent;
	}

	/**
	 * Creates a request that changes nothing.
	 * @param path the path
	 */
	public static Request read(String path) {
		return new Request("GET", path, Map.of(), null, Effect.NONE);
	}

	/**
	 * Creates a request that changes something. When its outcome is unknown, it is
	 * repeated only with {@link CallOptions#repeatUnknown}.
	 * @param method the method of HTTP
	 * @param path the path
	 */
	public static Request write(String method, String path) {
		return new Request(method, path, Map.of(), NOTHING, Effect.WRITE);
	}

	/**
	 * Returns this request with a parameter more.
	 * @param name the name, which needs no encoding
	 * @param value the value; without one this request stays as it is
	 */
	public Request parameter(String name, @Nullable Object value) {
		if (value == null) {
			return this;
		}
		String separator = (this.target.indexOf('?') >= 0) ? "&" : "?";
		return new Request(this.method, this.target + separator + name + "=" + Keys.encode(value.toString()),
				this.fields, this.body, this.effect, this.isUrgent);
	}

	/**
	 * Returns this request with a header field more.
	 * @param name the name
	 * @param value the value; without one this request stays as it is
	 */
	public Request field(String name, @Nullable String value) {
		if (value == null) {
			return this;
		}
		Map<String, String> more = new HashMap<>(this.fields);
		more.put(name, value);
		return new Request(this.method, this.target, more, this.body, this.effect, this.isUrgent);
	}

	/**
	 * Returns this request with a body.
	 * @param bytes the body, which is not copied: it stays as it is until the call ends
	 */
	public Request body(byte[] bytes) {
		return new Request(this.method, this.target, this.fields, bytes, this.effect, this.isUrgent);
	}

	/**
	 * Returns this request as one that changes nothing, whatever its method. After a
	 * failure the next node may get it.
	 */
	public Request harmless() {
		return new Request(this.method, this.target, this.fields, this.body, Effect.NONE, this.isUrgent);
	}

	/** Returns this request as one that waits for no place behind others. */
	Request urgent() {
		return new Request(this.method, this.target, this.fields, this.body, this.effect, true);
	}

	/** Returns this request with the time that is left for the node. */
	Request within(Deadline deadline, CallOptions options) {
		if (options.nodeTimeout() == null) {
			return this;
		}
		long millis = Math.max(1, Math.min(options.nodeTimeout().toMillis(), deadline.left() / 1_000_000));
		return field("Quorate-Timeout", Long.toString(millis));
	}

	String method() {
		return this.method;
	}

	/** Returns path and query, percent-encoded. */
	public String target() {
		return this.target;
	}

	Map<String, String> fields() {
		return this.fields;
	}

	byte @Nullable [] body() {
		return this.body;
	}

	Effect effect() {
		return this.effect;
	}

	boolean isUrgent() {
		return this.isUrgent;
	}

}
