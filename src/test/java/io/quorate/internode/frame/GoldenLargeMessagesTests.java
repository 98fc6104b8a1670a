package io.quorate.internode.frame;

import java.time.Duration;
import java.util.Objects;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.entry.Key;
import io.quorate.golden.GoldenFiles;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Message;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.ReplyCodec;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.RequestCodec;
import io.quorate.internode.wire.Wire;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.replica.Origin;
import io.quorate.security.RefusalLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.netty.Connection;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The write and the reply of a value that travels in parts, as whole frames, against
 * golden files of each version of the protocol.
 */
class GoldenLargeMessagesTests {

	private static final int VALUE_BYTES = 150_000;

	private static final Key KEY = Key.of("large/ä");

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

	private static IntStream versions() {
		return IntStream.rangeClosed(Wire.OLDEST_VERSION, Wire.VERSION);
	}

	@ParameterizedTest
	@MethodSource("versions")
	void aServerUnderstandsAWriteInParts(int version) {
		server();
		byte[] golden = golden("request", version);
		this.channel.writeInbound(Unpooled.wrappedBuffer(setup(version)));
		Request.Envelope request = RequestCodec.decode(received(golden));
		assertThat(request.request())
			.isEqualTo(new Request.Apply(KEY, InternodeFixture.live(VALUE_BYTES), Origin.CLIENT));
		assertThat(this.receiver.events).hasSize(1);
	}

	@ParameterizedTest
	@MethodSource("versions")
	void aClientUnderstandsAReplyInParts(int version) {
		client();
		byte[] golden = golden("reply", version);
		Reply.Envelope reply = ReplyCodec.decode(received(golden));
		assertThat(reply.reply()).isEqualTo(new Reply.Found(InternodeFixture.live(VALUE_BYTES)));
		assertThat(this.receiver.events).hasSize(1);
	}

	@ParameterizedTest
	@MethodSource("versions")
	void aClientSendsAWriteInTheSameParts(int version) {
		FrameConnection client = client();
		byte[] golden = golden("request", version);
		Request.Envelope request = RequestCodec.decode(body(golden));
		requireSent(client, RequestCodec.encode(request), golden);
	}

	@ParameterizedTest
	@MethodSource("versions")
	void aServerSendsAReplyInTheSameParts(int version) {
		FrameConnection server = server();
		byte[] golden = golden("reply", version);
		Reply.Envelope reply = ReplyCodec.decode(body(golden));
		requireSent(server, ReplyCodec.encode(reply), golden);
	}

	private FrameConnection client() {
		FrameConnection client = FrameConnection.connected(Connection.from(this.channel), MAX_MESSAGE, SILENCE,
				this.receiver);
		this.channel.runPendingTasks();
		this.channel.releaseOutbound();
		return client;
	}

	private FrameConnection server() {
		PendingConnection pending = new PendingConnection(new PendingConnections(8, System::nanoTime), SILENCE,
				new RefusalLog(new SimpleMeterRegistry().counter("refused"), System::nanoTime));
		pending.greeted();
		return FrameConnection.accepted(Connection.from(this.channel), MAX_MESSAGE, pending, this.receiver);
	}

	private static byte[] golden(String kind, int version) {
		return GoldenFiles.bytes("wire-%d-large-%s.gz".formatted(version, kind));
	}

	private static byte[] setup(int version) {
		return Objects.requireNonNull(GoldenFiles.hex("wire-%d.txt".formatted(version)).get("frame.setup"));
	}

	private ByteBuf received(byte[] frames) {
		this.channel.writeInbound(Unpooled.wrappedBuffer(frames));
		return this.receiver.latest;
	}

	/* Without the code that is tested. */
	private static ByteBuf body(byte[] frames) {
		ByteBuf from = Unpooled.wrappedBuffer(frames);
		ByteBuf body = Unpooled.buffer(frames.length);
		while (from.isReadable()) {
			body.writeBytes(from.readSlice(from.readMedium()).skipBytes(Frame.HEADER_BYTES));
		}
		return body;
	}

	private void requireSent(FrameConnection connection, Message message, byte[] golden) {
		this.budget.take(message.cost());
		int stream = Unpooled.wrappedBuffer(golden).getInt(Frame.LENGTH_BYTES);
		connection.send(stream, message.outgoing(UnpooledByteBufAllocator.DEFAULT, this.budget));
		this.channel.runPendingTasks();
		ByteBuf sent = Unpooled.buffer();
		for (ByteBuf each = this.channel.readOutbound(); each != null; each = this.channel.readOutbound()) {
			sent.writeBytes(each);
			each.release();
		}
		assertThat(sent).as(GoldenFiles.OTHER_BYTES).isEqualTo(Unpooled.wrappedBuffer(golden));
	}

}
