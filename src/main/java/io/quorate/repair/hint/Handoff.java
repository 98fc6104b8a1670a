package io.quorate.repair.hint;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.quorate.clock.Deadline;
import io.quorate.repair.RepairProperties;
import io.quorate.repair.hint.HintMetrics.Drop;
import io.quorate.repair.rate.RateLimiter;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Delivers the hints of a log to their member, oldest first, while the member is up: no
 * more at once than its window, no more bytes a second than the rate limit. A hint that
 * is refused or not answered is sent again after a pause. It is given up if the member
 * never takes it although it takes other hints. Used by one thread; replies may come on
 * any thread.
 */
final class Handoff {

	/* Time whose bytes may be sent at once. */
	private static final Duration BURST = Duration.ofMillis(100);

	private static final Logger log = LoggerFactory.getLogger(Handoff.class);

	static final Duration DEADLINE = Duration.ofSeconds(5);

	static final long NOTHING_TO_DO_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(50).toNanos();

	private static final long SOON_NANOS = Duration.ofMillis(5).toNanos();

	private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

	/* Bytes of hints in memory; one more hint may exceed them. */
	private static final int MAX_UNSETTLED_BYTES = 4 << 20;

	/* Hints behind a late one may be done before it. */
	private static final int MAX_UNSETTLED = 1024;

	/*
	 * After so many attempts other hints come first: one that is never taken must not
	 * delay them.
	 */
	private static final int FEW_ATTEMPTS = 3;

	private static final int MOST_ATTEMPTS = 20;

	private Replica member;

	private final HintLog hints;

	private final HintEnvironment around;

	private final long windowMillis;

	private final HintMetrics.Peer metrics;

	private final Runnable wake;

	private final HintWindow window = new HintWindow();

	private final RateLimiter rateLimiter;

	/* In the order of the log; settled from the front. */
	private final Deque<Sending> unsettled = new ArrayDeque<>();

	private final Queue<Said> said = new ConcurrentLinkedQueue<>();

	private int underWay;

	private long unsettledBytes;

	private long pauseNanos = FIRST_PAUSE_NANOS;

	private long pausedUntil;

	private boolean wasUp;

	private boolean isCatchingUp;

	/**
	 * A handoff that has not begun.
	 * @param wake called when a reply has come
	 */
	Handoff(Replica member, HintLog hints, HintEnvironment around, RepairProperties properties,
			HintMetrics.Peer metrics, Runnable wake) {
		this.member = member;
		this.hints = hints;
		this.around = around;
		this.windowMillis = properties.hintWindow().toMillis();
		this.metrics = metrics;
		this.wake = wake;
		this.rateLimiter = RateLimiter.empty(properties.hints().bytesPerSecond().toBytes(), BURST,
				around.nanos().getAsLong());
		this.pausedUntil = around.nanos().getAsLong();
	}

	/** Delivers to this replica from now on: the member is reached at another address. */
	void deliverTo(Replica replica) {
		this.member = replica;
	}

	/**
	 * Takes the replies that have come, and sends the hints that may be sent.
	 * @return nanoseconds until there may be more to do, unless the thread is woken
	 */
	long turn() {
		takeReplies();
		settle();
		if (this.unsettled.isEmpty() && this.hints.isEmpty()) {
			complete();
			return NOTHING_TO_DO_NANOS;
		}
		if (!mayBegin()) {
			return LOOK_AGAIN_NANOS;
		}
		sendAgain(FEW_ATTEMPTS);
		sendNext();
		sendAgain(MOST_ATTEMPTS);
		settle();
		return SOON_NANOS;
	}

	private boolean mayBegin() {
		boolean isUp = this.around.isUp().test(this.member.nodeId());
		if (isUp && !this.wasUp) {
			log.info("{} is up: {} hints are handed over to it", this.member.nodeId(),
					this.hints.backlogSize().count());
			this.isCatchingUp = true;
			this.pauseNanos = FIRST_PAUSE_NANOS;
			this.pausedUntil = now();
		}
		this.wasUp = isUp;
		return isUp && now() - this.pausedUntil >= 0;
	}

	private void complete() {
		if (this.isCatchingUp) {
			log.info("All hints for {} are handed over", this.member.nodeId());
			this.isCatchingUp = false;
		}
		this.wasUp = this.around.isUp().test(this.member.nodeId());
	}

	private void sendAgain(int attempts) {
		if (this.underWay == this.unsettled.size()) {
			return;
		}
		for (Sending sending : this.unsettled) {
			if (sending.state == State.WAITING && sending.attempts < attempts && hasRoom()) {
				send(sending);
			}
		}
	}

