package io.quorate.internode.frame;

import java.time.Duration;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.quorate.security.RefusalLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.netty.Connection;

import static org.assertj.core.api.Assertions.assertThat;

/** Frames that come at the side that was connected to. */
class ServerFramesTests extends EmbeddedFrames {

	private static final int MAX_MESSAGE = 10_000;

	private static final int PART = 2000;

	private final PendingConnection pending = new PendingConnection(new PendingConnections(8, System::nanoTime),
			Duration.ofSeconds(3), new RefusalLog(new SimpleMeterRegistry().counter("refused"), System::nanoTime));

	ServerFramesTests() {
		FrameConnection.accepted(Connection.from(this.channel), MAX_MESSAGE, this.pending, this.receiver);
		this.pending.greeted();
	}

	private ServerFramesTests setup() {
		ByteBuf setup = this.allocator.directBuffer();
		Frame.writeSetup(setup, 3000);
		this.channel.writeInbound(setup);
		return this;
	}

	@Test
	void aRequestIsReceivedInOneFrameOrInParts() {
		setup().write(1, Frame.header(Frame.REQUEST, 0), 100)
			.write(3, Frame.header(Frame.REQUEST, Frame.FOLLOWS), PART)
			.write(5, Frame.header(Frame.REQUEST, 0), 10)
			.write(3, Frame.header(Frame.PAYLOAD, 0), 1);
		assertThat(this.receiver.events).containsExactly("1: 100 bytes, 0 last", "5: 10 bytes, 0 last",
				"3: 2001 bytes, 0 last");
	}

	@Test
	void aCancelledRequestKeepsNothing() {
		setup().write(3, Frame.header(Frame.REQUEST, Frame.FOLLOWS), PART);
		write(3, Frame.header(Frame.CANCEL, 0), 0);
		assertThat(this.allocator.metric().usedDirectMemory()).isZero();
		write(3, Frame.header(Frame.PAYLOAD, 0), 1);
		assertThat(this.receiver.events).containsExactly("3: cancelled");
	}

	@Test
	void aRequestBeyondTheBoundIsAnsweredByAnError() {
		setup().write(3, Frame.header(Frame.REQUEST, Frame.FOLLOWS), PART);
		for (int i = 0; i < 6; i++) {
			write(3, Frame.header(Frame.PAYLOAD, Frame.FOLLOWS), PART);
		}
		this.channel.runPendingTasks();
		ByteBuf error = this.channel.readOutbound();
		assertThat(error.getInt(Frame.LENGTH_BYTES)).isEqualTo(3);
		assertThat(error.getUnsignedShort(Frame.LENGTH_BYTES + Integer.BYTES)).isEqualTo(Frame.header(Frame.ERROR, 0));
		error.release();
		assertThat(this.receiver.events).isEmpty();
		assertThat(this.channel.isOpen()).isTrue();
	}

	@Test
	void aConnectionThatDoesNotBeginAsNodesDoIsRefused() {
		write(1, Frame.header(Frame.REQUEST, 0), 100);
		requireRefused("does not begin as nodes do");
	}

	@Test
	void aSecondSetupIsRefused() {
		setup().setup();
		requireRefused("in another way");
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 2, -1 })
	void aStreamThatNoClientUsesIsRefused(int stream) {
		setup().write(stream, Frame.header(Frame.REQUEST, 0), 100);
		requireRefused("in another way");
	}

	@Test
	void aStreamThatIsInUseIsRefused() {
		this.receiver.isExpecting = false;
		setup().write(1, Frame.header(Frame.REQUEST, 0), 100);
		requireRefused("in another way");
	}

	@Test
	void aStreamWhoseRequestIsNotCompleteIsRefused() {
		setup().write(1, Frame.header(Frame.REQUEST, Frame.FOLLOWS), PART).write(1, Frame.header(Frame.REQUEST, 0), 9);
		requireRefused("in another way");
	}

	private ServerFramesTests write(int stream, int header, int size) {
		this.channel.writeInbound(this.allocator.directBuffer()
			.writeMedium(Frame.HEADER_BYTES + size)
			.writeInt(stream)
			.writeShort(header)
			.writeZero(size));
		return this;
	}

}
