package io.quorate.internode.server;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.consensus.Answer;
import io.quorate.internode.Position;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.frame.EventLoops;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Message;
import io.quorate.internode.wire.Outgoing;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.ReplyCodec;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.RequestCodec;
import io.quorate.internode.wire.Wire;
import io.quorate.replica.ChangesReply;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.LookReply;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.PageLimit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Runs the requests of one peer on this node's replica, within the peer's quota. A
 * request's part of the quota is released before its reply is sent, so that a peer that
 * keeps to its limits is refused only because of the work of all peers together.
 */
final class PeerRequestHandler {

	private static final Logger log = LoggerFactory.getLogger(PeerRequestHandler.class);

	private final PeerContext context;

	private final String peer;

	private final Replica replica;

	private final PeerComparison comparison;

	private final PeerQuota share;

	/** A handler without requests yet. */
	PeerRequestHandler(PortContext port, String peer, PeerQuota share) {
		this.context = port.context();
		this.peer = peer;
		this.replica = port.servedReplica().replica();
		this.comparison = port.servedReplica().comparisonService().with(peer);
		this.share = share;
	}

	/**
	 * Begins a request, or refuses it.
	 * @param layout version of the layout under which it was planned
	 */
	Mono<Outgoing> begin(Request request, long layout, Deadline deadline) {
		if (this.context.node().drainState().isDraining()) {
			return Mono.just(outgoing(failed(Reason.DRAINING, "the node drains")));
		}
		if (!this.share.requests().tryTake(1)) {
			return Mono.just(outgoing(failed(Reason.OVERLOADED,
					"%d requests of a peer in work".formatted(this.share.requests().taken()))));
		}
		Place place = new Place();
		try {
			return begin(place, request, layout, deadline);
		}
		catch (RuntimeException | Error failure) {
			place.release();
			throw failure;
		}
	}

	private Mono<Outgoing> begin(Place place, Request request, long layout, Deadline deadline) {
		return switch (request) {
			case Request.Apply apply -> apply(place, apply, layout, deadline);
			case Request.Read read -> read(place, read, layout, deadline);
			case Request.Page page -> page(place, page, layout, deadline);
			case Request.Changes(var changes) -> changes(place, changes, layout, deadline);
			case Request.Prepare prepare -> prepare(place, prepare, layout, deadline);
			case Request.Look look -> look(place, look, layout, deadline);
			case Request.HandOver handOver -> handOver(place, handOver, deadline);
			case Request.Release release -> {
				this.replica.release(release.key(), release.ballot(), deadline);
				yield Mono.just(place.replaceBy(() -> outgoing(new Reply.Released())));
			}
			case Request.Comparison comparison -> compare(place, comparison, layout, deadline);
			case Request.Layout(var asked) -> layout(place, asked);
			case Request.Hello _, Request.Ping _, Request.Join _, Request.Silence _, Request.Introduce _ ->
				throw new IllegalArgumentException("no work: " + request.getClass().getSimpleName());
		};
	}

	/** A request's part of the quota, released once. */
	private final class Place extends AtomicBoolean {

		private static final long serialVersionUID = 1;

		private int bytes;

		/** Takes bytes of the peer's writes, too, if there is room for them. */
		boolean tryTake(int more) {
			boolean isTaken = PeerRequestHandler.this.share.writeBytes().tryTake(more);
			this.bytes = isTaken ? more : 0;
			return isTaken;
		}

		/**
		 * Makes the reply, which counts from now on instead, until the peer has taken it.
		 */
		Outgoing replaceBy(Supplier<Outgoing> reply) {
			try {
				return reply.get();
			}
			finally {
				release();
			}
		}

		void releaseAfter(CompletableFuture<?> work) {
			var _ = work.whenComplete((_, _) -> release());
		}

		void release() {
			if (compareAndSet(false, true)) {
				PeerRequestHandler.this.share.writeBytes().release(this.bytes);
				PeerRequestHandler.this.share.requests().release(1);
			}
		}

	}

