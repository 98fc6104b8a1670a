package io.quorate.internode.wire;

import io.netty.buffer.ByteBufAllocator;

/**
 * The bytes of one message: a head that was written for it, and a large value at its end,
 * which stays in its own array.
 */
public final class Message {

	private static final byte[] NONE = {};

	/** Size of the largest message that is copied when it is written. */
	public static final int COPIED_BYTES = 1024;

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
	 * The message that is handed to a connection. A small one is copied when it is
	 * written, which costs less than a buffer of its own.
	 * @param budget budget from which {@link #cost} has been taken, to be released with
	 * the last of the bytes
	 * @throws OutOfMemoryError when there is no room outside the heap; then the cost has
	 * been released
	 */
	public Outgoing outgoing(ByteBufAllocator allocator, Budget budget) {
		if (size() <= COPIED_BYTES) {
			return new Outgoing(this.head, this.tail, budget, cost());
		}
		CountedBuffer bytes = new CountedBuffer(allocator, budget, cost());
		try {
			bytes.add(this.head);
			bytes.add(this.tail);
		}
		catch (OutOfMemoryError full) {
			bytes.release();
			throw full;
		}
		return new Outgoing(bytes, budget, cost());
	}

}
