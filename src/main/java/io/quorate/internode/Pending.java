package io.quorate.internode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.netty.channel.EventLoop;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.rsocket.RSocket;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one connection that have no outcome yet, and the sweep over them: every
 * {@value #TICK_MILLIS} ms while there are any, instead of a timer for each. Belongs to
 * the event loop of the connection.
 */
final class Pending {

	static final int TICK_MILLIS = 10;

	/* A sweep this late says that this node stood still. */
	private static final long STALL_NANOS = Duration.ofMillis(15).toNanos();

	/** What the sweep notices besides deadlines. */
	interface Watch {

		/**
		 * Nothing was heard for so long with work outstanding; called at every sweep.
		 * @param late whether this node is itself behind with its work
		 */
		void silentFor(long nanos, boolean late);

	}

	private final EventLoop loop;

	private final Watch watch;

	private final Exchanges exchanges = new Exchanges();

	private long lastHeardNanos = System.nanoTime();

	/*
	 * Later by the time in which this node stood still: that is no silence of the peer.
	 */
	private long silentSinceNanos;

	private long sweepDueNanos;

	private boolean sweeping;

	private @Nullable String over;

	Pending(EventLoop loop, Watch watch) {
		this.loop = loop;
		this.watch = watch;
	}

	void send(Exchange exchange, RSocket rsocket, Exchange.Owner owner) {
		if (this.over != null || rsocket.isDisposed()) {
			exchange.refuse(Reason.DISCONNECTED, (this.over != null) ? this.over : "the connection is closed");
			return;
		}
		if (this.exchanges.isEmpty()) {
			this.silentSinceNanos = System.nanoTime();
		}
		this.exchanges.add(exchange);
		rsocket.requestResponse(exchange.take(owner)).subscribe(exchange);
		scheduleSweep();
	}

	/** Tells an outcome; {@code false} when it had been told. */
	boolean finish(Exchange exchange, Reply reply) {
		if (!this.exchanges.remove(exchange)) {
			return false;
		}
		exchange.finish(reply);
		return true;
	}

	/** Forgets an exchange whose outcome nobody wants to know. */
	void abandon(Exchange exchange) {
		if (this.exchanges.remove(exchange)) {
			exchange.giveUp(failed(Reason.TIMEOUT, "nobody waits for it any more"));
		}
	}

	void heard(long nowNanos) {
		this.lastHeardNanos = nowNanos;
		this.silentSinceNanos = nowNanos;
	}

	/** Time since something was heard, with or without work outstanding. */
	long notHeardForNanos() {
		return System.nanoTime() - this.lastHeardNanos;
	}

	/**
	 * How long nothing has been heard with work outstanding, apart from the time in which
	 * this node stood still.
	 */
	long silentForNanos() {
		return this.exchanges.isEmpty() ? 0 : System.nanoTime() - this.silentSinceNanos;
	}

	/** Ends everything, now and later. */
	void end(String why) {
		this.over = why;
		giveUp(this.exchanges.which((_) -> true), failed(Reason.FAILED, why + " with the request under way"));
	}

	private void scheduleSweep() {
		if (!this.sweeping && !this.exchanges.isEmpty()) {
			this.sweeping = true;
			this.sweepDueNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
			var _ = this.loop.schedule(this::sweep, TICK_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	private void sweep() {
		this.sweeping = false;
		long now = System.nanoTime();
		long lateNanos = now - this.sweepDueNanos;
		boolean late = lateNanos > STALL_NANOS;
		if (late) {
			this.silentSinceNanos = Math.min(now, this.silentSinceNanos + lateNanos);
		}
		if (!this.exchanges.isEmpty()) {
			this.watch.silentFor(now - this.silentSinceNanos, late);
		}
		try {
			giveUp(this.exchanges.which((each) -> each.isExpired(now)),
					failed(Reason.TIMEOUT, "no reply before the deadline"));
		}
		finally {
			scheduleSweep();
		}
	}

	/** What hears of one may end others. */
	private void giveUp(List<Exchange> some, Reply outcome) {
		for (Exchange exchange : some) {
			if (this.exchanges.remove(exchange)) {
				exchange.giveUp(outcome);
			}
		}
	}

	private static Reply.Failed failed(Reason reason, String detail) {
		return new Reply.Failed(new Failure(reason, detail));
	}

}