	/**
	 * A write goes on when the peer has given it up, and counts until it has an outcome.
	 */
	private Mono<Outgoing> apply(Place place, Request.Apply apply, long layout, Deadline deadline) {
		if (!place.tryTake(RequestCodec.size(apply))) {
			place.release();
			return Mono.just(outgoing(failed(Reason.OVERLOADED,
					"%d bytes of a peer's writes in work".formatted(this.share.writeBytes().taken()))));
		}
		CompletableFuture<@Nullable WriteReply> outcome = started(
				() -> this.replica.planned(layout).apply(apply.key(), apply.entry(), apply.origin(), deadline))
			.onErrorResume((failure) -> Mono.just(new WriteReply.Failed(broken(failure))))
			.toFuture();
		return Mono.fromFuture(outcome, true)
			.map((said) -> place.replaceBy(() -> outgoing(toReply(said))))
			.doOnTerminate(place::release)
			.doOnCancel(() -> place.releaseAfter(outcome));
	}

	private Reply toReply(WriteReply said) {
		return switch (said) {
			case WriteReply.Applied applied -> new Reply.Applied(applied.isComplete(), position());
			case WriteReply.Superseded(var by, var wasNeverHeld, var isPlain) ->
				new Reply.Superseded(by, wasNeverHeld, isPlain, position());
			case WriteReply.Promised(var by) -> new Reply.Promised(by, position());
			case WriteReply.Failed(var failure) -> new Reply.Failed(failure);
		};
	}

	private Position position() {
		return this.context.exchanges().statuses().position(this.peer);
	}

	/** A value that would not fit into the reply is not even read. */
	private Mono<Outgoing> read(Place place, Request.Read read, long layout, Deadline deadline) {
		int maxValueBytes = Math.min(read.maxValueBytes(), read.maxReplyBytes());
		return started(() -> this.replica.planned(layout).read(read.key(), maxValueBytes, deadline))
			.onErrorResume((failure) -> Mono.just(new ReadReply.Failed(broken(failure))))
			.map((said) -> place.replaceBy(() -> bounded(switch (said) {
				case ReadReply.Found(var entry) -> new Reply.Found(entry);
				case ReadReply.Summarized(var summary) when summary.valueSizeBytes() > read.maxValueBytes() ->
					new Reply.Summarized(summary);
				case ReadReply.Summarized(var summary) -> new Reply.TooLarge(ReplyCodec.sizeOfFound(summary));
				case ReadReply.Absent _ -> new Reply.Absent();
				case ReadReply.Failed(var failure) -> new Reply.Failed(failure);
			}, read.maxReplyBytes())))
			.doFinally((_) -> place.release());
	}

	/** A promise goes on when the peer has given it up, and counts until it is made. */
	private Mono<Outgoing> prepare(Place place, Request.Prepare prepare, long layout, Deadline deadline) {
		CompletableFuture<@Nullable PrepareReply> outcome = started(
				() -> this.replica.planned(layout).prepare(prepare.key(), prepare.proposal(), deadline))
			.onErrorResume((failure) -> Mono.just(new PrepareReply.Failed(broken(failure))))
			.toFuture();
		return Mono.fromFuture(outcome, true)
			.map((said) -> place.replaceBy(() -> outgoing((said instanceof PrepareReply.Failed(var failure))
					? new Reply.Failed(failure) : new Reply.Prepared(said, this.context.clock().physicalMillis()))))
			.doOnTerminate(place::release)
			.doOnCancel(() -> place.releaseAfter(outcome));
	}

	private Mono<Outgoing> handOver(Place place, Request.HandOver handOver, Deadline deadline) {
		if (!place.tryTake(RequestCodec.size(handOver))) {
			place.release();
			return Mono.just(outgoing(failed(Reason.OVERLOADED,
					"%d bytes of a peer's writes in work".formatted(this.share.writeBytes().taken()))));
		}
		CompletableFuture<@Nullable HandoverReply> outcome = started(
				() -> this.replica.handOver(handOver.key(), handOver.write(), deadline))
			.onErrorResume((failure) -> Mono.just(new HandoverReply.Failed(broken(failure))))
			.toFuture();
		return Mono.fromFuture(outcome, true)
			.map((said) -> place.replaceBy(() -> outgoing(said, handOver.maxReplyBytes())))
			.doOnTerminate(place::release)
			.doOnCancel(() -> place.releaseAfter(outcome));
	}

