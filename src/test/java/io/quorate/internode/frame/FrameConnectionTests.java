package io.quorate.internode.frame;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.quorate.clock.Deadline;
import io.quorate.internode.ScarceAllocator;
import io.quorate.internode.wire.Wire;
import io.rsocket.exceptions.ConnectionErrorException;
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

/** Frames that are sent, alone and in batches. */
class FrameConnectionTests {

	private static final int SMALL = 100;

	private static final int LARGE = 2000;

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

	private final EmbeddedChannel channel = new EmbeddedChannel();

	private final FrameConnection connection;

	FrameConnectionTests() {
		this.channel.config().setAllocator(this.allocator);
		this.connection = new FrameConnection(Connection.from(this.channel));
	}

	@AfterEach
	void nothingIsKept() {
		var _ = this.channel.close();
		this.channel.runPendingTasks();
		this.channel.releaseOutbound();
		assertThat(this.allocator.metric().usedDirectMemory()).isZero();
	}

	@Test
	void smallFramesOfOneTurnLeaveInOneBuffer() {
		ByteBuf first = frame(SMALL, 1);
		ByteBuf second = frame(SMALL, 2);
		this.connection.sendFrame(1, first);
		this.connection.sendFrame(3, second);
		assertThat(this.channel.<Object>readOutbound()).as("before the end of the turn").isNull();
		assertThat(first.refCnt()).as("counts until it has left").isOne();
		this.channel.runPendingTasks();
		assertThat(first.refCnt() + second.refCnt()).isZero();
		ByteBuf left = left();
		requireFrame(left, SMALL, 1);
		requireFrame(left, SMALL, 2);
		assertThat(left.release()).isTrue();
		assertThat(this.channel.<Object>readOutbound()).isNull();
	}

	@Test
	void everyTurnIsFlushed() {
		for (int i = 0; i < 3; i++) {
			this.connection.sendFrame(1, frame(SMALL, i));
			this.channel.runPendingTasks();
			ByteBuf left = left();
			requireFrame(left, SMALL, i);
			left.release();
		}
	}

	@Test
	void largestCopyAndSmallestFrameThatIsNotCopied() {
		ByteBuf copied = frame(FrameConnection.COPIED_BYTES, 1);
		ByteBuf handed = frame(FrameConnection.COPIED_BYTES + 1, 2);
		this.connection.sendFrame(1, copied);
		this.connection.sendFrame(3, handed);
		this.channel.runPendingTasks();
		assertThat(copied.refCnt()).isZero();
		left().release();
		assertThat(left()).isSameAs(handed);
		handed.release();
	}

	@Test
	void moreThanOneBufferHoldsKeepsItsOrder() {
		for (int i = 0; i < 100; i++) {
			this.connection.sendFrame(1, frame(SMALL, i));
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
			requireFrame(all, SMALL, i);
		}
		assertThat(all.isReadable()).isFalse();
		assertThat(buffers).isBetween(2, 4);
	}

	@ParameterizedTest
	@ValueSource(ints = { FrameConnection.COPIED_BYTES, FrameConnection.COPIED_BYTES + 1 })
	void mostThatABlockHolds(int last) {
		int waiting = 3 * (FrameConnection.LENGTH_BYTES + FrameConnection.COPIED_BYTES) + FrameConnection.LENGTH_BYTES;
		int rest = FrameConnection.WAITING_BYTES - 1 - waiting;
		int[] lengths = { FrameConnection.COPIED_BYTES, FrameConnection.COPIED_BYTES, FrameConnection.COPIED_BYTES,
				rest, last };
		for (int length : lengths) {
			this.connection.sendFrame(1, frame(length, length));
		}
		this.channel.runPendingTasks();
		ByteBuf block = left();
		for (int length : lengths) {
			if (length <= FrameConnection.COPIED_BYTES) {
				requireFrame(block, length, length);
			}
			else {
				assertThat(block.readMedium()).isEqualTo(length);
				left().release();
			}
		}
		assertThat(block.isReadable()).isFalse();
		block.release();
		assertThat(this.channel.<Object>readOutbound()).isNull();
		assertThat(this.channel.isOpen()).isTrue();
	}

	@Test
	void largeFrameLeavesAsItIsInItsPlace() {
		ByteBuf large = frame(LARGE, 2);
		this.connection.sendFrame(1, frame(SMALL, 1));
		this.connection.sendFrame(3, large);
		this.connection.sendFrame(5, frame(SMALL, 3));
		this.channel.runPendingTasks();
		ByteBuf before = left();
		requireFrame(before, SMALL, 1);
		assertThat(before.readMedium()).isEqualTo(LARGE);
		before.release();
		ByteBuf same = left();
		assertThat(same).isSameAs(large);
		same.release();
		ByteBuf after = left();
		requireFrame(after, SMALL, 3);
		after.release();
	}

