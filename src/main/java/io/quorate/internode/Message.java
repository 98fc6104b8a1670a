package io.quorate.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.rsocket.Payload;
import io.rsocket.util.ByteBufPayload;

/**
 * The bytes of one message: those written for it, and, without a copy, those of a large
 * value at its end.
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
		ByteBuf bytes = new CountedBuffer(this.head, budget);
		if (this.tail.length > 0) {
			bytes = Unpooled.wrappedBuffer(bytes, new CountedBuffer(this.tail, budget));
		}
		return ByteBufPayload.create(bytes);
	}

}
