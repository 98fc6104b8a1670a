package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;

import io.quorate.meter.MeterByTag;
import io.quorate.meter.TraceContext;
import io.quorate.replica.Failure;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.PageReply;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;

/**
 * The timeline of one request of a client: the times of its stages, the replicas that
 * were asked, and their replies with the time of each. The code that answers the client
 * creates the timeline, and hands it to the {@link Coordinator}, which records the
 * request in it. The answer closes the timeline: from then on it does not change,
 * whatever replicas still reply.
 * <p>
 * Instants are those of {@link System#nanoTime()}. Holds {@value #MAX_HOPS} requests to
 * replicas, counts the rest, and builds no text. Safe for any number of threads.
 */
public final class RequestTimeline {

	/** Number of requests to replicas that are remembered. */
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

	private final @Nullable TraceContext place;

	/** Creates the timeline of a request that begins. */
	public RequestTimeline(long nowNanos) {
		this(nowNanos, null);
	}

	/**
	 * Creates the timeline of a request that begins.
	 * @param place place of the request in a trace that is sampled, {@code null} for none
	 */
	public RequestTimeline(long nowNanos, @Nullable TraceContext place) {
		this.beginNanos = nowNanos;
		this.place = place;
	}

	/**
	 * Returns the timeline of another part of the same request, which begins now, at the
	 * same place of its trace.
	 */
	public RequestTimeline beside(long nowNanos) {
		return new RequestTimeline(nowNanos, this.place);
	}

	/**
	 * The replica for this request: it adds to the trace of the request, if there is one.
	 */
	Replica traced(Replica replica) {
		return (this.place != null) ? replica.within(this.place) : replica;
	}

	/** Sets a new beginning of the request, before anything has been done for it. */
	public synchronized void restart(long nowNanos) {
		if (!this.isClosed) {
			this.beginNanos = nowNanos;
		}
	}

	/** Notes that the request enters a stage, and leaves the one before. */
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

	/** Notes that the request leaves the last stage, for now or for good. */
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

	/** Notes that a replica is asked. */
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
	 * Closes the timeline.
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

	/** Instant at which the request began. */
	public synchronized long beginNanos() {
		return this.beginNanos;
	}

	/** Instant at which the request ended, if the timeline is closed. */
	public synchronized long endNanos() {
		return this.endNanos;
	}

	/** Duration of the request; 0 while the timeline is open. */
	public synchronized long totalNanos() {
		return this.isClosed ? this.endNanos - this.beginNanos : 0;
	}

	/**
	 * Instant at which the coordinator took over the request, only if
	 * {@link #isCoordinated()}.
	 */
	public synchronized long coordinatorBeginNanos() {
		return this.coordinatorBeginNanos;
	}

	/** Time that the coordinator had the request. */
	public synchronized long coordinatorNanos() {
		return this.coordinatorEndNanos - this.coordinatorBeginNanos;
	}

	/** Whether the coordinator has begun to work on the request. */
	public synchronized boolean isCoordinated() {
		return this.isCoordinated;
	}

	/** Time in a stage that was left, all its times together; negative for never. */
	public synchronized long nanos(Stage of) {
		return switch (of) {
			case STAMP -> this.stampNanos;
			case REPLICAS -> this.replicasNanos;
			case SETTLE -> this.settleNanos;
		};
	}

	/** The requests to replicas, in the order in which they were sent. */
	public synchronized List<Hop> hops() {
		return List.copyOf(this.hops);
	}

	/** Number of requests to replicas that are not remembered. */
	public synchronized int hopsLeftOut() {
		return this.hopsLeftOut;
	}

	/** The stages of a request in the coordinator. */
	public enum Stage {

		/** Waiting for a timestamp. */
		STAMP,

		/** From asking to the last answer that is required. */
		REPLICAS,

		/** From there until enough replicas are known to hold the entry found. */
		SETTLE;

		/** All stages, in their order. */
		public static final List<Stage> ALL = List.of(values());

		/** The word for meters, headers and logs. */
		public String word() {
			return MeterByTag.word(this);
		}

	}