	@Test
	void nothingIsCopiedThatTheChannelDoesNotTake() {
		this.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, LARGE));
		this.connection.sendFrame(1, frame(LARGE, 1));
		assertThat(this.channel.isWritable()).isFalse();
		ByteBuf small = frame(SMALL, 2);
		this.connection.sendFrame(3, small);
		this.channel.runPendingTasks();
		left().release();
		left().release();
		ByteBuf length = left();
		assertThat(length.readMedium()).isEqualTo(SMALL);
		length.release();
		assertThat(left()).isSameAs(small);
		small.release();
	}

	@Test
	void frameForAClosedConnectionIsReleased() {
		ByteBuf waiting = frame(SMALL, 1);
		this.connection.sendFrame(1, waiting);
		var _ = this.channel.close();
		this.channel.runPendingTasks();
		assertThat(this.connection.isDisposed()).isTrue();
		ByteBuf late = frame(LARGE, 2);
		this.connection.sendFrame(3, late);
		assertThat(waiting.refCnt() + late.refCnt()).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { SMALL, LARGE })
	void frameWithoutRoomEndsTheConnectionAndIsReleased(int length) {
		this.channel.config().setAllocator(new ScarceAllocator(0));
		ByteBuf frame = frame(length, 1);
		this.connection.sendFrame(1, frame);
		assertThat(frame.refCnt()).isZero();
		this.channel.runPendingTasks();
		assertThat(this.channel.isOpen()).as("its peer may wait for the rest").isFalse();
	}

	@Test
	void headOfAFrameForWhichThereIsNoRoomIsOnTheHeap() {
		ByteBuf head = new RSocketAllocator(new ScarceAllocator(0)).buffer();
		assertThat(head.isDirect()).isFalse();
		head.release();
		ByteBuf usual = new RSocketAllocator(this.allocator).buffer();
		assertThat(usual.isDirect()).isTrue();
		usual.release();
	}

	@ParameterizedTest
	@ValueSource(ints = { SMALL, LARGE })
	void failedWriteEndsTheConnection(int length) {
		this.channel.pipeline().addLast(new ChannelOutboundHandlerAdapter() {

			@Override
			public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
				ReferenceCountUtil.release(message);
				promise.setFailure(new IOException("no write"));
			}

		});
		ByteBuf frame = frame(length, 1);
		this.connection.sendFrame(1, frame);
		this.channel.runPendingTasks();
		assertThat(this.channel.isOpen()).isFalse();
		assertThat(frame.refCnt()).isZero();
	}

	@Test
	void frameThatIsTooLongEndsTheConnection() {
		List<String> refused = new ArrayList<>();
		EmbeddedChannel receiver = new EmbeddedChannel(new FrameDecoder(() -> Wire.MAX_FRAME_BYTES, refused::add));
		receiver.writeInbound(Unpooled.buffer().writeMedium(Wire.MAX_FRAME_BYTES + 1));
		assertThat(receiver.isOpen()).isFalse();
		assertThat(refused).singleElement().asString().contains("a frame of 65553 bytes");
	}

	@Test
	void framesOfAnotherThreadLeaveInTheirOrder() throws Exception {
		try (Receiver receiver = new Receiver()) {
			for (int i = 0; i < 20; i++) {
				receiver.connection.sendFrame(1, frame((i % 3 == 0) ? LARGE : SMALL, i));
			}
			receiver.requireFrames(20);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { SMALL, LARGE })
	void manyFramesDoNotWaitForTheEndOfTheTurn(int length) throws Exception {
		int count = FrameConnection.WAITING_BYTES / length + 2;
		try (Receiver receiver = new Receiver()) {
			for (int turn = 0; turn < 3; turn++) {
				Future<Boolean> early = receiver.loop().submit(() -> {
					for (int i = 0; i < count; i++) {
						receiver.connection.sendFrame(1, frame(length, i));
					}
					Deadline patience = Deadline.after(PATIENCE);
					boolean some;
					do {
						some = !receiver.came.isEmpty();
					}
					while (!some && !patience.isExpired());
					return some;
				});
				assertThat(early.get()).as("some have come before the end of the turn").isTrue();
				receiver.requireFrames(count);
			}
		}
	}

	@Test
	void errorLeavesBeforeTheConnectionIsClosed() {
		this.connection.sendFrame(1, frame(SMALL, 1));
		this.connection.sendErrorAndClose(new ConnectionErrorException("why"));
		this.channel.runPendingTasks();
		ByteBuf both = left();
		requireFrame(both, SMALL, 1);
		int length = both.readMedium();
		assertThat(both.readableBytes()).isEqualTo(length).isGreaterThan("why".length());
		both.release();
		assertThat(this.channel.isOpen()).isFalse();
	}

	private ByteBuf left() {
		@Nullable ByteBuf buffer = this.channel.readOutbound();
		assertThat(buffer).isNotNull();
		return buffer;
	}

	private static ByteBuf frame(int length, int content) {
		return Unpooled.buffer(length).writeZero(length).setByte(length - 1, content);
	}

	private static void requireFrame(ByteBuf from, int length, int content) {
		assertThat(from.readMedium()).isEqualTo(length);
		assertThat(from.readSlice(length).getByte(length - 1)).isEqualTo((byte) content);
	}

	/** The other end, on an event loop of its own. */
	private static final class Receiver implements AutoCloseable {

		private final BlockingQueue<ByteBuf> came = new LinkedBlockingQueue<>();

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

		private final FrameConnection connection = new FrameConnection(this.client);

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
			this.connection.dispose();
			this.connection.onClose().block(PATIENCE);
			this.server.disposeNow(PATIENCE);
			this.loops.disposeLater(Duration.ZERO, PATIENCE).block(PATIENCE);
		}

	}

}
