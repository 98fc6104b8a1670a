package io.quorate.client;

/**
 * A record of a range as the node has sent it. It belongs to {@link OperatorClient}, and
 * may change at any time.
 */
public final class RangeLine {

	private final String key;

	private final byte[] json;

	RangeLine(String key, byte[] json) {
		this.key = key;
		this.json = json;
	}

	/** Returns the key. */
	public String key() {
		return this.key;
	}

	/** Returns the object of JSON, in UTF-8 and without a line feed; it is not copied. */
	public byte[] json() {
		return this.json;
	}

	@Override
	public String toString() {
		return "RangeLine[" + this.key + ", " + this.json.length + " bytes]";
	}

}
