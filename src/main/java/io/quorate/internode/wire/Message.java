package io.quorate.internode.wire;

import io.netty.buffer.ByteBufAllocator;
import io.rsocket.Payload;
import io.rsocket.util.ByteBufPayload;

/**
 * The bytes of one message: a head that was written for it, and a large value at its end,
 * which stays in its own array.
 */
public final class Message {

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
	public int size() {
		return this.head.length + this.tail.length;
	}

	/**
	 * Approximate bytes of memory that the message costs while it waits for its receiver.
	 */
	public int cost() {
		return size() + COST_BESIDES_BYTES;
	}

	/**
	 * The payload that is handed to the connection.
	 * @param budget budget from which {@link #cost} has been taken, to be released with
	 * the last of the payload's bytes
	 * @throws OutOfMemoryError when there is no room outside the heap; then the cost has
	 * been released
	 */
	public Payload toPayload(ByteBufAllocator allocator, Budget budget) {
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