	/** The kinds of work that a replica is asked for. */
	public enum Work {

		/** To run a write of a register. */
		HAND_OVER,

		/** To promise its key to a round. */
		PREPARE,

		/** To take a write. */
		WRITE,

		/** To send its entry. */
		READ,

		/** To send its entry, because another replica is slow. */
		HEDGE,

		/** To send its entry, with the value that it left out before. */
		FETCH,

		/** To take an entry that a read found elsewhere. */
		REPAIR,

		/** To send a page of a scan. */
		PAGE

	}

	/** One request to a replica. */
	public static final class Hop {

		/** The outcome of a replica that has not answered. */
		public static final String WAITING = "waiting";

		private static final Hop UNRECORDED = new Hop(null, "", Work.READ, 0);

		private final @Nullable RequestTimeline timeline;

		private final String node;

		private final Work work;

		private final long beginNanos;

		private long endNanos;

		private String outcome = WAITING;

		private Hop(@Nullable RequestTimeline timeline, String node, Work work, long beginNanos) {
			this.timeline = timeline;
			this.node = node;
			this.work = work;
			this.beginNanos = beginNanos;
		}

		/** Notes the replica's reply to a write. */
		public void answered(WriteReply reply, long nowNanos) {
			answered(switch (reply) {
				case WriteReply.Applied applied -> applied.isComplete() ? "applied" : "incomplete";
				case WriteReply.Superseded _ -> "superseded";
				case WriteReply.Promised _ -> "promised";
				case WriteReply.Failed(Failure failure) -> failure.reason().word();
			}, nowNanos);
		}

		/** Notes the reply of the node that was handed the write. */
		void answered(HandoverReply reply, long nowNanos) {
			answered(switch (reply) {
				case HandoverReply.Written _ -> "written";
				case HandoverReply.Replayed _ -> "replayed";
				case HandoverReply.Reused _ -> "reused";
				case HandoverReply.Touched _ -> "touched";
				case HandoverReply.Found _ -> "found";
				case HandoverReply.Unmet _ -> "unmet";
				case HandoverReply.Contended _ -> "contended";
				case HandoverReply.Undecided undecided -> undecided.outcome();
				case HandoverReply.Failed(Failure failure) -> failure.reason().word();
			}, nowNanos);
		}

		/** Notes the replica's reply to the first half of a round. */
		void answered(PrepareReply reply, long nowNanos) {
			answered(PrepareTally.word(reply), nowNanos);
		}

		/** Notes the replica's reply to a read. */
		public void answered(ReadReply reply, long nowNanos) {
			answered(switch (reply) {
				case ReadReply.Found _ -> "found";
				case ReadReply.Summarized _ -> "digest";
				case ReadReply.Absent() -> "absent";
				case ReadReply.Failed(Failure failure) -> failure.reason().word();
			}, nowNanos);
		}

		/** Notes the replica's reply to the request for a page. */
		public void answered(PageReply reply, long nowNanos) {
			answered(switch (reply) {
				case PageReply.Page _, PageReply.Headers _ -> "page";
				case PageReply.Failed(Failure failure) -> failure.reason().word();
			}, nowNanos);
		}

		private void answered(String word, long nowNanos) {
			if (this.timeline != null) {
				this.timeline.answered(this, word, nowNanos);
			}
		}

		/** Id of the replica's node. */
		public String node() {
			return this.node;
		}

		/** Work that the replica was asked for. */
		public Work work() {
			return this.work;
		}

		/** Instant at which the replica was asked. */
		public long beginNanos() {
			return this.beginNanos;
		}

		/** Reply of the replica in one word; only of a timeline that is closed. */
		public String outcome() {
			return this.outcome;
		}

		/** Whether the replica has answered; only of a timeline that is closed. */
		public boolean isAnswered() {
			return !WAITING.equals(this.outcome);
		}

		/**
		 * Time that the replica took to answer, if it has; only of a timeline that is
		 * closed.
		 */
		public long nanos() {
			return this.endNanos - this.beginNanos;
		}

	}

}
