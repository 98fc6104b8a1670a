package io.quorate.internode;

import java.net.SocketAddress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.rsocket.DuplexConnection;
import io.rsocket.RSocketErrorException;
import io.rsocket.frame.FrameHeaderCodec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A connection that bounds the bytes of messages of which only a part has come in, and is
 * closed when its peer goes beyond.
 */
final class BoundedConnection implements DuplexConnection {

	private static final Logger log = LoggerFactory.getLogger(BoundedConnection.class);

	private final DuplexConnection connection;

	private final ByteBufAllocator allocator;

	private final long maxPartialBytes;

	/* These belong to the event loop of the connection. */
	private final IntObjectMap<Integer> partialBytes = new IntObjectHashMap<>();

	private long allPartialBytes;

	private boolean cutOff;

	BoundedConnection(DuplexConnection connection, long maxPartialBytes) {
		this.connection = connection;
		this.allocator = new WideComposites(connection.alloc());
		this.maxPartialBytes = maxPartialBytes;
	}

	@Override
	public Flux<ByteBuf> receive() {
		return this.connection.receive().doOnNext(this::count);
	}

	private void count(ByteBuf frame) {
		int stream = FrameHeaderCodec.streamId(frame);
		if (FrameHeaderCodec.hasFollows(frame)) {
			int size = frame.readableBytes();
			this.partialBytes.merge(stream, size, Integer::sum);
			this.allPartialBytes += size;
			if (this.allPartialBytes > this.maxPartialBytes && !this.cutOff) {
				this.cutOff = true;
				log.warn("{} has {} bytes of unfinished messages under way, at most {} are allowed: closed",
						remoteAddress(), this.allPartialBytes, this.maxPartialBytes);
				dispose();
			}
		}
		else if (!this.partialBytes.isEmpty()) {
			@Nullable Integer size = this.partialBytes.remove(stream);
			this.allPartialBytes -= (size != null) ? size : 0;
		}
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