	private Outgoing outgoing(HandoverReply said, int maxReplyBytes) {
		return switch (said) {
			case HandoverReply.Failed(var failure) -> outgoing(new Reply.Failed(failure));
			case HandoverReply.Found _ -> bounded(new Reply.HandedOver(said), maxReplyBytes);
			case HandoverReply.Written _, HandoverReply.Replayed _, HandoverReply.Reused _, HandoverReply.Touched _,
					HandoverReply.Unmet _, HandoverReply.Contended _, HandoverReply.Undecided _ ->
				outgoing(new Reply.HandedOver(said));
		};
	}

	private Mono<Outgoing> look(Place place, Request.Look look, long layout, Deadline deadline) {
		int maxValueBytes = Math.min(look.maxValueBytes(), look.maxReplyBytes());
		return started(() -> this.replica.planned(layout).look(look.key(), maxValueBytes, deadline))
			.onErrorResume((failure) -> Mono.just(LookReply.failed(broken(failure))))
			.map((said) -> place.replaceBy(() -> bounded(switch (said.held()) {
				case ReadReply.Summarized(var summary) when summary.valueSizeBytes() <= look.maxValueBytes() ->
					new Reply.TooLarge(ReplyCodec.sizeOfFound(summary) + ReplyCodec.LOOK_OVERHEAD);
				case ReadReply.Failed(var failure) -> new Reply.Failed(failure);
				case ReadReply.Found _, ReadReply.Summarized _, ReadReply.Absent _ -> new Reply.Looked(said);
			}, look.maxReplyBytes())))
			.doFinally((_) -> place.release());
	}

	private Mono<Outgoing> page(Place place, Request.Page page, long layout, Deadline deadline) {
		PageLimit asked = page.page().limit();
		boolean isHeadersOnly = page.page().isHeadersOnly();
		int most = isHeadersOnly ? PeerComparison.MAX_HEADERS : Wire.PAGE_RECORDS;
		PageLimit limit = new PageLimit(Math.min(asked.records(), most), Math.min(asked.sizeBytes(), Wire.PAGE_BYTES),
				asked.examined());
		PageRequest bounded = new PageRequest(page.page().range(), limit, isHeadersOnly, page.page().above());
		return started(() -> this.replica.planned(layout).page(bounded, deadline))
			.onErrorResume((failure) -> Mono.just(new PageReply.Failed(broken(failure))))
			.map((said) -> place.replaceBy(() -> bounded(switch (said) {
				case PageReply.Page(var records) -> new Reply.Page(records);
				case PageReply.Headers(var headers) -> new Reply.Headers(headers);
				case PageReply.Failed(var failure) -> new Reply.Failed(failure);
			}, page.maxReplyBytes())))
			.doFinally((_) -> place.release());
	}

	/** A request that waits counts meanwhile. */
	private Mono<Outgoing> changes(Place place, ChangesRequest changes, long layout, Deadline deadline) {
		return started(() -> this.replica.planned(layout).changes(changes, deadline))
			.onErrorResume((failure) -> Mono.just(new ChangesReply.Failed(broken(failure))))
			.map((said) -> place.replaceBy(() -> switch (said) {
				case ChangesReply.Changes(var page) ->
					bounded(new Reply.Changed(page.upTo(ChangesRequest.MOST_BYTES)), Wire.LARGE_BYTES);
				case ChangesReply.Failed(var failure) -> outgoing(new Reply.Failed(failure));
			}))
			.doFinally((_) -> place.release());
	}

	private Mono<Outgoing> compare(Place place, Request.Comparison request, long layout, Deadline deadline) {
		Failure refusal = refusalOfComparison(layout);
		if (refusal != null) {
			place.release();
			return Mono.just(outgoing(new Reply.Failed(refusal)));
		}
		Round round = request.round();
		return switch (request) {
			case Request.Begin begin ->
				told(place, () -> this.comparison.begin(round, begin.comparisonStart(), deadline), Reply.Begun::new,
						Integer.MAX_VALUE);
			case Request.Compare compare ->
				told(place, () -> this.comparison.compare(round, compare.ranges(), deadline), Reply.Compared::new,
						Integer.MAX_VALUE);
			case Request.Headers headers ->
				told(place, () -> this.comparison.headers(round, headers.start(), headers.end(), deadline),
						Reply.Headers::new, headers.maxReplyBytes());
			case Request.Fetch fetch -> told(place, () -> this.comparison.fetch(round, fetch.keys(), deadline),
					Reply.Page::new, fetch.maxReplyBytes());
			case Request.Complete _ ->
				told(place, () -> this.comparison.complete(round, deadline), Reply.Completed::new, Integer.MAX_VALUE);
		};
	}

