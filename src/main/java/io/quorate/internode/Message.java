package io.quorate.internode;

import io.rsocket.Payload;
import io.rsocket.util.ByteBufPayload;

/**
 * The bytes of one message: those written for it, and those of a large value at its end
 * where they are.
 */
final class Message {

	private static final byte[] NONE = {};

	private final byte[] head;

	private final byte[] tail;

	Message(byte[] head) {
		this(head, NONE);
	}

	Message(byte[] head, byte[] tail) {
		this.head = head;
		this.tail = tail;
	}

	/** Number of bytes. */
	int size() {
		return this.head.length + this.tail.length;
	}

	/**
	 * What is handed to the connection.
	 * @param budget from which {@link #size} has been taken; it gets them back when the
	 * last of the payload's bytes has been released
	 */
	Payload toPayload(Budget budget) {
		CountedBuffer bytes = new CountedBuffer(budget);
		bytes.add(this.head);
		bytes.add(this.tail);
		return ByteBufPayload.create(bytes);
	}

}
