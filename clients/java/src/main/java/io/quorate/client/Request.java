package io.quorate.client;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** A request that any node can answer. */
final class Request {

	private final String method;

	private final String target;

	private final Map<String, String> fields;

	private final byte @Nullable [] body;

	private final boolean isWrite;

	Request(String method, String target, Map<String, String> fields, byte @Nullable [] body, boolean isWrite) {
		this.method = method;
		this.target = target;
		this.fields = fields;
		this.body = body;
		this.isWrite = isWrite;
	}

	/** Returns this request with the time that is left for the node. */
	Request within(Deadline deadline, CallOptions options) {
		if (options.nodeTimeout() == null) {
			return this;
		}
		long millis = Math.max(1, Math.min(options.nodeTimeout().toMillis(), deadline.left() / 1_000_000));
		Map<String, String> timed = new HashMap<>(this.fields);
		timed.put("Quorate-Timeout", Long.toString(millis));
		return new Request(this.method, this.target, timed, this.body, this.isWrite);
	}

	String method() {
		return this.method;
	}

	/** Returns path and query, percent-encoded. */
	String target() {
		return this.target;
	}

	Map<String, String> fields() {
		return this.fields;
	}

	byte @Nullable [] body() {
		return this.body;
	}

	boolean isWrite() {
		return this.isWrite;
	}

}
