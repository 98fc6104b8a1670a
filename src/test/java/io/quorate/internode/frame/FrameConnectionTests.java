package io.quorate.internode.frame;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.quorate.clock.Deadline;
import io.quorate.internode.ScarceAllocator;
import io.quorate.internode.frame.FrameConnection.FrameDecoder;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Message;
import io.quorate.internode.wire.Outgoing;
import io.quorate.internode.wire.SentMessages;
import io.quorate.internode.wire.Wire;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/** Messages that are sent, alone and in batches. */
class FrameConnectionTests extends EmbeddedFrames {

	private static final int SMALL = 100;

	private static final int LARGE = 2000;

	private static final int MAX_MESSAGE = 1 << 20;

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final Budget budget = new Budget(Long.MAX_VALUE);

	private final FrameConnection connection;

	FrameConnectionTests() {
		this.connection = FrameConnection.connected(Connection.from(this.channel), MAX_MESSAGE, Duration.ofSeconds(3),
				this.receiver);
		dropOutbound();
	}

	@AfterEach
	@Override
	void closeAndKeepNothing() {
		super.closeAndKeepNothing();
		assertThat(this.budget.taken()).isZero();
	}

	@Test
	void aConnectionBeginsWithTheSetupFrame() {
		EmbeddedChannel fresh = new EmbeddedChannel();
		FrameConnection.connected(Connection.from(fresh), MAX_MESSAGE, Duration.ofSeconds(3), this.receiver);
		fresh.runPendingTasks();
		ByteBuf setup = fresh.readOutbound();
		assertThat(setup.readMedium()).isEqualTo(setup.readableBytes()).isEqualTo(14);
		assertThat(Frame.isSetup(setup)).isTrue();
		setup.release();
	}

	@Test
	void smallMessagesOfOneTurnLeaveInOneBuffer() {
		send(1, SMALL, 1);
		send(3, SMALL, 2);
		assertThat(this.channel.<Object>readOutbound()).as("before the end of the turn").isNull();
		assertThat(this.budget.taken()).as("counts until it has left").isPositive();
		this.channel.runPendingTasks();
		assertThat(this.budget.taken()).isZero();
		ByteBuf left = left();
		requireFrame(left, 1, SMALL, 1);
		requireFrame(left, 3, SMALL, 2);
		assertThat(left.release()).isTrue();
		assertThat(this.channel.<Object>readOutbound()).isNull();
	}

	@Test
	void everyTurnIsFlushed() {
		for (int i = 0; i < 3; i++) {
			send(1, SMALL, i);
			this.channel.runPendingTasks();
			ByteBuf left = left();
			requireFrame(left, 1, SMALL, i);
			left.release();
		}
	}

	@Test
	void onlyASmallMessageIsCopied() {
		send(1, Message.COPIED_BYTES, 1);
		send(3, Message.COPIED_BYTES + 1, 2);
		this.channel.runPendingTasks();
		ByteBuf block = left();
		requireFrame(block, 1, Message.COPIED_BYTES, 1);
		requireHead(block, 3, Frame.header(Frame.REQUEST, 0), Message.COPIED_BYTES + 1);
		assertThat(block.isReadable()).isFalse();
		block.release();
		ByteBuf handed = left();
		assertThat(handed.readableBytes()).isEqualTo(Message.COPIED_BYTES + 1);
		assertThat(this.budget.taken()).as("until the kernel has taken it").isPositive();
		handed.release();
	}

	@Test
	void aLargeMessageLeavesInPartsOfBoundedSize() {
		int size = 2 * FrameConnection.PART_BYTES + 1;
		send(5, size, 7);
		this.channel.runPendingTasks();
		int[] parts = { FrameConnection.PART_BYTES, FrameConnection.PART_BYTES, 1 };
		int[] headers = { Frame.header(Frame.REQUEST, Frame.FOLLOWS), Frame.header(Frame.PAYLOAD, Frame.FOLLOWS),
				Frame.header(Frame.PAYLOAD, 0) };
		for (int i = 0; i < parts.length; i++) {
			ByteBuf head = left();
			requireHead(head, 5, headers[i], parts[i]);
			head.release();
			ByteBuf part = left();
			assertThat(part.readableBytes()).isEqualTo(parts[i]);
			part.release();
		}
		assertThat(this.channel.<Object>readOutbound()).isNull();
	}

