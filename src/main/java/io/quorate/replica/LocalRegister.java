package io.quorate.replica;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.replica.Failure.Reason;
import io.quorate.storage.Promise;
import io.quorate.storage.PromiseResult;
import io.quorate.storage.ReadResult;
import io.quorate.storage.Store;
import org.jspecify.annotations.Nullable;

/**
 * The acceptor of this node's registers, over its store. Never blocks; a prepare costs
 * two reads and one fsync, a look one read. What it answers about a key was so at one
 * instant: the promise is looked up before the entry is read, and the store drops a
 * promise only after the entry that has ended it can be read.
 */
final class LocalRegister {

	/** Time in which a round is not disturbed by another one. */
	private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final Store store;

	private final ReplicaGates gates;

	LocalRegister(Store store, ReplicaGates gates) {
		this.store = store;
		this.gates = gates;
	}

	/** Fails with the exceptions of the store. */
	CompletableFuture<PrepareReply> prepare(Key key, Proposal proposal, Deadline deadline, Executor executor) {
		Failure refusal = refusal(proposal);
		if (refusal != null) {
			return CompletableFuture.completedFuture(new PrepareReply.Failed(refusal));
		}
		Promise standing = this.store.promiseOf(key);
		return held(key, deadline, executor).thenCompose((held) -> {
			PrepareReply reply = replyAtOnce(proposal, held, standing);
			return (reply != null) ? CompletableFuture.completedFuture(reply)
					: promise(key, proposal, deadline, executor);
		});
	}

	/* A coordinator that is not told of a promise releases none. */
	private CompletableFuture<PrepareReply> promise(Key key, Proposal proposal, Deadline deadline, Executor executor) {
		CompletableFuture<PromiseResult> promise = this.store.promise(key, proposal.ballot(), deadline, executor);
		return promise.thenCompose((made) -> switch (made) {
			case PromiseResult.Made _ ->
				held(key, deadline, executor).thenApply((since) -> replyOnceMade(proposal, since));
			case PromiseResult.Refused(Timestamp by) ->
				CompletableFuture.<PrepareReply>completedFuture(new PrepareReply.Superseded(by));
		}).whenComplete((reply, _) -> {
			boolean isMade = !promise.isCompletedExceptionally() && promise.join() instanceof PromiseResult.Made;
			if (isMade && !(reply instanceof PrepareReply.Promised)) {
				release(key, proposal.ballot());
			}
		});
	}

	private @Nullable Failure refusal(Proposal proposal) {
		Failure closed = this.gates.reads().closed();
		if (closed != null) {
			return closed;
		}
		if (this.gates.judge().refuses(proposal.ballot())) {
			return new Failure(Reason.CLOCK_SKEW, "the ballot is too far ahead of the cluster's clock");
		}
		return this.gates.arrivals().refuses(proposal.version());
	}

	private @Nullable PrepareReply replyAtOnce(Proposal proposal, @Nullable Summary held, @Nullable Promise standing) {
		if (held != null && !proposal.ballot().isAfter(held.timestamp())) {
			return new PrepareReply.Superseded(held.timestamp());
		}
		if (standing != null && !proposal.ballot().isAfter(standing.ballot())) {
			return new PrepareReply.Superseded(standing.ballot());
		}
		if (!proposal.condition().isMetBy(held, proposal.nowMillis())) {
			return new PrepareReply.Unmet(held, (standing != null) ? standing.ballot() : null);
		}
		long left = (standing != null && standing.ballot().node() != proposal.ballot().node()) ? turnLeftNanos(standing)
				: 0;
		return (left > 0) ? new PrepareReply.Busy((int) TimeUnit.NANOSECONDS.toMillis(left) + 1) : null;
	}

	private long turnLeftNanos(Promise standing) {
		long now = this.store.nanoTime();
		return Math.min(standing.madeNanos() + TURN_NANOS - now, standing.untilNanos() - now);
	}

	/* A rebuild may have begun meanwhile, or a newer entry have come. */
	private PrepareReply replyOnceMade(Proposal proposal, @Nullable Summary held) {
		Failure closed = this.gates.reads().closed();
		if (closed != null) {
			return new PrepareReply.Failed(closed);
		}
		return (held == null || proposal.ballot().isAfter(held.timestamp())) ? new PrepareReply.Promised(held)
				: new PrepareReply.Superseded(held.timestamp());
	}

	/** Fails with the exceptions of the store. */
	CompletableFuture<LookReply> look(Key key, int maxValueBytes, Deadline deadline, Executor executor) {
		Promise standing = this.store.promiseOf(key);
		Timestamp ballot = (standing != null) ? standing.ballot() : null;
		return this.store.read(key, maxValueBytes, deadline, executor)
			.thenApply((result) -> new LookReply(reply(result), ballot));
	}

	private CompletableFuture<@Nullable Summary> held(Key key, Deadline deadline, Executor executor) {
		return this.store.read(key, 0, deadline, executor).thenApply((result) -> switch (result) {
			case ReadResult.Found(var entry) -> Summary.of(entry);
			case ReadResult.Summarized(var summary) -> summary;
			case ReadResult.Absent _ -> null;
		});
	}

	void release(Key key, Timestamp ballot) {
		this.store.release(key, ballot);
	}

	/** The reply that gives the result of a read. */
	static ReadReply reply(ReadResult result) {
		return switch (result) {
			case ReadResult.Found(var entry) -> new ReadReply.Found(entry);
			case ReadResult.Summarized(var summary) -> new ReadReply.Summarized(summary);
			case ReadResult.Absent _ -> new ReadReply.Absent();
		};
	}

}
