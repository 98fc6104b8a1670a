package io.quorate.internode;

import io.netty.buffer.ByteBufAllocator;
import io.rsocket.Payload;
import io.rsocket.util.ByteBufPayload;

/**
 * The bytes of one message: those written for it, and those of a large value at its end
 * where they are.
 */
final class Message {

	private static final byte[] NONE = {};

	/* The buffers that a message is made of, and its places in queues. */
	private static final int COST_BESIDES_BYTES = 512;

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

	/** Bytes of memory that it costs while it waits for its receiver, about. */
	int cost() {
		return size() + COST_BESIDES_BYTES;
	}

	/**
	 * What is handed to the connection.
	 * @param budget from which {@link #cost} has been taken; it gets it back when the
	 * last of the payload's bytes has been released
	 * @throws OutOfMemoryError when there is no room outside the heap; then the budget
	 * has got it back
	 */
	Payload toPayload(ByteBufAllocator allocator, Budget budget) {
		CountedBuffer bytes = new CountedBuffer(allocator, budget, cost());
		try {
			bytes.add(this.head);
			bytes.add(this.tail);
		}
		catch (OutOfMemoryError full) {
			bytes.release();
			throw full;
		}
		return ByteBufPayload.create(bytes);
	}

}
