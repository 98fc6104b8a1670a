package io.quorate.internode.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;

/** Messages of any bytes, and the bytes of messages. */
public final class SentMessages {

	private SentMessages() {
	}

	/** A message that takes its cost from a budget. */
	public static Outgoing of(byte[] bytes, ByteBufAllocator allocator, Budget budget) {
		Message message = new Message(bytes);
		budget.take(message.cost());
		return message.outgoing(allocator, budget);
	}

	/** The bytes that a connection would write, on the heap; the message is released. */
	public static ByteBuf taken(Outgoing message) {
		ByteBuf bytes = Unpooled.buffer(message.size());
		ByteBuf large = message.buffer();
		if (large != null) {
			bytes.writeBytes(large);
		}
		else {
			message.copyTo(bytes);
		}
		message.release();
		return bytes;
	}

}
