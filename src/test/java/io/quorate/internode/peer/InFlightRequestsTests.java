package io.quorate.internode.peer;

import java.util.concurrent.atomic.AtomicLong;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.clock.Deadline;
import io.quorate.internode.ScarceAllocator;
import io.quorate.internode.frame.FrameConnection;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.SentMessages;
import io.quorate.replica.Failure.Reason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.netty.Connection;

import static io.quorate.internode.wiring.InternodeFixture.in;
import static org.assertj.core.api.Assertions.assertThat;

/** Requests that no peer answers, on an event loop whose time a test lets pass. */
class InFlightRequestsTests {

	private static final long MILLI = Duration.ofMillis(1).toNanos();

	private final AtomicLong nanos = new AtomicLong();

	/* Its event loop is driven by hand. */
	private final EmbeddedChannel time = new EmbeddedChannel();

	private final Queue<Long> silences = new ConcurrentLinkedQueue<>();

	private final Queue<Reply> outcomes = new ConcurrentLinkedQueue<>();

	private final InFlightRequests inFlightRequests = new InFlightRequests(this.time.eventLoop(),
			(silence, _) -> this.silences.add(silence), this.nanos::get);

	private final Budget budget = new Budget(Long.MAX_VALUE);

	private final EmbeddedChannel channel = new EmbeddedChannel();

	private final FrameConnection silentPeer = FrameConnection.connected(Connection.from(this.channel), 1 << 20,
			Duration.ofSeconds(3), new Silence());

	@BeforeEach
	void sendSetup() {
		this.time.freezeTime();
		this.channel.runPendingTasks();
		this.channel.releaseOutbound();
	}

	@AfterEach
	void close() {
		this.time.finishAndReleaseAll();
		var _ = this.channel.close();
		this.channel.runPendingTasks();
		this.channel.releaseOutbound();
	}

	private void pass(int millis) {
		for (int i = 0; i < millis; i++) {
			standStill(1);
			this.time.runScheduledPendingTasks();
		}
	}

	/* Lets time pass in which the event loop does something else. */
	private void standStill(int millis) {
		this.nanos.addAndGet(millis * MILLI);
		this.time.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
	}

	private Deadline after(int millis) {
		return new Deadline(this.nanos.get() + millis * MILLI);
	}

	@Test
	void silenceGrowsWhileARequestIsOutstanding() {
		send(new Deadline(Long.MAX_VALUE / 2));
		pass(250);
		assertThat(longestSilence()).isGreaterThan(200 * MILLI);
	}

	@Test
	void silenceIsFoundByALoopThatIsAlwaysLate() {
		send(new Deadline(Long.MAX_VALUE / 2));
		for (int turn = 0; turn < 10; turn++) {
			standStill(30);
			this.time.runScheduledPendingTasks();
		}
		assertThat(longestSilence()).isGreaterThan(50 * MILLI);
	}

	@Test
	void timeInWhichThisNodeStoodStillIsNoSilence() {
		send(new Deadline(Long.MAX_VALUE / 2));
		standStill(1000);
		pass(30);
		assertThat(this.silences).hasSizeGreaterThan(2).allMatch((silence) -> silence < 50 * MILLI);
	}

	@Test
	void aReceivedMessageEndsTheSilence() {
		send(new Deadline(Long.MAX_VALUE / 2));
		pass(150);
		assertThat(longestSilence()).isGreaterThan(100 * MILLI);
		this.inFlightRequests.heard(this.nanos.get());
		this.silences.clear();
		pass(20);
		assertThat(this.silences).isNotEmpty().allMatch((silence) -> silence <= 20 * MILLI);
	}

	@Test
	void eachRequestEndsAtItsOwnDeadline() {
		send(after(120_000));
		send(after(50));
		send(new Deadline(Long.MAX_VALUE / 2));
		pass(49);
		assertThat(this.outcomes).isEmpty();
		pass(200);
		assertThat(this.outcomes).hasSize(1);
		this.inFlightRequests.end("over");
		assertThat(this.outcomes).extracting((reply) -> ((Reply.Failed) reply).failure().reason())
			.containsExactly(Reason.TIMEOUT, Reason.FAILED, Reason.FAILED);
	}

	@Test
	void aRequestThatOnlyWaitsLeavesAConnectionIdle() {
		assertThat(this.inFlightRequests.isIdle()).isTrue();
		send(after(120_000)).waits();
		assertThat(this.inFlightRequests.isIdle()).isTrue();
		InFlightRequest other = send(after(120_000));
		assertThat(this.inFlightRequests.isIdle()).isFalse();
		this.inFlightRequests.abandon(other);
		assertThat(this.inFlightRequests.isIdle()).isTrue();
	}

	@Test
	void aStreamIsUsedByOneRequestAtATime() {
		InFlightRequest first = send(after(120_000));
		InFlightRequest second = send(after(120_000));
		assertThat(List.of(first.stream, second.stream)).containsExactly(1, 3);
		assertThat(this.inFlightRequests.of(3)).isSameAs(second);
		this.inFlightRequests.abandon(second);
		assertThat(this.inFlightRequests.of(3)).isNull();
		assertThat(this.outcomes).hasSize(1);
	}

	@Test
	void theNumbersOfStreamsBeginAgainAndLeaveOutThoseInUse() {
		assertThat(send(after(120_000)).stream).isOne();
		this.inFlightRequests.lastStream = Integer.MAX_VALUE - 2;
		assertThat(send(after(120_000)).stream).isEqualTo(Integer.MAX_VALUE);
		assertThat(send(after(120_000)).stream).as("the first is in use").isEqualTo(3);
	}

	@Test
	void aRequestThatCannotBeSentEndsItsConnectionAndHoldsUpNoOther() {
		this.channel.config().setAllocator(new ScarceAllocator(0));
		send(after(120_000));
		assertThat(this.silentPeer.isClosed()).isTrue();
		InFlightRequest second = send(after(120_000));
		assertThat(second.stream).as("it was never sent").isZero();
		this.inFlightRequests.end("over");
		assertThat(this.outcomes).extracting((reply) -> ((Reply.Failed) reply).failure().reason())
			.containsExactly(Reason.DISCONNECTED, Reason.FAILED);
		assertThat(this.budget.taken()).isZero();
	}

	private InFlightRequest send(Deadline deadline) {
		InFlightRequest inFlightRequest = new InFlightRequest(
				SentMessages.of(new byte[100], ByteBufAllocator.DEFAULT, this.budget), deadline, this.outcomes::add);
		this.inFlightRequests.send(inFlightRequest, this.silentPeer);
		return inFlightRequest;
	}

	private long longestSilence() {
		return this.silences.stream().mapToLong(Long::longValue).max().orElse(0);
	}

	private static final class Silence implements FrameConnection.Receiver {

		@Override
		public @Nullable String objection(ByteBuf frame) {
			throw new AssertionError("a frame of a silent peer");
		}

		@Override
		public boolean expects(int stream) {
			return false;
		}

		@Override
		public void received(int stream, ByteBuf message) {
			throw new AssertionError("a reply of a silent peer");
		}

		@Override
		public void cancelled(int stream) {
			throw new AssertionError("a frame of a silent peer");
		}

		@Override
		public void failed(int stream, String why) {
			throw new AssertionError(why);
		}

		@Override
		public void refuse(String why) {
			throw new AssertionError(why);
		}

		@Override
		public void closed() {
			// The requests learn it otherwise.
		}

	}

}
