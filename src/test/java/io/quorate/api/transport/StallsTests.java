package io.quorate.api.transport;

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
class StallsTests {

	private static final long PERIOD = Stalls.PERIOD.toMillis();

	private long now = 1_000_000_000_000L;

	private final Stalls stalls = new Stalls(() -> this.now);

	private final Stalls.Loop loop = this.stalls.of(new EmbeddedChannel().eventLoop());

	private final Stalls.Loop accepting = this.stalls.of(new EmbeddedChannel().eventLoop());

	private PipelineGate gate = new PipelineGate();

	private Arrival arrival = new Arrival(this.loop, this.accepting, this.gate);

	private EmbeddedChannel channel = new EmbeddedChannel(this.arrival, this.gate);

	@AfterEach
	void end() {
		this.channel.finishAndReleaseAll();
	}

	@Test
	void nothingHasWaitedWhileTheLoopTurns() {
		for (int i = 0; i < 100; i++) {
			turn(PERIOD + i);
			assertThat(waitedMillisOfNext(false)).isZero();
		}
	}

	@Test
	void aStallCountsBeforeItIsOver() {
		turnFor(500);
		pass(1000);
		assertThat(waitedMillisOfNext(false)).isEqualTo(1000);
	}

	@Test
	void aShortGapIsNone() {
		turnFor(500);
		pass(Stalls.LEAST.toMillis());
		assertThat(waitedMillisOfNext(false)).isZero();
	}

	@Test
	void bytesFoundByTheTurnAfterAStallHaveWaited() {
		read(false);
		turnFor(500);
		turn(1000);
		assertThat(waitedMillisOfNext(false)).isEqualTo(1000);
	}

	@Test
	void aConnectionThatWasQuietForSomeTurnsHasNotWaited() {
		read(false);
		turnFor(500);
		turn(1000);
		turn(PERIOD);
		turn(PERIOD);
		assertThat(waitedMillisOfNext(false)).isZero();
	}

	@Test
	void bytesAfterTheSocketWasEmptyHaveNotWaited() {
		turnFor(500);
		pass(1000);
		read(false);
		turn(0);
		assertThat(waitedMillisOfNext(false)).isZero();
	}

	@Test
	void bytesLeftInTheSocketHaveWaitedAsLongAsThoseReadBefore() {
		read(false);
		turnFor(500);
		pass(1000);
		read(true);
		turn(0);
		turnFor(1000);
		assertThat(waitedMillisOfNext(true)).isEqualTo(1000);
		assertThat(waitedMillisOfNext(false)).isEqualTo(1000);
		assertThat(waitedMillisOfNext(false)).isZero();
	}

	@Test
	void bytesThatAreNotRequestedWaitInTheSocket() {
		turnFor(500);
		this.channel.config().setAutoRead(false);
		read(false);
		turn(1000);
		turnFor(1000);
		this.channel.read();
		assertThat(waitedMillisOfNext(false)).isEqualTo(1000);
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
		turn(1000);
		turnFor(500);
		assertThat(waitedMillisOfNext(false)).isZero();
	}

	@Test
	void aNewConnectionMayHaveWaitedToBeAccepted() {
		turnFor(500);
		turn(1000);
		accept();
		assertThat(waitedMillisOfNext(false)).isEqualTo(1000);
	}

	@Test
	void aNewConnectionMayHaveWaitedForTheLoopThatAcceptsAlone() {
		for (int i = 0; i < 20; i++) {
			pass(PERIOD);
			this.loop.turn();
		}
		accept();
		assertThat(waitedMillisOfNext(false)).isEqualTo(20 * PERIOD);
	}

	@Test
	void aNewConnectionThatIsQuietHasNotWaited() {
		accept();
		turnFor(500);
		turn(1000);
		turnFor(500);
		assertThat(waitedMillisOfNext(false)).isZero();
	}

	@Test
	void aConnectionThatComesLaterHasNotWaited() {
		turnFor(500);
		turn(1000);
		turnFor(Stalls.REMEMBERED * PERIOD);
		accept();
		assertThat(waitedMillisOfNext(false)).isZero();
	}

	@Test
	void aLoopThatIsAlwaysLateRefusesNobodyForWhatWasLongAgo() {
		read(false);
		for (int i = 0; i < 100; i++) {
			turn(300);
		}
		assertThat(waitedMillisOfNext(false)).isEqualTo(2 * 300);
	}

