package io.quorate.internode.frame;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.internode.wire.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.netty.Connection;

import static org.assertj.core.api.Assertions.assertThat;

/** Frames that come, of peers that keep to the protocol and of others. */
class IncomingFramesTests extends EmbeddedFrames {

	private static final int MAX_MESSAGE = 10_000;

	private static final int PART = 2000;

	IncomingFramesTests() {
		FrameConnection.connected(Connection.from(this.channel), MAX_MESSAGE, Duration.ofSeconds(3), this.receiver);
		dropOutbound();
	}

	@Test
	void aReplyInOneFrameIsReceived() {
		payload(1, 0, 100, 7);
		requireEvents("1: 100 bytes, 7 last");
	}

	@Test
	void aReplyInPartsIsReceivedOnceItIsWhole() {
		payload(1, Frame.FOLLOWS, PART, 1);
		payload(3, 0, 100, 2);
		payload(1, Frame.FOLLOWS, PART, 3);
		payload(1, 0, 1, 4);
		requireEvents("3: 100 bytes, 2 last", "1: %d bytes, 4 last".formatted(2 * PART + 1));
	}

	@Test
	void aReplyThatIsNotAwaitedIsDropped() {
		this.receiver.isExpecting = false;
		payload(1, Frame.FOLLOWS, PART, 1);
		payload(1, 0, 1, 4);
		requireEvents();
		assertThat(this.channel.isOpen()).isTrue();
	}

	@Test
	void anErrorFailsTheRequest() {
		writeFrame(1, Frame.header(Frame.ERROR, 0),
				Unpooled.buffer().writeBytes("why".getBytes(StandardCharsets.US_ASCII)));
		requireEvents("1: failed, why");
	}

	@Test
	void messagesInPartsMayFollowEachOtherForEver() {
		for (int stream = 1; stream < 200; stream += 2) {
			for (int i = 0; i < 4; i++) {
				payload(stream, Frame.FOLLOWS, PART, i);
			}
			payload(stream, 0, PART, 5);
		}
		assertThat(this.receiver.events).hasSize(100).allMatch((event) -> event.contains("10000 bytes"));
	}

	@Test
	void unfinishedMessagesBeyondTheBoundCloseTheConnection() {
		for (int stream = 1; stream <= 19; stream += 2) {
			payload(stream, Frame.FOLLOWS, PART, 1);
		}
		assertThat(this.channel.isOpen()).isTrue();
		payload(21, Frame.FOLLOWS, PART, 1);
		requireRefused("20000 bytes of unfinished messages are under way, and 2000 more have come");
	}

	@Test
	void aMessageBeyondTheBoundEndsItsStreamAlone() {
		for (int i = 0; i < 6; i++) {
			payload(1, Frame.FOLLOWS, PART, 1);
		}
		this.receiver.isExpecting = false;
		payload(1, 0, 1, 1);
		this.receiver.isExpecting = true;
		payload(3, 0, 100, 2);
		requireEvents("1: failed, a message of more than 10000 bytes", "3: 100 bytes, 2 last");
	}

	@Test
	void partsThatAreTooSmallCloseTheConnection() {
		payload(1, Frame.FOLLOWS, PartialMessages.MIN_PART_BYTES, 1);
		payload(1, Frame.FOLLOWS, PartialMessages.MIN_PART_BYTES - 1, 1);
		requireRefused("a part of 1023 bytes");
	}

	@ParameterizedTest
	@ValueSource(ints = { Frame.REQUEST, Frame.SETUP, 0x00, 0x06, 0x07, 0x40, 0xff })
	void aFrameThatNodesDoNotReplyWithClosesTheConnection(int type) {
		writeFrame(1, Frame.header(type, 0), Unpooled.buffer().writeZero(20));
		requireRefused("in another way");
	}

	@Test
	void aFrameWithAnotherFlagClosesTheConnection() {
		payload(1, 0x40, 100, 1);
		requireRefused("in another way");
	}

