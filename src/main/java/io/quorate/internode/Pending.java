package io.quorate.internode;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.netty.channel.EventLoop;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.rsocket.RSocket;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one connection that have no outcome yet, oldest first, and the sweep
 * over them: every {@value #TICK_MILLIS} ms while there are any, instead of a timer for
 * each. Belongs to the event loop of the connection.
 */
final class Pending {

	static final int TICK_MILLIS = 10;

	/* A sweep this late says that this node stood still, not that its peer is silent. */
	private static final long STALL_NANOS = Duration.ofMillis(15).toNanos();

	/** What the sweep notices besides deadlines. */
	interface Watch {

		/**
		 * Nothing was heard for so long with work outstanding; called at every sweep.
		 */
		void silentFor(long nanos);

	}

	private final EventLoop loop;

	private final Watch watch;

	private final Set<Exchange> exchanges = new LinkedHashSet<>();

	private long lastHeardNanos = System.nanoTime();

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
	}

	/** Ends everything, now and later. */
	void end(String why) {
		this.over = why;
		for (Exchange exchange : List.copyOf(this.exchanges)) {
			if (this.exchanges.remove(exchange)) {
				exchange.giveUp(failed(Reason.FAILED, why + " with the request under way"));
			}
		}
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
		boolean stalled = now - this.sweepDueNanos > STALL_NANOS;
		if (!stalled && !this.exchanges.isEmpty()) {
			long oldest = this.exchanges.iterator().next().createdNanos();
			this.watch.silentFor(Math.min(now - this.lastHeardNanos, now - oldest));
		}
		expire(now);
		scheduleSweep();
	}

	private void expire(long now) {
		for (Exchange exchange : this.exchanges.stream().filter((each) -> each.isExpired(now)).toList()) {
			if (this.exchanges.remove(exchange)) {
				exchange.giveUp(failed(Reason.TIMEOUT, "no reply before the deadline"));
			}
		}
	}

	private static Reply.Failed failed(Reason reason, String detail) {
		return new Reply.Failed(new Failure(reason, detail));
	}

}
