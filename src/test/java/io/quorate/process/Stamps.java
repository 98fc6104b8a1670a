package io.quorate.process;

/** The stamps of writes as answers show them, which compare as strings do. */
final class Stamps {

	private Stamps() {
	}

	/** The stamp in an answer to a read or a write. */
	static String of(NodeAnswer answer) {
		return answer.etag().replace("\"", "");
	}

	/** Its milliseconds since the epoch. */
	static long millis(String stamp) {
		return Long.parseUnsignedLong(stamp.substring(0, 16), 16) >>> 16;
	}

}
