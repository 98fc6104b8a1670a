package io.quorate.api.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Loops of which a test says when they turn, by a clock that stands still otherwise. */
class SocketWatchTests {

	private static final long PERIOD = LoopTurns.PERIOD.toMillis();

	private long now = 1_000_000_000_000L;

	private final List<Long> stalls = new ArrayList<>();

	private final LoopTurns turns = new LoopTurns(() -> this.now, this.stalls::add);

	private final LoopTurns accepting = new LoopTurns(() -> this.now, (stall) -> assertThat(stall).isPositive());

	private SocketWatch socket = new SocketWatch(this.turns, this.accepting);

	private EmbeddedChannel channel = new EmbeddedChannel(this.socket);

	@AfterEach
	void end() {
		this.channel.finishAndReleaseAll();
	}

	@Test
	void nothingHasWaitedWhileTheLoopTurns() {
		for (int i = 0; i < 100; i++) {
			turn(PERIOD + i);
			assertThat(waitedMillis(read(false))).isZero();
		}
		assertThat(this.stalls).isEmpty();
	}

	@Test
	void aStallCountsBeforeItIsOver() {
		turnFor(500);
		pass(1000);
		assertThat(waitedMillis(read(false))).isEqualTo(1000);
		assertThat(this.stalls).isEmpty();
		turn(0);
		assertThat(this.stalls).containsExactly(TimeUnit.MILLISECONDS.toNanos(1000));
	}

	@Test
	void aShortGapIsNone() {
		turnFor(500);
		pass(LoopTurns.LEAST_STALL.toMillis());
		assertThat(waitedMillis(read(false))).isZero();
	}

	@Test
	void bytesFoundByTheTurnAfterAStallHaveWaited() {
		turnFor(500);
		pass(1000);
		turn(0);
		assertThat(waitedMillis(read(false))).isEqualTo(1000);
	}

	@Test
	void aConnectionThatWasQuietForSomeTurnsHasNotWaited() {
		turnFor(500);
		pass(1000);
		turn(0);
		turn(PERIOD);
		turn(PERIOD);
		assertThat(waitedMillis(read(false))).isZero();
	}

	@Test
	void bytesAfterTheSocketWasEmptyHaveNotWaited() {
		turnFor(500);
		pass(1000);
		read(false);
		turn(0);
		assertThat(waitedMillis(read(false))).isZero();
	}

	@Test
	void bytesLeftInTheSocketHaveWaitedAsLongAsThoseReadBefore() {
		turnFor(500);
		pass(1000);
		read(true);
		turn(0);
		turnFor(1000);
		assertThat(waitedMillis(read(true))).isEqualTo(1000);
		assertThat(waitedMillis(read(false))).isEqualTo(1000);
		assertThat(waitedMillis(read(false))).isZero();
	}

	@Test
	void bytesThatAreNotRequestedWaitInTheSocket() {
		turnFor(500);
		this.channel.config().setAutoRead(false);
		read(false);
		pass(1000);
		turn(0);
		turnFor(1000);
		this.channel.read();
		assertThat(waitedMillis(read(false))).isEqualTo(1000);
	}

	@Test
	void aReadThatIsRequestedDuringAReadIsNoticed() {
		this.channel.config().setAutoRead(false);
		this.channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {

			@Override
			public void channelRead(ChannelHandlerContext context, Object message) {
				context.read();
				ReferenceCountUtil.release(message);
			}

		});
		read(false);
		turnFor(500);
		pass(1000);
		turnFor(500);
		assertThat(waitedMillis(read(false))).isZero();
	}

	@Test
	void aNewConnectionMayHaveWaitedToBeAccepted() {
		turnFor(500);
		pass(1000);
		this.accepting.turn();
		this.turns.turn();
		accept();
		assertThat(waitedMillis(read(false))).isEqualTo(1000);
	}

	@Test
	void aNewConnectionMayHaveWaitedForTheLoopThatAcceptsAlone() {
		for (int i = 0; i < 20; i++) {
			pass(PERIOD);
			this.turns.turn();
		}
		accept();
		assertThat(waitedMillis(read(false))).isEqualTo(20 * PERIOD);
	}

	@Test
	void aConnectionThatComesLaterHasNotWaited() {
		turnFor(500);
		pass(1000);
		turn(0);
		turnFor(LoopTurns.REMEMBERED * PERIOD);
		accept();
		assertThat(waitedMillis(read(false))).isZero();
	}

	@Test
	void aLoopThatIsAlwaysLateRefusesNobodyForWhatWasLongAgo() {
		for (int i = 0; i < 100; i++) {
			turn(300);
		}
		assertThat(waitedMillis(read(false))).isEqualTo(2 * 300);
	}

	@Test
	void itsOwnWaitGrowsWithTheStallsThatFollow() {
		turnFor(500);
		long earliest = read(false);
		turnFor(500);
		pass(700);
		assertThat(waitedMillis(earliest)).isEqualTo(700);
		turn(0);
		turnFor(500);
		assertThat(waitedMillis(earliest)).isEqualTo(700);
	}

	@Test
	void aRequestBehindAnAnswerHasNotWaitedForThatAnswer() {
		turnFor(500);
		read(false);
		pass(1000);
		this.socket.answered();
		turn(0);
		assertThat(waitedMillis(read(false))).isEqualTo(1000);
		assertThat(waitedMillis(this.socket.earliestBehindAnswer())).isZero();
	}

	@Test
	void aRequestBehindAnAnswerHasWaitedForALaterStall() {
		turnFor(500);
		read(false);
		this.socket.answered();
		turnFor(500);
		pass(4000);
		turn(0);
		read(false);
		assertThat(waitedMillis(this.socket.earliestBehindAnswer())).isEqualTo(4000);
	}

	private void accept() {
		this.socket = new SocketWatch(this.turns, this.accepting);
		this.channel = new EmbeddedChannel(this.socket);
	}

	/* A full buffer says that there may be more. */
	private long read(boolean isFull) {
		ByteBuf bytes = isFull ? Unpooled.wrappedBuffer(new byte[8]) : Unpooled.buffer(16).writeLong(1);
		this.channel.pipeline().fireChannelRead(bytes);
		return this.socket.earliest();
	}

	private long waitedMillis(long earliest) {
		return TimeUnit.NANOSECONDS.toMillis(this.turns.stalledNanos() - earliest);
	}

	private void pass(long millis) {
		this.now += TimeUnit.MILLISECONDS.toNanos(millis);
	}

	private void turn(long afterMillis) {
		pass(afterMillis);
		this.turns.turn();
		this.accepting.turn();
	}

	private void turnFor(long millis) {
		for (long passed = 0; passed < millis; passed += PERIOD) {
			turn(PERIOD);
		}
	}

}
