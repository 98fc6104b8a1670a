package io.quorate.internode.frame;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.rsocket.DuplexConnection;
import io.rsocket.RSocketErrorException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages that come in pieces. */
class BoundedConnectionTests {

	private static final int PIECE = 1000;

	/* From RSocket's protocol: a type of frame, and two flags. */
	private static final int PAYLOAD = 0x0a;

	private static final int NEXT = 0x20;

	private static final int FOLLOWS = 0x80;

	private final List<String> refused = new ArrayList<>();

	private final Source source = new Source();

	private final BoundedConnection connection = new BoundedConnection(this.source, 10_500,
			new BoundedConnection.Guard() {

				@Override
				public @Nullable String objection(ByteBuf frame) {
					return null;
				}

				@Override
				public void refuse(String why) {
					BoundedConnectionTests.this.refused.add(why);
				}

			});

	private final List<Integer> received = new ArrayList<>();

	@Test
	void finishedMessagesMayFollowEachOtherForEver() {
		receive();
		for (int stream = 1; stream < 200; stream += 2) {
			for (int i = 0; i < 9; i++) {
				emit(stream, true);
			}
			emit(stream, false);
		}
		assertThat(this.source.disposed).isFalse();
		assertThat(this.received).hasSize(1000);
	}

	@Test
	void unfinishedMessagesBeyondTheBoundCloseTheConnection() {
		receive();
		for (int stream = 1; stream < 20; stream += 2) {
			emit(stream, true);
		}
		assertThat(this.source.disposed).isFalse();
		emit(21, true);
		assertThat(this.source.disposed).isTrue();
		emit(23, false);
		assertThat(this.received).as("nothing is taken any more").hasSize(10);
		assertThat(this.refused).singleElement().asString().contains("unfinished messages");
	}

	@Test
	void aFrameThatIsTooShortToBeOneClosesTheConnection() {
		receive();
		this.source.frames.tryEmitNext(Unpooled.buffer().writeInt(1).writeByte(0)).orThrow();
		assertThat(this.source.disposed).isTrue();
		assertThat(this.received).isEmpty();
	}

	private void receive() {
		this.connection.receive().subscribe((frame) -> {
			this.received.add(frame.readableBytes());
		});
	}

	private void emit(int stream, boolean follows) {
		int header = (PAYLOAD << 10) | NEXT | (follows ? FOLLOWS : 0);
		ByteBuf frame = Unpooled.buffer().writeInt(stream).writeShort(header).writeZero(PIECE);
		this.source.frames.tryEmitNext(frame).orThrow();
		frame.release();
	}

	private static final class Source implements DuplexConnection {

		private final Sinks.Many<ByteBuf> frames = Sinks.many().unicast().onBackpressureBuffer();

		private boolean disposed;

		@Override
		public Flux<ByteBuf> receive() {
			return this.frames.asFlux();
		}

		@Override
		public void sendFrame(int streamId, ByteBuf frame) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void sendErrorAndClose(RSocketErrorException failure) {
			throw new UnsupportedOperationException();
		}

		@Override
		public ByteBufAllocator alloc() {
			return ByteBufAllocator.DEFAULT;
		}

		@Override
		public SocketAddress remoteAddress() {
			return InetSocketAddress.createUnresolved("peer", 1);
		}

		@Override
		public Mono<Void> onClose() {
			return Mono.never();
		}

		@Override
		public void dispose() {
			this.disposed = true;
		}

	}

}
