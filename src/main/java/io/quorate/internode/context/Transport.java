package io.quorate.internode.context;

import io.netty.buffer.ByteBufAllocator;
import io.quorate.internode.tls.Encryption;

/**
 * The way of messages between nodes.
 *
 * @param encryption protection of the connections
 * @param maxMessageBytes size of the largest message that is taken
 * @param allocator of the buffers that are sent
 */
public record Transport(Encryption encryption, int maxMessageBytes, ByteBufAllocator allocator) {

	public Transport(Encryption encryption, int maxMessageBytes) {
		this(encryption, maxMessageBytes, ByteBufAllocator.DEFAULT);
	}

}