	/* Both have to share the same entries, so they need one layout. */
	private @Nullable Failure refusalOfComparison(long layout) {
		long own = this.context.exchanges().layouts().version();
		return (layout > own) ? new Failure(Reason.LAYOUT_BEHIND,
				"the comparison was planned under version %d of the layout, the node has adopted version %d"
					.formatted(layout, own))
				: this.context.exchanges().layouts().refuses(layout, null);
	}

	/**
	 * The work is done on threads of its own; its outcome comes on the event loop that
	 * asked.
	 */
	private <T> Mono<Outgoing> told(Place place, Supplier<Mono<ComparisonReply<T>>> work, Function<T, Reply> answer,
			int maxReplyBytes) {
		CompletableFuture<@Nullable ComparisonReply<T>> outcome = started(work)
			.onErrorResume((failure) -> Mono.just(new ComparisonReply.Failed<>(broken(failure))))
			.toFuture()
			.thenApplyAsync(Function.identity(), EventLoops.current());
		return Mono.fromFuture(outcome, true).map((said) -> place.replaceBy(() -> bounded(switch (said) {
			case ComparisonReply.Answer<T>(var value) -> answer.apply(value);
			case ComparisonReply.Failed<T>(var failure) -> new Reply.Failed(failure);
		}, maxReplyBytes))).doFinally((_) -> place.release());
	}

	/** The answer waits for the disk, on a thread of its own. */
	private Mono<Outgoing> layout(Place place, io.quorate.consensus.Request request) {
		CompletableFuture<Reply> outcome = this.context.exchanges()
			.layouts()
			.answer(request)
			.thenApply(PeerRequestHandler::toReply)
			.exceptionally(PeerRequestHandler::toFailure)
			.thenApplyAsync(Function.identity(), EventLoops.current());
		return Mono.fromFuture(outcome, true)
			.map((said) -> place.replaceBy(() -> bounded(said, Integer.MAX_VALUE)))
			.doFinally((_) -> place.release());
	}

	private static Reply toReply(Optional<Answer> answer) {
		return answer.<Reply>map(Reply.Layout::new)
			.orElseGet(() -> failed(Reason.UNSUPPORTED, "this node gives no vote for that"));
	}

	private static Reply toFailure(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return failed((cause instanceof RejectedExecutionException) ? Reason.OVERLOADED : Reason.FAILED,
				String.valueOf(cause.getMessage()));
	}

	private static <R> Mono<R> started(Supplier<Mono<R>> work) {
		try {
			return work.get();
		}
		catch (RuntimeException failure) {
			return Mono.error(failure);
		}
	}

	private static Failure broken(Throwable failure) {
		log.error("Bug: the replica threw an exception instead of replying with a failure", failure);
		return new Failure(Reason.FAILED, String.valueOf(failure.getMessage()));
	}

	/**
	 * The reply, if the request allows its bytes and there is room for them, or else a
	 * refusal.
	 */
	private Outgoing bounded(Reply reply, int maxReplyBytes) {
		if (reply instanceof Reply.Failed || reply instanceof Reply.Absent) {
			return outgoing(reply);
		}
		Message message = this.context.encode(reply);
		if (message.size() > maxReplyBytes) {
			return outgoing(new Reply.TooLarge(message.size()));
		}
		Budget budget = this.share.replyBytes();
		if (!budget.tryTake(message.cost())) {
			return outgoing(failed(Reason.OVERLOADED,
					"%d bytes of replies wait for a peer to take them".formatted(budget.taken())));
		}
		try {
			return message.outgoing(this.context.transport().allocator(), budget);
		}
		catch (OutOfMemoryError full) {
			return outgoing(failed(Reason.OVERLOADED, "no room for a reply: " + full));
		}
	}

	/** A small reply: there is always room for a refusal. */
	Outgoing outgoing(Reply reply) {
		return this.context.outgoing(reply, this.share.replyBytes());
	}

	private static Reply.Failed failed(Reason reason, String detail) {
		return new Reply.Failed(new Failure(reason, detail));
	}

}