	private void sendNext() {
		while (hasRoom() && this.unsettled.size() < MAX_UNSETTLED && this.unsettledBytes < MAX_UNSETTLED_BYTES) {
			StoredHint next = this.hints.next();
			if (next == null) {
				return;
			}
			Sending sending = new Sending(next);
			this.unsettled.add(sending);
			this.unsettledBytes += next.hint().sizeBytes();
			send(sending);
		}
	}

	private boolean hasRoom() {
		return this.underWay < this.window.size() && this.rateLimiter.isLeft(now()) && now() - this.pausedUntil >= 0;
	}

	private void send(Sending sending) {
		Hint hint = sending.hint.hint();
		if (hint.millis() < this.around.millis().getAsLong() - this.windowMillis) {
			this.metrics.dropped(Drop.EXPIRED, 1);
			sending.state = State.DONE;
			return;
		}
		this.rateLimiter.use(hint.sizeBytes(), now());
		this.underWay++;
		sending.state = State.SENT;
		sending.attempts++;
		sending.sentNanos = now();
		applied(hint).onErrorResume((broken) -> Mono.just(broken(broken))).subscribe((reply) -> {
			this.said.add(new Said(sending, reply, now()));
			this.wake.run();
		});
	}

	private Mono<WriteReply> applied(Hint hint) {
		try {
			return this.member.apply(hint.key(), hint.entry(), Origin.HINT, Deadline.after(DEADLINE));
		}
		catch (RuntimeException | Error broken) {
			return Mono.just(broken(broken));
		}
	}

	private static WriteReply broken(Throwable failure) {
		log.error("Bug: the replica threw an exception instead of replying with a failure", failure);
		return new WriteReply.Failed(new Failure(Reason.FAILED, String.valueOf(failure.getMessage())));
	}

	private void takeReplies() {
		for (Said reply = this.said.poll(); reply != null; reply = this.said.poll()) {
			this.underWay--;
			take(reply);
		}
	}

	private void take(Said reply) {
		Sending sending = reply.sending;
		switch (reply.reply) {
			case WriteReply.Applied _, WriteReply.Superseded _ -> {
				this.metrics.handedOver();
				sending.state = State.DONE;
				this.window.taken(sending.sentNanos, reply.saidNanos);
				this.pauseNanos = FIRST_PAUSE_NANOS;
			}
			case WriteReply.Failed(var failure) when failure.reason() == Reason.FENCED -> {
				this.metrics.dropped(Drop.FENCED, 1);
				sending.state = State.DONE;
			}
			case WriteReply.Promised _ -> {
				// The promise ends soon, and until then others are taken.
				waitForNode(sending);
				pause(reply.saidNanos);
			}
			case WriteReply.Failed(var failure) -> {
				log.debug("A hint was not taken by {}: {}", this.member.nodeId(), failure);
				waitOrGiveUp(sending, failure.reason());
				pause(reply.saidNanos);
			}
		}
	}

	/**
	 * A reason that concerns the node as a whole does not use up the attempts of the
	 * hint.
	 */
	private void waitOrGiveUp(Sending sending, Reason reason) {
		switch (reason) {
			case OVERLOADED, DISK_FULL, BROKEN, DRAINING, DISCONNECTED, REBUILDING, STALE_LAYOUT, LAYOUT_BEHIND ->
				waitForNode(sending);
			case CORRUPT, CLOCK_SKEW, JOINING, FENCED, STALE_ROUND, UNSUPPORTED, TIMEOUT, FAILED -> {
				sending.state = (sending.attempts < MOST_ATTEMPTS) ? State.WAITING : State.DONE;
				if (sending.state == State.DONE) {
					this.metrics.dropped(Drop.REFUSED, 1);
				}
			}
		}
	}

	private static void waitForNode(Sending sending) {
		sending.state = State.WAITING;
		sending.attempts = Math.min(sending.attempts, FEW_ATTEMPTS);
	}

	/** Counts all failures during one pause as one failure. */
	private void pause(long now) {
		if (now - this.pausedUntil >= 0) {
			this.window.failed();
			this.pausedUntil = now + this.pauseNanos;
			this.pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * this.pauseNanos);
		}
	}

	private void settle() {
		Sending first = this.unsettled.peekFirst();
		while (first != null && first.state == State.DONE) {
			this.unsettled.removeFirst();
			this.unsettledBytes -= first.hint.hint().sizeBytes();
			this.hints.settle(first.hint);
			first = this.unsettled.peekFirst();
		}
	}

	private long now() {
		return this.around.nanos().getAsLong();
	}

	private enum State {

		WAITING, SENT, DONE

	}

	/** A hint with the state of its delivery. */
	private static final class Sending {

		private final StoredHint hint;

		private State state = State.WAITING;

		private long sentNanos;

		private int attempts;

		private Sending(StoredHint hint) {
			this.hint = hint;
		}

	}

	/** The member's reply to one hint. */
	private record Said(Sending sending, WriteReply reply, long saidNanos) {
	}

}
