package io.quorate.internode.peer;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.quorate.clock.Deadline;
import io.quorate.internode.wire.Reply;
import io.quorate.replica.Failure.Reason;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.util.DefaultPayload;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
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

	private final RSocket silentPeer = new RSocket() {

		@Override
		public Mono<Payload> requestResponse(Payload payload) {
			payload.release();
			return Mono.never();
		}

	};

	@AfterEach
	void close() {
		this.loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
	}

	@Test
	void silenceGrowsWhileARequestIsOutstanding() {
		send(new Deadline(Long.MAX_VALUE / 2));
		Awaitility.await().atMost(PATIENCE).until(() -> longestSilence() > 200 * MILLI);
	}

	@Test
	void silenceIsFoundByALoopThatIsAlwaysLate() {
		send(new Deadline(Long.MAX_VALUE / 2));
		this.loop.execute(this::keepBusy);
		Awaitility.await().atMost(Duration.ofSeconds(3)).until(() -> longestSilence() > 50 * MILLI);
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
		Awaitility.await().atMost(PATIENCE).until(() -> this.silences.size() > 2);
		assertThat(this.silences.stream().limit(3)).allMatch((silence) -> silence < 200 * MILLI);
	}

	@Test
	void aReceivedMessageEndsTheSilence() {
		send(new Deadline(Long.MAX_VALUE / 2));
		Awaitility.await().atMost(PATIENCE).until(() -> longestSilence() > 100 * MILLI);
		this.loop.submit(() -> {
			this.inFlightRequests.heard(System.nanoTime());
			this.silences.clear();
		}).syncUninterruptibly();
		Awaitility.await().atMost(PATIENCE).until(() -> !this.silences.isEmpty());
		assertThat(this.silences.element()).isLessThan(100 * MILLI);
	}

	@Test
	void eachRequestEndsAtItsOwnDeadline() {
		send(in(120_000));
		send(in(50));
		send(new Deadline(Long.MAX_VALUE / 2));
		Awaitility.await().atMost(PATIENCE).until(() -> !this.outcomes.isEmpty());
		Deadline later = in(100);
		Awaitility.await().atMost(PATIENCE).until(later::isExpired);
		assertThat(this.outcomes).hasSize(1);
		this.loop.submit(() -> this.inFlightRequests.end("over")).syncUninterruptibly();
		assertThat(this.outcomes).extracting((reply) -> ((Reply.Failed) reply).failure().reason())
			.containsExactly(Reason.TIMEOUT, Reason.FAILED, Reason.FAILED);
	}

	@Test
	void requestThatCannotBeCancelledHasItsOutcomeAndHoldsUpNoOther() {
		Deadline soon = in(500);
		send(soon);
		send(soon, new RSocket() {

			@Override
			public Mono<Payload> requestResponse(Payload payload) {
				payload.release();
				return Mono.<Payload>never().doOnCancel(() -> {
					throw new OutOfMemoryError("no room to say so");
				});
			}

		});
		send(soon);
		Awaitility.await().atMost(PATIENCE).until(() -> this.outcomes.size() == 3);
		assertThat(this.outcomes).extracting((reply) -> ((Reply.Failed) reply).failure().reason())
			.containsExactly(Reason.TIMEOUT, Reason.TIMEOUT, Reason.TIMEOUT);
	}

	private void send(Deadline deadline) {
		send(deadline, this.silentPeer);
	}

	private void send(Deadline deadline, RSocket peer) {
		InFlightRequest inFlightRequest = new InFlightRequest(DefaultPayload.create("request"), deadline,
				this.outcomes::add);
		this.loop.submit(() -> this.inFlightRequests.send(inFlightRequest, peer, new InFlightRequest.Owner() {

			@Override
			public void replied(InFlightRequest replied, Reply.Envelope reply) {
				throw new AssertionError("a reply of a silent peer");
			}

			@Override
			public void failed(InFlightRequest failed, Throwable failure) {
				throw new AssertionError(failure);
			}

		})).syncUninterruptibly();
	}

	private long longestSilence() {
		return this.silences.stream().mapToLong(Long::longValue).max().orElse(0);
	}

}
