package io.quorate.process;

import java.net.http.HttpResponse;

/** The stamps of writes as answers show them, which compare as strings do. */
final class Stamps {

	private Stamps() {
	}

	/** The stamp in an answer. */
	static String of(HttpResponse<?> answer) {
		return answer.headers().firstValue("ETag").orElseThrow().replace("\"", "");
	}

	/** Its milliseconds since the epoch. */
	static long millis(String stamp) {
		return Long.parseUnsignedLong(stamp.substring(0, 16), 16) >>> 16;
	}

}
