package io.quorate.internode.frame;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.SentMessages;
import io.quorate.security.RefusalLog;
import org.junit.jupiter.api.Test;
import reactor.netty.Connection;

import static org.assertj.core.api.Assertions.assertThat;

/** Frames by which a member takes more memory than it sends bytes. */
class HostileFramesTests extends EmbeddedFrames {

	private static final int MAX_MESSAGE = 10 << 20;

	private static final int FIRST_PART = Frame.header(Frame.REQUEST, Frame.FOLLOWS);

	private final PendingConnection pending = new PendingConnection(new PendingConnections(8, System::nanoTime),
			Duration.ofSeconds(3), new RefusalLog(new SimpleMeterRegistry().counter("refused"), System::nanoTime));

	private final FrameConnection connection = FrameConnection.accepted(Connection.from(this.channel), MAX_MESSAGE,
			this.pending, this.receiver);

	HostileFramesTests() {
		this.pending.greeted();
		ByteBuf setup = this.allocator.directBuffer();
		Frame.writeSetup(setup, 3000);
		this.channel.writeInbound(setup);
	}

	@Test
	void aSmallPartDoesNotKeepTheBufferThatItCameIn() {
		for (int stream = 1; stream < 200; stream += 2) {
			ByteBuf read = this.allocator.directBuffer(64 * 1024);
			append(read, stream, FIRST_PART, PartialMessages.MIN_PART_BYTES);
			append(read, 1001, Frame.header(Frame.PAYLOAD, 0), 60_000);
			this.channel.writeInbound(read);
		}
		assertThat(this.receiver.events).isEmpty();
		assertThat(used()).isBetween(100 * 1024L, 2 * 100 * 1024L);
	}

	@Test
	void aLargePartIsNotCopied() {
		ByteBuf read = this.allocator.directBuffer(128 * 1024);
		append(read, 1, FIRST_PART, FrameConnection.PART_BYTES);
		this.channel.writeInbound(read);
		assertThat(used()).isEqualTo(read.capacity());
	}

	@Test
	void partsCountAgainstABudgetOfSeveralConnections() {
		Budget whole = new Budget(5000);
		whole.take(3000);
		this.connection.countPartsAgainst(whole);
		write(1, FIRST_PART, 1500);
		write(3, Frame.header(Frame.CANCEL, 0), 0);
		assertThat(whole.taken()).isEqualTo(4500);
		write(1, Frame.header(Frame.CANCEL, 0), 0);
		assertThat(whole.taken()).isEqualTo(3000);
		write(1, FIRST_PART, 1500);
		write(1, Frame.header(Frame.PAYLOAD, 0), 200);
		assertThat(whole.taken()).isEqualTo(3000);
		write(1, FIRST_PART, 1500);
		write(3, FIRST_PART, 1024);
		requireRefused("1500 bytes of unfinished messages are under way, and 1024 more have come");
		assertThat(whole.taken()).as("given back by a connection that is closed").isEqualTo(3000);
	}

	/* As a peer that reads no reply makes them wait. */
	@Test
	void repliesThatWaitAreBoundedByReadingNoMore() {
		HeldWrites held = new HeldWrites();
		this.channel.pipeline().addFirst(held);
		Budget budget = new Budget(Long.MAX_VALUE);
		int sent = 0;
		while (this.channel.config().isAutoRead()) {
			reply(100, budget);
			sent++;
			assertThat(sent * 100).isLessThan(Backlog.MAX_BYTES);
		}
		assertThat(this.connection.isPaused()).isTrue();
		assertThat(budget.taken()).isBetween(Backlog.MAX_BYTES / 2L, 2L * Backlog.MAX_BYTES);
		held.release(held.size() / 3);
		assertThat(this.channel.config().isAutoRead()).as("still many").isFalse();
		held.release(held.size());
		assertThat(this.channel.config().isAutoRead()).isTrue();
		assertThat(this.connection.isPaused()).isFalse();
		assertThat(budget.taken()).isZero();
	}

	@Test
	void errorsThatWaitAreBoundedByReadingNoMore() {
		HeldWrites held = new HeldWrites();
		this.channel.pipeline().addFirst(held);
		for (int i = 0; i < 400; i++) {
			this.connection.sendError(1, "why".repeat(100));
			this.channel.runPendingTasks();
		}
		assertThat(this.channel.config().isAutoRead()).isFalse();
		held.release(held.size());
		assertThat(this.channel.config().isAutoRead()).isTrue();
	}

	/* They have budgets, and the peer may well ask while it takes one. */
	@Test
	void largeRepliesThatWaitDoNotStopTheReading() {
		HeldWrites held = new HeldWrites();
		this.channel.pipeline().addFirst(held);
		Budget budget = new Budget(Long.MAX_VALUE);
		reply(MAX_MESSAGE, budget);
		reply(MAX_MESSAGE, budget);
		assertThat(this.channel.config().isAutoRead()).isTrue();
		held.release(held.size());
		assertThat(budget.taken()).isZero();
	}

	@Test
	void framesThatComeByteByByteAreTheSame() {
		Random random = new Random(5);
		ByteBuf talk = this.allocator.directBuffer();
		append(talk, 1, FIRST_PART, 3000);
		append(talk, 3, Frame.header(Frame.REQUEST, 0), 50);
		append(talk, 1, Frame.header(Frame.PAYLOAD, 0), 7);
		append(talk, 5, Frame.header(Frame.CANCEL, 0), 0);
		while (talk.isReadable()) {
			int some = Math.min(talk.readableBytes(), 1 + random.nextInt(3));
			this.channel.writeInbound(talk.readBytes(some));
		}
		talk.release();
		assertThat(this.receiver.events).containsExactly("3: 50 bytes, 0 last", "1: 3007 bytes, 0 last",
				"5: cancelled");
	}

	private void reply(int size, Budget budget) {
		this.connection.send(1, SentMessages.of(new byte[size], this.allocator, budget));
		this.channel.runPendingTasks();
	}

	private long used() {
		return this.allocator.metric().usedDirectMemory();
	}

	private static void append(ByteBuf frames, int stream, int header, int size) {
		frames.writeMedium(Frame.HEADER_BYTES + size).writeInt(stream).writeShort(header).writeZero(size);
	}

	private void write(int stream, int header, int size) {
		ByteBuf frame = this.allocator.directBuffer();
		append(frame, stream, header, size);
		this.channel.writeInbound(frame);
	}

	/** A socket that takes bytes only when it is told to. */
	private static final class HeldWrites extends ChannelOutboundHandlerAdapter {

		private final List<Runnable> held = new ArrayList<>();

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			this.held.add(() -> {
				ReferenceCountUtil.release(message);
				promise.setSuccess();
			});
		}

		int size() {
			return this.held.size();
		}

		void release(int count) {
			List<Runnable> first = this.held.subList(0, count);
			List.copyOf(first).forEach(Runnable::run);
			first.clear();
		}

	}

}
