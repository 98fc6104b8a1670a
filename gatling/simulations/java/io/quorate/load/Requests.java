package io.quorate.load;

import java.util.Iterator;
import java.util.Map;
import java.util.SplittableRandom;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.CheckBuilder;
import io.gatling.javaapi.http.HttpRequestActionBuilder;

import static io.gatling.javaapi.core.CoreDsl.ByteArrayBody;
import static io.gatling.javaapi.core.CoreDsl.bodyLength;
import static io.gatling.javaapi.core.CoreDsl.doIfOrElse;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.feed;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

/**
 * The requests of the simulations for values of one size, with what has to be answered.
 * Their names in the report end with the {@code phase} of the draw, if it has one.
 *
 * @param value what is put
 * @param parameters of each request, behind others
 * @param silent whether they are in no report
 */
record Requests(Value value, String parameters, boolean silent) {

	static Requests of(int valueSize, Options options) {
		String parameters = options.replicas().isEmpty() ? "" : "&replicas=" + options.replicas();
		return new Requests(Value.ofSize(valueSize, options.seed()), parameters, false);
	}

	Requests silently() {
		return new Requests(this.value, this.parameters, true);
	}

	/**
	 * Reads or writes the key of the next draw, as it says, and takes nothing less than
	 * the value.
	 */
	ChainBuilder readOrWrite(Iterator<Map<String, Object>> draws) {
		return readOrWrite(draws, new CheckBuilder[] { status().is(200), sizeIs(this.value.size()) },
				new CheckBuilder[] { status().is(201) });
	}

	/** The same with other checks. */
	ChainBuilder readOrWrite(Iterator<Map<String, Object>> draws, CheckBuilder[] ofGet, CheckBuilder[] ofPut) {
		return feed(draws).exec(doIfOrElse("#{read}").then(exec(get(ofGet))).orElse(exec(put(ofPut))));
	}

	/** Scans from the key of the next draw to its end, or writes the key, as it says. */
	ChainBuilder scanOrWrite(Iterator<Map<String, Object>> draws, int answerSize) {
		return feed(draws).exec(doIfOrElse("#{read}").then(exec(scan(answerSize))).orElse(exec(put(status().is(201)))));
	}

	private HttpRequestActionBuilder get(CheckBuilder... checks) {
		return finished(http("GET#{phase}").get(entity()).check(checks));
	}

	private HttpRequestActionBuilder put(CheckBuilder... checks) {
		return finished(http("PUT#{phase}").put(entity()).body(ByteArrayBody(this.value.bytes())).check(checks));
	}

	private HttpRequestActionBuilder scan(int answerSize) {
		return finished(http("SCAN#{phase}").get("/v0/entities?start=#{id}&end=#{end}" + this.parameters)
			.header("Accept", "application/octet-stream")
			.check(status().is(200), sizeIs(answerSize)));
	}

	private String entity() {
		return "/v0/entity?id=#{id}" + this.parameters;
	}

	private static CheckBuilder sizeIs(int bytes) {
		return bodyLength().is(bytes);
	}

	private HttpRequestActionBuilder finished(HttpRequestActionBuilder request) {
		return this.silent ? request.silent() : request;
	}

	/**
	 * Bytes that do not compress, the same for the same seed; not copied.
	 */
	static final class Value {

		private final byte[] bytes;

		private Value(byte[] bytes) {
			this.bytes = bytes;
		}

		static Value ofSize(int size, long seed) {
			byte[] bytes = new byte[size];
			new SplittableRandom(seed).nextBytes(bytes);
			return new Value(bytes);
		}

		byte[] bytes() {
			return this.bytes;
		}

		int size() {
			return this.bytes.length;
		}

	}

}