	@Test
	void moreThanOneBufferHoldsKeepsItsOrder() {
		for (int i = 0; i < 100; i++) {
			send(1, SMALL, i);
		}
		this.channel.runPendingTasks();
		ByteBuf all = Unpooled.buffer();
		int buffers = 0;
		for (ByteBuf each = this.channel.readOutbound(); each != null; each = this.channel.readOutbound()) {
			all.writeBytes(each);
			each.release();
			buffers++;
		}
		for (int i = 0; i < 100; i++) {
			requireFrame(all, 1, SMALL, i);
		}
		assertThat(all.isReadable()).isFalse();
		assertThat(buffers).isBetween(2, 4);
	}

	@Test
	void aBlockHoldsAsManyFramesAsMayWaitAndOneMore() {
		int prefix = FrameConnection.PREFIX_BYTES;
		int rest = FrameWriter.WAITING_BYTES - 1 - 3 * (prefix + Message.COPIED_BYTES) - prefix;
		int[] sizes = { Message.COPIED_BYTES, Message.COPIED_BYTES, Message.COPIED_BYTES, rest, Message.COPIED_BYTES };
		for (int size : sizes) {
			send(1, size, size);
		}
		ByteBuf block = left();
		for (int size : sizes) {
			requireFrame(block, 1, size, size);
		}
		assertThat(block.isReadable()).isFalse();
		block.release();
		this.channel.runPendingTasks();
		assertThat(this.channel.<Object>readOutbound()).isNull();
		assertThat(this.channel.isOpen()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(ints = { SMALL, LARGE })
	void aMessageForAClosedConnectionIsReleased(int size) {
		send(1, size, 1);
		var _ = this.channel.close();
		this.channel.runPendingTasks();
		this.channel.releaseOutbound();
		assertThat(this.connection.isClosed()).isTrue();
		send(3, size, 2);
		assertThat(this.budget.taken()).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { SMALL, LARGE })
	void aFrameWithoutRoomEndsTheConnectionAndItsMessageIsReleased(int size) {
		Outgoing message = message(size, 1);
		this.channel.config().setAllocator(new ScarceAllocator(0));
		this.connection.send(1, message);
		assertThat(this.budget.taken()).isZero();
		this.channel.runPendingTasks();
		assertThat(this.channel.isOpen()).as("its peer may wait for the rest").isFalse();
	}

	@ParameterizedTest
	@ValueSource(ints = { SMALL, LARGE })
	void aFailedWriteEndsTheConnection(int size) {
		this.channel.pipeline().addLast(new ChannelOutboundHandlerAdapter() {

			@Override
			public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
				ReferenceCountUtil.release(message);
				promise.setFailure(new IOException("no write"));
			}

		});
		send(1, size, 1);
		this.channel.runPendingTasks();
		assertThat(this.channel.isOpen()).isFalse();
		assertThat(this.budget.taken()).isZero();
	}

	@Test
	void aFailureOfTheChannelClosesTheConnectionOnce() {
		requireEnd(new IOException("Connection reset"), "closed");
	}

	@Test
	void anErrorOfThisNodeIsSaidAndClosesTheConnectionOnce() {
		requireEnd(new OutOfMemoryError("no memory"),
				"refused, an internal error: java.lang.OutOfMemoryError: no memory", "closed");
	}

	private void requireEnd(Throwable failure, String... events) {
		this.channel.pipeline().fireExceptionCaught(failure);
		this.channel.runPendingTasks();
		assertThatCode(this.channel::checkException).doesNotThrowAnyException();
		assertThat(this.channel.isOpen()).isFalse();
		assertThat(this.receiver.events).containsExactly(events);
	}

	@Test
	void aConnectionWhoseHandlersAreRemovedIsOver() {
		this.channel.pipeline().remove(this.connection);
		assertThat(this.receiver.events).containsExactly("closed");
		assertThat(this.connection.isClosed()).isTrue();
	}

	@Test
	void aMessageForAPeerThatDoesNotReadTakesNoMoreThanItsBytes() {
		this.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
		this.channel.pipeline().addLast(new ChannelOutboundHandlerAdapter() {

			@Override
			public void flush(ChannelHandlerContext context) {
				// The peer does not read.
			}

		});
		var _ = this.channel.pipeline().write(Unpooled.buffer().writeZero(10));
		assertThat(this.channel.isWritable()).isFalse();
		send(1, 40, 1);
		assertThat(this.allocator.metric().usedDirectMemory()).isLessThan(100);
	}

	@Test
	void aCancelledRequestIsCancelledAtThePeer() {
		this.connection.sendCancel(9);
		this.channel.runPendingTasks();
		ByteBuf cancel = left();
		requireHead(cancel, 9, Frame.header(Frame.CANCEL, 0), 0);
		cancel.release();
	}

	@Test
	void messagesOfAnotherThreadLeaveInTheirOrder() throws Exception {
		try (OtherEnd other = new OtherEnd()) {
			for (int i = 0; i < 20; i++) {
				other.connection.send(1, message((i % 3 == 0) ? LARGE : SMALL, i));
			}
			other.requireFrames(20);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { SMALL, LARGE })
	void manyMessagesDoNotWaitForTheEndOfTheTurn(int size) throws Exception {
		int count = FrameWriter.WAITING_BYTES / size + 2;
		try (OtherEnd other = new OtherEnd()) {
			for (int turn = 0; turn < 3; turn++) {
				Future<Boolean> early = other.loop().submit(() -> {
					for (int i = 0; i < count; i++) {
						other.connection.send(1, message(size, i));
					}
					Deadline patience = Deadline.after(PATIENCE);
					boolean some;
					do {
						some = !other.came.isEmpty();
					}
					while (!some && !patience.isExpired());
					return some;
				});
				assertThat(early.get()).as("some have come before the end of the turn").isTrue();
				other.requireFrames(count);
			}
		}
	}

	private void send(int stream, int size, int content) {
		this.connection.send(stream, message(size, content));
	}

	private Outgoing message(int size, int content) {
		byte[] bytes = new byte[size];
		bytes[size - 1] = (byte) content;
		return SentMessages.of(bytes, this.allocator, this.budget);
	}

	private ByteBuf left() {
		@Nullable ByteBuf buffer = this.channel.readOutbound();
		assertThat(buffer).isNotNull();
		return buffer;
	}

	private static void requireFrame(ByteBuf from, int stream, int size, int content) {
		requireHead(from, stream, Frame.header(Frame.REQUEST, 0), size);
		assertThat(from.readSlice(size).getByte(size - 1)).isEqualTo((byte) content);
	}

	private static void requireHead(ByteBuf from, int stream, int header, int size) {
		assertThat(from.readMedium()).isEqualTo(Frame.HEADER_BYTES + size);
		assertThat(from.readInt()).isEqualTo(stream);
		assertThat(from.readUnsignedShort()).isEqualTo(header);
	}

	/** The other end, on an event loop of its own. */
	private static final class OtherEnd implements AutoCloseable {

		/* To add to it never blocks, as an event loop must not. */
		private final BlockingQueue<ByteBuf> came = new LinkedTransferQueue<>();

		private final LoopResources loops = LoopResources.create("receiver", 1, true);

		private final DisposableServer server = TcpServer.create()
			.runOn(this.loops)
			.host("127.0.0.1")
			.port(0)
			.doOnConnection((accepted) -> accepted.addHandlerLast(new FrameDecoder(() -> Wire.MAX_FRAME_BYTES, (_) -> {
			})))
			.handle((in, _) -> in.receive().retain().doOnNext(this.came::add).then())
			.bindNow(PATIENCE);

		private final Connection client = TcpClient.create().remoteAddress(this.server::address).connectNow(PATIENCE);

		private final FrameConnection connection = FrameConnection.connected(this.client, MAX_MESSAGE, PATIENCE,
				new RecordedReceiver());

		OtherEnd() throws InterruptedException {
			@Nullable ByteBuf setup = this.came.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			assertThat(setup).isNotNull();
			setup.release();
		}

		EventLoop loop() {
			return this.client.channel().eventLoop();
		}

		void requireFrames(int count) throws InterruptedException {
			for (int i = 0; i < count; i++) {
				@Nullable ByteBuf frame = this.came.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
				assertThat(frame).as("frame %d", i).isNotNull();
				assertThat(frame.getByte(frame.writerIndex() - 1)).isEqualTo((byte) i);
				frame.release();
			}
		}

		@Override
		public void close() {
			this.connection.close();
			this.client.onDispose().block(PATIENCE);
			this.server.disposeNow(PATIENCE);
			this.loops.disposeLater(Duration.ZERO, PATIENCE).block(PATIENCE);
		}

	}

}
