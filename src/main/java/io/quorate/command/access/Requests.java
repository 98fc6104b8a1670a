package io.quorate.command.access;

import io.quorate.client.Request;

/** The requests for data, which are not sent yet. Immutable. */
public final class Requests {

	private Requests() {
	}

	/** Reads a key. */
	public static Request get(String key) {
		return of(Request.read("/v0/entity"), key);
	}

	/** Writes a value under a key. */
	public static Request put(String key, byte[] value) {
		return of(Request.write("PUT", "/v0/entity"), key).body(value);
	}

	/** Deletes a key. */
	public static Request delete(String key) {
		return of(Request.write("DELETE", "/v0/entity"), key);
	}

	private static Request of(Request request, String key) {
		return request.parameter("id", key);
	}

}
