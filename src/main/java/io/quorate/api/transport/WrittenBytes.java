package io.quorate.api.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/**
 * A counter of the bytes that a connection has written, and of those that the operating
 * system has taken of them. It stands next to the socket, where it counts an encrypted
 * connection's bytes as they go over the network. Confined to the connection's event
 * loop.
 */
final class WrittenBytes extends ChannelOutboundHandlerAdapter {

	private final Channel channel;

	private long written;

	private WrittenBytes(Channel channel) {
		this.channel = channel;
	}

	/** Returns the counter of a connection, which counts from the first call on. */
	static WrittenBytes of(Channel channel) {
		WrittenBytes present = channel.pipeline().get(WrittenBytes.class);
		if (present != null) {
			return present;
		}
		WrittenBytes added = new WrittenBytes(channel);
		added.written = added.pending();
		channel.pipeline().addFirst(added);
		return added;
	}

	@Override
	@SuppressWarnings("deprecation") // Of handlers for outbound messages alone.
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		if (message instanceof ByteBuf bytes) {
			this.written += bytes.readableBytes();
		}
		var _ = context.write(message, promise);
	}

	/** Returns the number of bytes that wait for the client. */
	long pending() {
		@Nullable ChannelOutboundBuffer buffer = this.channel.unsafe().outboundBuffer();
		// A message counts as a whole until all of it is written.
		return (buffer != null) ? buffer.totalPendingWriteBytes() - buffer.currentProgress() : 0;
	}

	/** Returns the number of bytes that the operating system has taken. */
	long taken() {
		return this.written - pending();
	}

}
