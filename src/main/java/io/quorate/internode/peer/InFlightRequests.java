package io.quorate.internode.peer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.netty.channel.EventLoop;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.quorate.internode.frame.FrameConnection;
import io.quorate.internode.wire.Reply;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one connection that have no outcome yet, and the sweep over them: every
 * {@value #TICK_MILLIS} ms while there are any, instead of a timer for each. Belongs to
 * the event loop of the connection.
 */
final class InFlightRequests {

	static final int TICK_MILLIS = 10;

	/* A sweep that is this late shows that this node stood still. */
	private static final long STALL_NANOS = Duration.ofMillis(15).toNanos();

	/** A listener for silence, which the sweep notices besides deadlines. */
	interface Watch {

		/**
		 * Nothing was heard for so long with work outstanding; called at every sweep.
		 * @param late whether this node is itself behind with its work
		 */
		void silentFor(long nanos, boolean late);

	}

	private final EventLoop loop;

	private final Watch watch;

	private final LongSupplier nanoTime;

	private final InFlightList inFlightList = new InFlightList();

	private final IntObjectMap<InFlightRequest> byStream = new IntObjectHashMap<>();

	/* Number of the latest stream; tests set it near its end. */
	int lastStream = -1;

	private @Nullable FrameConnection frames;

	private long lastHeardNanos;

	/*
	 * Moved on by the time in which this node stood still: that is no silence of the
	 * peer.
	 */
	private long silentSinceNanos;

	private long sweepDueNanos;

	private boolean sweeping;

	private @Nullable String over;

	InFlightRequests(EventLoop loop, Watch watch) {
		this(loop, watch, System::nanoTime);
	}

	InFlightRequests(EventLoop loop, Watch watch, LongSupplier nanoTime) {
		this.loop = loop;
		this.watch = watch;
		this.nanoTime = nanoTime;
		this.lastHeardNanos = nanoTime.getAsLong();
	}

	void send(InFlightRequest inFlightRequest, FrameConnection frames) {
		if (this.over != null || frames.isClosed()) {
			inFlightRequest.refuse(Reason.DISCONNECTED, (this.over != null) ? this.over : "the connection is closed");
			return;
		}
		if (this.inFlightList.isEmpty()) {
			this.silentSinceNanos = this.nanoTime.getAsLong();
		}
		this.inFlightList.add(inFlightRequest);
		inFlightRequest.stream = nextStream();
		this.byStream.put(inFlightRequest.stream, inFlightRequest);
		this.frames = frames;
		frames.send(inFlightRequest.stream, inFlightRequest.take());
		scheduleSweep();
	}

	/* Odd and positive. After 2^30 requests the numbers begin again. */
	private int nextStream() {
		do {
			this.lastStream = (this.lastStream + 2) & Integer.MAX_VALUE;
		}
		while (this.byStream.containsKey(this.lastStream));
		return this.lastStream;
	}

	/**
	 * Whether nothing is asked for but to wait for something, which may be asked again.
	 */
	boolean isIdle() {
		return this.inFlightList.which((each) -> !each.isWait()).isEmpty();
	}

	/** The request that waits for a reply in a stream, or {@code null}. */
	@Nullable InFlightRequest of(int stream) {
		return this.byStream.get(stream);
	}

	/** Reports an outcome; {@code false} when one had been reported. */
	boolean finish(InFlightRequest inFlightRequest, Reply reply) {
		if (!remove(inFlightRequest)) {
			return false;
		}
		inFlightRequest.finish(reply);
		return true;
	}

	/** Gives up a request: its caller does not wait for the outcome any more. */
	void abandon(InFlightRequest inFlightRequest) {
		giveUp(List.of(inFlightRequest), failed(Reason.TIMEOUT, "its caller does not wait for it any more"));
	}

	void heard(long nowNanos) {
		this.lastHeardNanos = nowNanos;
		this.silentSinceNanos = nowNanos;
	}

	/** Time since something was heard, with or without work outstanding. */
	long notHeardForNanos() {
		return this.nanoTime.getAsLong() - this.lastHeardNanos;
	}

	/**
	 * Time without a message of the peer with work outstanding, apart from the time in
	 * which this node stood still.
	 */
	long silentForNanos() {
		return this.inFlightList.isEmpty() ? 0 : this.nanoTime.getAsLong() - this.silentSinceNanos;
	}

	/** Ends all requests, those that are sent later included. */
	void end(String why) {
		this.over = why;
		giveUp(this.inFlightList.which((_) -> true), failed(Reason.FAILED, why + " with the request under way"));
	}

	private void scheduleSweep() {
		if (!this.sweeping && !this.inFlightList.isEmpty()) {
			this.sweepDueNanos = this.nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
			var _ = this.loop.schedule(this::sweep, TICK_MILLIS, TimeUnit.MILLISECONDS);
			this.sweeping = true;
		}
	}

	private void sweep() {
		this.sweeping = false;
		long now = this.nanoTime.getAsLong();
		long lateNanos = now - this.sweepDueNanos;
		boolean late = lateNanos > STALL_NANOS;
		if (late) {
			this.silentSinceNanos = Math.min(now, this.silentSinceNanos + lateNanos);
		}
		if (!this.inFlightList.isEmpty()) {
			this.watch.silentFor(now - this.silentSinceNanos, late);
		}
		try {
			giveUp(this.inFlightList.which((each) -> each.isExpired(now)),
					failed(Reason.TIMEOUT, "no reply before the deadline"));
		}
		finally {
			scheduleSweep();
		}
	}

	/*
	 * Their replies are dropped. The receiver of one outcome may end others of them.
	 */
	private void giveUp(List<InFlightRequest> some, Reply outcome) {
		for (InFlightRequest inFlightRequest : some) {
			if (remove(inFlightRequest)) {
				if (this.frames != null) {
					this.frames.sendCancel(inFlightRequest.stream);
				}
				inFlightRequest.finish(outcome);
			}
		}
	}

	private boolean remove(InFlightRequest inFlightRequest) {
		if (!this.inFlightList.remove(inFlightRequest)) {
			return false;
		}
		this.byStream.remove(inFlightRequest.stream);
		return true;
	}

	private static Reply.Failed failed(Reason reason, String detail) {
		return new Reply.Failed(new Failure(reason, detail));
	}

	/**
	 * The requests without an outcome, linked to each other through themselves: to add or
	 * remove one costs nothing. A request is a member of one such list in its life.
	 */
	private static final class InFlightList {

		private @Nullable InFlightRequest first;

		boolean isEmpty() {
			return this.first == null;
		}

		void add(InFlightRequest inFlightRequest) {
			InFlightRequest second = this.first;
			inFlightRequest.next = second;
			if (second != null) {
				second.previous = inFlightRequest;
			}
			this.first = inFlightRequest;
			inFlightRequest.member = true;
		}

		/** Removes a request, and returns whether it was a member. */
		boolean remove(InFlightRequest inFlightRequest) {
			if (!inFlightRequest.member) {
				return false;
			}
			inFlightRequest.member = false;
			InFlightRequest before = inFlightRequest.previous;
			InFlightRequest after = inFlightRequest.next;
			if (before != null) {
				before.next = after;
			}
			else {
				this.first = after;
			}
			if (after != null) {
				after.previous = before;
			}
			inFlightRequest.previous = null;
			inFlightRequest.next = null;
			return true;
		}

		/** The requests that meet a condition, as they are now. */
		List<InFlightRequest> which(Predicate<InFlightRequest> condition) {
			List<InFlightRequest> found = List.of();
			for (InFlightRequest each = this.first; each != null; each = each.next) {
				if (condition.test(each)) {
					found = found.isEmpty() ? new ArrayList<>() : found;
					found.add(each);
				}
			}
			return found;
		}

	}

}