	@Test
	void itsOwnWaitGrowsWithTheStallsThatFollow() {
		turnFor(500);
		read(false);
		turnFor(500);
		pass(700);
		assertThat(waitedMillis()).isEqualTo(700);
		turn(0);
		turnFor(500);
		assertThat(waitedMillis()).isEqualTo(700);
	}

	@Test
	void theEndOfABodyHasNotWaitedForWhatCameBeforeIt() {
		read(false);
		this.gate.begins();
		turn(1000);
		turnFor(500);
		assertThat(waitedMillisOfNext(false)).isZero();
	}

	@Test
	void aRequestBehindOneThatIsNotAnsweredHasWaitedSinceItsOwnRead() {
		ask();
		turn(1000);
		turnFor(500);
		read(false);
		turn(700);
		assertThat(waitedMillis()).as("the first one").isEqualTo(1700);
		answer();
		assertThat(waitedMillis()).as("the second one").isEqualTo(700);
		begin();
		answer();
		assertThat(waitedMillisOfNext(false)).isEqualTo(700);
	}

	@Test
	void aClientThatAlwaysPipelinesIsNotRefusedForWhatWasLongAgo() {
		ask();
		for (int i = 0; i < 100; i++) {
			read(false);
			turn(300);
			answer();
			assertThat(waitedMillis()).isLessThanOrEqualTo(2 * 300);
			begin();
		}
	}

	@Test
	void requestsThatWereReadTogetherHaveNotComeBehindTheirAnswers() {
		turnFor(500);
		turn(1000);
		ask();
		answer();
		assertThat(waitedMillis()).isEqualTo(1000);
	}

	@Test
	void aRequestThatTheGateHoldsHasNotComeWithALaterOne() {
		ask();
		read(false);
		// As TLS does until it has a whole record.
		this.channel.pipeline().context(this.gate).read();
		turn(1000);
		turnFor(500);
		this.gate.answered();
		read(false);
		this.channel.runPendingTasks();
		assertThat(waitedMillis()).isEqualTo(1000);
	}

	@Test
	void bytesThatComeWhileTheGateHoldsWaitInTheSocket() {
		ask();
		read(false);
		turn(1000);
		turnFor(500);
		answer();
		begin();
		answer();
		assertThat(waitedMillisOfNext(false)).isEqualTo(1000);
	}

	@Test
	void aRequestBehindAnAnswerHasNotWaitedForThatAnswer() {
		turnFor(500);
		ask();
		pass(1000);
		answer();
		turn(0);
		assertThat(waitedMillisOfNext(false)).isZero();
	}

	@Test
	void aRequestBehindAnAnswerHasWaitedForALaterStall() {
		turnFor(500);
		ask();
		answer();
		turnFor(500);
		turn(4000);
		assertThat(waitedMillisOfNext(false)).isEqualTo(4000);
	}

	@Test
	void aClientThatPipelinesDoesNotWaitForItsAnswers() {
		ask();
		read(false);
		answer();
		begin();
		pass(1000);
		answer();
		turn(0);
		assertThat(waitedMillisOfNext(false)).isEqualTo(1000);
	}

	private void ask() {
		read(false);
		begin();
	}

	private void begin() {
		this.gate.begins();
		this.gate.isWhole();
	}

	private void answer() {
		this.gate.answered();
		this.arrival.answered();
		this.channel.runPendingTasks();
	}

	private void accept() {
		this.gate = new PipelineGate();
		this.arrival = new Arrival(this.loop, this.accepting, this.gate);
		this.channel = new EmbeddedChannel(this.arrival, this.gate);
	}

	private long waitedMillisOfNext(boolean isFull) {
		read(isFull);
		return waitedMillis();
	}

	/* A full buffer says that there may be more. */
	private void read(boolean isFull) {
		ByteBuf bytes = isFull ? Unpooled.wrappedBuffer(new byte[8]) : Unpooled.buffer(16).writeLong(1);
		this.channel.writeInbound(bytes);
	}

	private long waitedMillis() {
		return TimeUnit.NANOSECONDS.toMillis(this.arrival.waitedNanos());
	}

	private void pass(long millis) {
		this.now += TimeUnit.MILLISECONDS.toNanos(millis);
	}

	private void turn(long afterMillis) {
		pass(afterMillis);
		this.loop.turn();
		this.accepting.turn();
	}

	private void turnFor(long millis) {
		for (long passed = 0; passed < millis; passed += PERIOD) {
			turn(PERIOD);
		}
	}

}
