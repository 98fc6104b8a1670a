package io.quorate.command;

import io.quorate.client.Request;

/** The requests for data. */
final class Requests {

	private Requests() {
	}

	static Request get(String key) {
		return of(Request.read("/v0/entity"), key);
	}

	static Request put(String key, byte[] value) {
		return of(Request.write("PUT", "/v0/entity"), key).body(value);
	}

	static Request delete(String key) {
		return of(Request.write("DELETE", "/v0/entity"), key);
	}

	private static Request of(Request request, String key) {
		return request.parameter("id", key);
	}

}
