package io.quorate.internode.peer;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.clock.Deadline;
import io.quorate.internode.ScarceAllocator;
import io.quorate.internode.frame.FrameConnection;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.SentMessages;
import io.quorate.internode.wire.Versions;
import io.quorate.internode.wire.Wire;
import io.quorate.replica.Failure.Reason;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.netty.Connection;

import static io.quorate.internode.wiring.InternodeFixture.in;
import static org.assertj.core.api.Assertions.assertThat;

/** Requests that no peer answers, on an event loop that has other things to do. */
class InFlightRequestsTests {

	private static final long MILLI = Duration.ofMillis(1).toNanos();

	private final EventLoop loop = new DefaultEventLoop();

	private final Queue<Long> silences = new ConcurrentLinkedQueue<>();

	private final Queue<Reply> outcomes = new ConcurrentLinkedQueue<>();

	private final InFlightRequests inFlightRequests = new InFlightRequests(this.loop,
			(nanos, _) -> this.silences.add(nanos));

	private final Budget budget = new Budget(Long.MAX_VALUE);

	private final EmbeddedChannel channel = new EmbeddedChannel();

	private final FrameConnection silentPeer = FrameConnection.connected(Connection.from(this.channel), 1 << 20,
			Duration.ofSeconds(3), Versions.of(Wire.VERSION), new Silence());

	@BeforeEach
	void sendSetup() {
		this.channel.runPendingTasks();
		this.channel.releaseOutbound();
	}

	@AfterEach
	void close() {
		this.loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
		var _ = this.channel.close();
		this.channel.runPendingTasks();
		this.channel.releaseOutbound();
	}

	@Test
	void silenceGrowsWhileARequestIsOutstanding() {
		send(new Deadline(Long.MAX_VALUE / 2));
		Awaitility.await().until(() -> longestSilence() > 200 * MILLI);
	}

	@Test
	void silenceIsFoundByALoopThatIsAlwaysLate() {
		send(new Deadline(Long.MAX_VALUE / 2));
		this.loop.execute(this::keepBusy);
		Awaitility.await().until(() -> longestSilence() > 50 * MILLI);
	}

	/* Keeps the calling thread busy: waiting is not allowed on an event loop. */
	private static void standStill(int millis) {
		Deadline end = in(millis);
		long looked = 0;
		while (!end.isExpired()) {
			looked++;
		}
		assertThat(looked).isPositive();
	}

	private void keepBusy() {
		standStill(30);
		if (!this.loop.isShuttingDown()) {
			this.loop.execute(this::keepBusy);
		}
	}

	@Test
	void timeInWhichThisNodeStoodStillIsNoSilence() {
		send(new Deadline(Long.MAX_VALUE / 2));
		this.loop.execute(() -> standStill(1000));
		Awaitility.await().until(() -> this.silences.size() > 2);
		assertThat(this.silences.stream().limit(3)).allMatch((silence) -> silence < 200 * MILLI);
	}

	@Test
	void aReceivedMessageEndsTheSilence() {
		send(new Deadline(Long.MAX_VALUE / 2));
		Awaitility.await().until(() -> longestSilence() > 100 * MILLI);
		this.loop.submit(() -> {
			this.inFlightRequests.heard(System.nanoTime());
			this.silences.clear();
		}).syncUninterruptibly();
		Awaitility.await().until(() -> !this.silences.isEmpty());
		assertThat(this.silences.element()).isLessThan(100 * MILLI);
	}

	@Test
	void eachRequestEndsAtItsOwnDeadline() {
		send(in(120_000));
		send(in(50));
		send(new Deadline(Long.MAX_VALUE / 2));
		Awaitility.await().until(() -> !this.outcomes.isEmpty());
		Deadline later = in(100);
		Awaitility.await().until(later::isExpired);
		assertThat(this.outcomes).hasSize(1);
		this.loop.submit(() -> this.inFlightRequests.end("over")).syncUninterruptibly();
		assertThat(this.outcomes).extracting((reply) -> ((Reply.Failed) reply).failure().reason())
			.containsExactly(Reason.TIMEOUT, Reason.FAILED, Reason.FAILED);
	}

	@Test
	void aStreamIsUsedByOneRequestAtATime() {
		InFlightRequest first = send(in(120_000));
		InFlightRequest second = send(in(120_000));
		assertThat(List.of(first.stream, second.stream)).containsExactly(1, 3);
		assertThat(this.inFlightRequests.of(3)).isSameAs(second);
		this.loop.submit(() -> this.inFlightRequests.abandon(second)).syncUninterruptibly();
		assertThat(this.inFlightRequests.of(3)).isNull();
		assertThat(this.outcomes).hasSize(1);
	}

	@Test
	void theNumbersOfStreamsBeginAgainAndLeaveOutThoseInUse() {
		assertThat(send(in(120_000)).stream).isOne();
		this.inFlightRequests.lastStream = Integer.MAX_VALUE - 2;
		assertThat(send(in(120_000)).stream).isEqualTo(Integer.MAX_VALUE);
		assertThat(send(in(120_000)).stream).as("the first is in use").isEqualTo(3);
	}

	@Test
	void aRequestThatCannotBeSentEndsItsConnectionAndHoldsUpNoOther() {
		this.channel.config().setAllocator(new ScarceAllocator(0));
		send(in(120_000));
		assertThat(this.silentPeer.isClosed()).isTrue();
		InFlightRequest second = send(in(120_000));
		assertThat(second.stream).as("it was never sent").isZero();
		this.loop.submit(() -> this.inFlightRequests.end("over")).syncUninterruptibly();
		assertThat(this.outcomes).extracting((reply) -> ((Reply.Failed) reply).failure().reason())
			.containsExactly(Reason.DISCONNECTED, Reason.FAILED);
		assertThat(this.budget.taken()).isZero();
	}

	private InFlightRequest send(Deadline deadline) {
		InFlightRequest inFlightRequest = new InFlightRequest(
				SentMessages.of(new byte[100], ByteBufAllocator.DEFAULT, this.budget), Wire.VERSION, deadline,
				this.outcomes::add);
		this.loop.submit(() -> this.inFlightRequests.send(inFlightRequest, this.silentPeer)).syncUninterruptibly();
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
