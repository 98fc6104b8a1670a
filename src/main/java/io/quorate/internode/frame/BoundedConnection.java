package io.quorate.internode.frame;

import java.net.SocketAddress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.rsocket.DuplexConnection;
import io.rsocket.RSocketErrorException;
import io.rsocket.frame.FrameHeaderCodec;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A connection that bounds the bytes of partly received messages. It is closed when its
 * peer exceeds the bound, or when its guard objects to a frame.
 */
public final class BoundedConnection implements DuplexConnection {

	/**
	 * A check of the frames that come over a connection. Called on the connection's event
	 * loop.
	 */
	public interface Guard {

		/**
		 * Reason for closing the connection at a frame, or {@code null} when the frame
		 * may pass.
		 */
		@Nullable String objection(ByteBuf frame);

		/** The connection is closed for this reason; called once. */
		void refuse(String why);

	}

	private final DuplexConnection connection;

	private final ByteBufAllocator allocator;

	private final long maxPartialBytes;

	private final Guard guard;

	/* These belong to the event loop of the connection. */
	private final IntObjectMap<Integer> partialBytes = new IntObjectHashMap<>();

	private long allPartialBytes;

	private boolean cutOff;

	public BoundedConnection(DuplexConnection connection, long maxPartialBytes, Guard guard) {
		this.connection = connection;
		this.allocator = new RSocketAllocator(connection.alloc());
		this.maxPartialBytes = maxPartialBytes;
		this.guard = guard;
	}

	@Override
	public Flux<ByteBuf> receive() {
		return this.connection.receive().handle((frame, next) -> {
			String objection = this.cutOff ? "" : objection(frame);
			if (objection == null) {
				next.next(frame);
				return;
			}
			/* The publisher of a frame releases it. */
			if (!this.cutOff) {
				this.cutOff = true;
				this.guard.refuse(objection);
				dispose();
			}
		});
	}

	private @Nullable String objection(ByteBuf frame) {
		if (frame.readableBytes() < FrameHeaderCodec.size()) {
			return "a frame of %d bytes is too short".formatted(frame.readableBytes());
		}
		String objection = this.guard.objection(frame);
		return (objection != null) ? objection : count(frame);
	}

	private @Nullable String count(ByteBuf frame) {
		int stream = FrameHeaderCodec.streamId(frame);
		if (FrameHeaderCodec.hasFollows(frame)) {
			int size = frame.readableBytes();
			this.partialBytes.merge(stream, size, Integer::sum);
			this.allPartialBytes += size;
			if (this.allPartialBytes > this.maxPartialBytes) {
				return "%d bytes of unfinished messages are under way, at most %d are allowed"
					.formatted(this.allPartialBytes, this.maxPartialBytes);
			}
		}
		else if (!this.partialBytes.isEmpty()) {
			@Nullable Integer size = this.partialBytes.remove(stream);
			this.allPartialBytes -= (size != null) ? size : 0;
		}
		return null;
	}

	@Override
	public void sendFrame(int streamId, ByteBuf frame) {
		this.connection.sendFrame(streamId, frame);
	}

	@Override
	public void sendErrorAndClose(RSocketErrorException failure) {
		this.connection.sendErrorAndClose(failure);
	}

	@Override
	public ByteBufAllocator alloc() {
		return this.allocator;
	}

	@Override
	public SocketAddress remoteAddress() {
		return this.connection.remoteAddress();
	}

	@Override
	public Mono<Void> onClose() {
		return this.connection.onClose();
	}

	@Override
	public void dispose() {
		this.connection.dispose();
	}

	@Override
	public boolean isDisposed() {
		return this.connection.isDisposed();
	}

}
