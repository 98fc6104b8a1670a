package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;

import io.quorate.meter.MeterByTag;
import io.quorate.replica.Failure;
import io.quorate.replica.PageReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;

/**
 * What one request of a client went through: how long its stages took, which replicas
 * were asked, and what they said when. Whoever answers the client makes it, hands it to
 * the {@link Coordinator}, which takes note, and closes it with the answer: from then on
 * nothing of it changes, whatever replicas still say.
 * <p>
 * Instants are those of {@link System#nanoTime()}. Holds {@value #MAX_HOPS} replicas
 * asked, counts the others, and builds no text. Safe for any number of threads.
 */
public final class RequestTimeline {

	/** How many replicas asked are remembered. */
	public static final int MAX_HOPS = 24;

	private long stampNanos = -1;

	private long replicasNanos = -1;

	private long settleNanos = -1;

	private final List<Hop> hops = new ArrayList<>(4);

	private int hopsLeftOut;

	private @Nullable Stage stage;

	private long stageBeginNanos;

	private boolean isCoordinated;

	private long coordinatorBeginNanos;

	private long coordinatorEndNanos;

	private long beginNanos;

	private long endNanos;

	private boolean isClosed;

	/** The trail of a request that begins. */
	public RequestTimeline(long nowNanos) {
		this.beginNanos = nowNanos;
	}

	/** Lets the request begin anew, before anything has been done for it. */
	public synchronized void restart(long nowNanos) {
		if (!this.isClosed) {
			this.beginNanos = nowNanos;
		}
	}

	/** The request enters a stage, and leaves the one before. */
	public synchronized void enter(Stage next, long nowNanos) {
		if (this.isClosed) {
			return;
		}
		leave(nowNanos);
		if (!this.isCoordinated) {
			this.isCoordinated = true;
			this.coordinatorBeginNanos = nowNanos;
		}
		this.stage = next;
		this.stageBeginNanos = nowNanos;
	}

	/** The request leaves the last stage, for now or for good. */
	public synchronized void leave(long nowNanos) {
		Stage left = this.stage;
		if (left == null || this.isClosed) {
			return;
		}
		long nanos = Math.max(nanos(left), 0) + nowNanos - this.stageBeginNanos;
		switch (left) {
			case STAMP -> this.stampNanos = nanos;
			case REPLICAS -> this.replicasNanos = nanos;
			case SETTLE -> this.settleNanos = nanos;
		}
		this.coordinatorEndNanos = nowNanos;
		this.stage = null;
	}

	/** A replica is asked. */
	public synchronized Hop ask(String node, Work work, long nowNanos) {
		if (this.isClosed) {
			return Hop.UNRECORDED;
		}
		if (this.hops.size() == MAX_HOPS) {
			this.hopsLeftOut++;
			return Hop.UNRECORDED;
		}
		Hop hop = new Hop(this, node, work, nowNanos);
		this.hops.add(hop);
		return hop;
	}

	private synchronized void answered(Hop hop, String outcome, long nowNanos) {
		if (!this.isClosed) {
			hop.outcome = outcome;
			hop.endNanos = nowNanos;
		}
	}

	/**
	 * Closes the trail.
	 * @return whether it was open
	 */
	public synchronized boolean close(long nowNanos) {
		if (this.isClosed) {
			return false;
		}
		leave(nowNanos);
		this.endNanos = nowNanos;
		this.isClosed = true;
		return true;
	}

	/** When the request began. */
	public synchronized long beginNanos() {
		return this.beginNanos;
	}

	/** When it ended, if it is closed. */
	public synchronized long endNanos() {
		return this.endNanos;
	}

	/** How long it took; 0 while it is open. */
	public synchronized long totalNanos() {
		return this.isClosed ? this.endNanos - this.beginNanos : 0;
	}

	/** When the coordinator took it over, only if {@link #isCoordinated()}. */
	public synchronized long coordinatorBeginNanos() {
		return this.coordinatorBeginNanos;
	}

