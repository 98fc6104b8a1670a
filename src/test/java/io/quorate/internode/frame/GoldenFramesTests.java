package io.quorate.internode.frame;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.golden.GoldenFiles;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Outgoing;
import io.quorate.internode.wire.SentMessages;
import io.quorate.internode.wire.Wire;
import io.quorate.security.RefusalLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.netty.Connection;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Frames against those of the golden file. Of the parts of a large message, whose bodies
 * are zeros, the file has the first nine bytes.
 */
class GoldenFramesTests {

	private static final Map<String, byte[]> GOLDEN = GoldenFiles.hex("wire-1.txt");

	private static final HexFormat HEX = HexFormat.of();

	private static final int MAX_MESSAGE = 1 << 20;

	private static final Duration SILENCE = Duration.ofSeconds(3);

	private final EmbeddedChannel channel = new EmbeddedChannel();

	private final Budget budget = new Budget(Long.MAX_VALUE);

	private final RecordedReceiver receiver = new RecordedReceiver();

	@AfterEach
	void close() {
		this.channel.finishAndReleaseAll();
		assertThat(this.budget.taken()).isZero();
	}

	private FrameConnection client() {
		return FrameConnection.connected(Connection.from(this.channel), MAX_MESSAGE, SILENCE, this.receiver);
	}

	private FrameConnection server() {
		PendingConnection pending = new PendingConnection(new PendingConnections(8, System::nanoTime), SILENCE,
				new RefusalLog(new SimpleMeterRegistry().counter("refused"), System::nanoTime));
		pending.greeted();
		return FrameConnection.accepted(Connection.from(this.channel), MAX_MESSAGE, pending, this.receiver);
	}

	@Test
	void aClientSendsTheGoldenFrames() {
		FrameConnection client = client();
		requireSent("setup");
		client.send(5, message("request".getBytes(StandardCharsets.UTF_8)));
		requireSent("request");
		client.sendCancel(7);
		requireSent("cancel");
		client.send(5, message(large()));
		requireSent("request-first-part", "middle-part", "request-last-part");
	}

	@Test
	void aServerSendsTheGoldenFrames() {
		FrameConnection server = server();
		server.send(5, message("reply".getBytes(StandardCharsets.UTF_8)));
		requireSent("reply");
		server.sendError(9, "wörds");
		requireSent("error");
		server.send(5, message(large()));
		requireSent("reply-first-part", "middle-part", "reply-last-part");
	}

	@Test
	void aServerUnderstandsTheGoldenFrames() {
		server();
		receive("setup", "request", "cancel", "request-first-part", "middle-part", "request-last-part");
		assertThat(this.receiver.events).containsExactly("5: 7 bytes, 116 last", "7: cancelled",
				"5: %d bytes, 114 last".formatted(large().length));
	}

	@Test
	void aClientUnderstandsTheGoldenFrames() {
		client();
		receive("reply", "error", "reply-first-part", "middle-part", "reply-last-part", "error-of-connection");
		assertThat(this.receiver.events).containsExactly("5: 5 bytes, 121 last", "9: failed, wörds",
				"5: %d bytes, 114 last".formatted(large().length), "refused, the peer ends the connection: wörds",
				"closed");
	}

	private Outgoing message(byte[] bytes) {
		return SentMessages.of(bytes, UnpooledByteBufAllocator.DEFAULT, this.budget);
	}

	/* Two parts of zeros, and one of a single byte. */
	private static byte[] large() {
		byte[] bytes = new byte[2 * (Wire.FRAGMENT_BYTES - 9) + 1];
		bytes[bytes.length - 1] = 'r';
		return bytes;
	}

	private void receive(String... names) {
		for (String name : names) {
			this.channel.writeInbound(Unpooled.wrappedBuffer(golden(name)));
		}
	}

	private void requireSent(String... names) {
		this.channel.runPendingTasks();
		ByteBuf sent = Unpooled.buffer();
		for (ByteBuf each = this.channel.readOutbound(); each != null; each = this.channel.readOutbound()) {
			sent.writeBytes(each);
			each.release();
		}
		for (String name : names) {
			byte[] golden = golden(name);
			byte[] frame = ByteBufUtil.getBytes(sent.readSlice(Math.min(golden.length, sent.readableBytes())));
			assertThat(HEX.formatHex(frame)).as(GoldenFiles.OTHER_BYTES + name).isEqualTo(HEX.formatHex(golden));
		}
		assertThat(sent.isReadable()).as("behind the frames").isFalse();
	}

	private static byte[] golden(String name) {
		byte[] bytes = GOLDEN.get("frame." + name);
		assertThat(bytes).as(name).isNotNull();
		int length = Frame.LENGTH_BYTES + Unpooled.wrappedBuffer(bytes).readMedium();
		return Arrays.copyOf(bytes, length);
	}

}