	@Test
	void aFrameThatIsTooShortClosesTheConnection() {
		this.channel.writeInbound(Unpooled.buffer().writeMedium(5).writeZero(5));
		requireRefused("a frame of 5 bytes is too short");
	}

	@Test
	void aFrameThatIsTooLongClosesTheConnection() {
		this.channel.writeInbound(Unpooled.buffer().writeMedium(Wire.MAX_FRAME_BYTES + 1));
		requireRefused("a frame of 65553 bytes");
	}

	@Test
	void framesBehindARefusedOneAreDropped() {
		ByteBuf both = this.allocator.directBuffer();
		append(both, 1, Frame.header(Frame.PAYLOAD, 0x40), 10);
		append(both, 3, Frame.header(Frame.PAYLOAD, 0), 10);
		this.channel.writeInbound(both);
		requireRefused("in another way");
		assertThat(this.receiver.events).hasSize(2);
	}

	@Test
	void wordsOfAPeerAreNoLineOfTheLog() {
		writeFrame(1, Frame.header(Frame.ERROR, 0),
				Unpooled.buffer().writeBytes("a\nb".getBytes(StandardCharsets.US_ASCII)));
		assertThat(this.receiver.events).singleElement().asString().startsWith("1: failed, a").doesNotContain("\n");
	}

	/*
	 * Valid frames with some bytes changed: the connection goes on, or is closed for a
	 * reason, and keeps nothing.
	 */
	@Test
	void changedFramesAreRefusedOrDropped() {
		Random random = new Random(21);
		int refused = 0;
		for (int i = 0; i < 2000; i++) {
			RecordedReceiver each = new RecordedReceiver();
			EmbeddedChannel fresh = new EmbeddedChannel();
			fresh.config().setAllocator(this.allocator);
			FrameConnection.connected(Connection.from(fresh), MAX_MESSAGE, Duration.ofSeconds(3), each);
			ByteBuf frames = this.allocator.directBuffer();
			append(frames, 1, Frame.header(Frame.PAYLOAD, Frame.FOLLOWS), 1024 + random.nextInt(2048));
			append(frames, 1, Frame.header(Frame.PAYLOAD, Frame.FOLLOWS), 1024 + random.nextInt(2048));
			append(frames, 3, Frame.header(Frame.PAYLOAD, 0), 1 + random.nextInt(200));
			for (int change = random.nextInt(4); change > 0; change--) {
				int at = random.nextBoolean() ? random.nextInt(9) : random.nextInt(frames.writerIndex());
				frames.setByte(at, random.nextInt(256));
			}
			fresh.writeInbound(frames);
			boolean isRefused = each.events.stream().anyMatch((event) -> event.startsWith("refused"));
			assertThat(fresh.isOpen() || isRefused).as("seed 21, round %d: %s", i, each.events).isTrue();
			refused += isRefused ? 1 : 0;
			var _ = fresh.close();
			fresh.runPendingTasks();
			fresh.releaseOutbound();
			assertThat(this.allocator.metric().usedDirectMemory()).as("seed 21, round %d", i).isZero();
		}
		assertThat(refused).isBetween(100, 1900);
		var _ = this.channel.close();
	}

	private static void append(ByteBuf frames, int stream, int header, int size) {
		frames.writeMedium(Frame.HEADER_BYTES + size).writeInt(stream).writeShort(header).writeZero(size);
	}

	private void payload(int stream, int flags, int size, int last) {
		ByteBuf body = Unpooled.buffer().writeZero(size);
		if (size > 0) {
			body.setByte(size - 1, last);
		}
		writeFrame(stream, Frame.header(Frame.PAYLOAD, flags), body);
	}

	private void writeFrame(int stream, int header, ByteBuf body) {
		int size = body.readableBytes();
		this.channel.writeInbound(this.allocator.directBuffer()
			.writeMedium(Frame.HEADER_BYTES + size)
			.writeInt(stream)
			.writeShort(header)
			.writeBytes(body));
	}

	private void requireEvents(String... events) {
		assertThat(this.receiver.events).containsExactly(events);
	}

}
