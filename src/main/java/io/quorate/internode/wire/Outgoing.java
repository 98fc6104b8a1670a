package io.quorate.internode.wire;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to a socket. It counts against a budget until the kernel has taken
 * its last byte, or the connection is closed: so bytes that wait for a peer that does not
 * read stay counted after their request has timed out. Its owner releases it once.
 */
public final class Outgoing {

	private static final byte[] NONE = {};

	private byte[] head;

	private byte[] tail;

	private final @Nullable CountedBuffer buffer;

	private final Budget budget;

	private final int cost;

	/** A message that is copied when it is written. */
	Outgoing(byte[] head, byte[] tail, Budget budget, int cost) {
		this.head = head;
		this.tail = tail;
		this.buffer = null;
		this.budget = budget;
		this.cost = cost;
	}

	/** A message that has a buffer of its own, which releases the budget. */
	Outgoing(CountedBuffer buffer, Budget budget, int cost) {
		this.head = NONE;
		this.tail = NONE;
		this.buffer = buffer;
		this.budget = budget;
		this.cost = cost;
	}

	/** Number of bytes. */
	public int size() {
		return (this.buffer != null) ? this.buffer.readableBytes() : this.head.length + this.tail.length;
	}

	/**
	 * The buffer of a large message, which is released with the message; {@code null} for
	 * a small one.
	 */
	public @Nullable ByteBuf buffer() {
		return this.buffer;
	}

	/** Copies a small message, once: its own bytes are not kept. */
	public void copyTo(ByteBuf target) {
		target.writeBytes(this.head).writeBytes(this.tail);
		this.head = NONE;
		this.tail = NONE;
	}

	/** Releases the message: it was written, or cannot be. */
	public void release() {
		if (this.buffer != null) {
			this.buffer.release();
		}
		else {
			this.budget.release(this.cost);
		}
	}

}