	/** How long the coordinator had it. */
	public synchronized long coordinatorNanos() {
		return this.coordinatorEndNanos - this.coordinatorBeginNanos;
	}

	/** Whether the coordinator has begun to work on it. */
	public synchronized boolean isCoordinated() {
		return this.isCoordinated;
	}

	/**
	 * How long a stage took that was left, all its times together; negative for never.
	 */
	public synchronized long nanos(Stage of) {
		return switch (of) {
			case STAMP -> this.stampNanos;
			case REPLICAS -> this.replicasNanos;
			case SETTLE -> this.settleNanos;
		};
	}

	/** The replicas that were asked, in that order. */
	public synchronized List<Hop> hops() {
		return List.copyOf(this.hops);
	}

	/** How many more were asked. */
	public synchronized int hopsLeftOut() {
		return this.hopsLeftOut;
	}

	/** Where a request may spend its time in the coordinator. */
	public enum Stage {

		/** Waiting for a stamp. */
		STAMP,

		/** From asking to the last answer that must be there. */
		REPLICAS,

		/** From there until enough replicas are known to hold what was found. */
		SETTLE;

		/** All of them, in their order. */
		public static final List<Stage> ALL = List.of(values());

		/** The word for meters, headers and logs. */
		public String word() {
			return MeterByTag.word(this);
		}

	}

	/** What a replica is asked for. */
	public enum Work {

		/** To take a write. */
		WRITE,

		/** What it holds. */
		READ,

		/** What it holds, because another one is slow. */
		HEDGE,

		/** What it holds, with the value that it has left out before. */
		FETCH,

		/** To take what a read found elsewhere. */
		REPAIR,

		/** A page of a scan. */
		PAGE

	}

	/** One replica asked. */
	public static final class Hop {

		/** What is said of a replica that has not answered. */
		public static final String WAITING = "waiting";

		private static final Hop UNRECORDED = new Hop(null, "", Work.READ, 0);

		private final @Nullable RequestTimeline trail;

		private final String node;

		private final Work work;

		private final long beginNanos;

		private long endNanos;

		private String outcome = WAITING;

		private Hop(@Nullable RequestTimeline trail, String node, Work work, long beginNanos) {
			this.trail = trail;
			this.node = node;
			this.work = work;
			this.beginNanos = beginNanos;
		}

		/** It has said something. */
		public void answered(WriteReply reply, long nowNanos) {
			answered(switch (reply) {
				case WriteReply.Applied applied -> applied.isComplete() ? "applied" : "incomplete";
				case WriteReply.Superseded _ -> "superseded";
				case WriteReply.Failed(Failure failure) -> failure.reason().word();
			}, nowNanos);
		}

		/** It has said something. */
		public void answered(ReadReply reply, long nowNanos) {
			answered(switch (reply) {
				case ReadReply.Found _ -> "found";
				case ReadReply.Summarized _ -> "digest";
				case ReadReply.Absent() -> "absent";
				case ReadReply.Failed(Failure failure) -> failure.reason().word();
			}, nowNanos);
		}

		/** It has said something. */
		public void answered(PageReply reply, long nowNanos) {
			answered(switch (reply) {
				case PageReply.Page _ -> "page";
				case PageReply.Failed(Failure failure) -> failure.reason().word();
			}, nowNanos);
		}

		private void answered(String word, long nowNanos) {
			if (this.trail != null) {
				this.trail.answered(this, word, nowNanos);
			}
		}

		/** Id of the node. */
		public String node() {
			return this.node;
		}

		/** What it was asked for. */
		public Work work() {
			return this.work;
		}

		/** When. */
		public long beginNanos() {
			return this.beginNanos;
		}

		/** What it said, one word; only of a trail that is closed. */
		public String outcome() {
			return this.outcome;
		}

		/** Whether it has answered; only of a trail that is closed. */
		public boolean isAnswered() {
			return !WAITING.equals(this.outcome);
		}

		/** How long it took, if it has answered; only of a trail that is closed. */
		public long nanos() {
			return this.endNanos - this.beginNanos;
		}

	}

}
