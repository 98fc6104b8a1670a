package io.quorate.internode.frame;

import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** A receiver that records all that it receives, in words. */
final class RecordedReceiver implements FrameConnection.Receiver {

	final List<String> events = new ArrayList<>();

	boolean isExpecting = true;

	/** The bytes of the last message. */
	ByteBuf latest = Unpooled.EMPTY_BUFFER;

	@Override
	public @Nullable String objection(ByteBuf frame) {
		return null;
	}

	@Override
	public boolean expects(int stream) {
		return this.isExpecting;
	}

	@Override
	public void received(int stream, ByteBuf message) {
		int size = message.readableBytes();
		this.latest = Unpooled.copiedBuffer(message);
		this.events.add("%d: %d bytes, %d last".formatted(stream, size, message.getByte(message.writerIndex() - 1)));
	}

	@Override
	public void cancelled(int stream) {
		this.events.add("%d: cancelled".formatted(stream));
	}

	@Override
	public void failed(int stream, String why) {
		this.events.add("%d: failed, %s".formatted(stream, why));
	}

	@Override
	public void refuse(String why) {
		this.events.add("refused, " + why);
	}

	@Override
	public void closed() {
		this.events.add("closed");
	}

}
