package io.quorate.internode.peer;

import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.internode.wire.Operation;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.RequestTags;
import io.quorate.internode.wire.Wire;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A peer as the other side of a comparison, over the connection for large values, so that
 * its slow replies delay no small message.
 */
record RemoteComparison(PeerLink link) implements PeerComparison {

	private static final int SMALL_REPLY_BYTES = 1024;

	private static final int PAGE_ROOM_BYTES = MAX_BYTES + Wire.OVERHEAD_BYTES;

	@Override
	public String nodeId() {
		return this.link.peer();
	}

	@Override
	public Mono<ComparisonReply<ComparisonStart>> begin(Round round, ComparisonStart ours, Deadline deadline) {
		return ask(deadline, SMALL_REPLY_BYTES, (_) -> new Request.Begin(round, ours),
				(reply) -> (reply instanceof Reply.Begun(var comparisonStart)) ? comparisonStart : null);
	}

	@Override
	public Mono<ComparisonReply<ComparisonResult>> compare(Round round, List<RangeHash> ranges, Deadline deadline) {
		return ask(deadline, SMALL_REPLY_BYTES, (_) -> new Request.Compare(round, ranges),
				(reply) -> (reply instanceof Reply.Compared(var comparisonResult)) ? comparisonResult : null);
	}

	@Override
	public Mono<ComparisonReply<HeaderPage>> headers(Round round, Key start, @Nullable Key end, Deadline deadline) {
		return ask(deadline, PAGE_ROOM_BYTES, (room) -> new Request.Headers(round, start, end, room),
				(reply) -> (reply instanceof Reply.Headers(var page)) ? page : null);
	}

	@Override
	public Mono<ComparisonReply<ScanPage>> fetch(Round round, List<Key> keys, Deadline deadline) {
		return ask(deadline, PAGE_ROOM_BYTES, (room) -> new Request.Fetch(round, keys, room),
				(reply) -> (reply instanceof Reply.Page(var page)) ? page : null);
	}

	@Override
	public Mono<ComparisonReply<Round>> complete(Round round, Deadline deadline) {
		return ask(deadline, SMALL_REPLY_BYTES, (_) -> new Request.Complete(round),
				(reply) -> (reply instanceof Reply.Completed(var completed)) ? completed : null);
	}

	private <T> Mono<ComparisonReply<T>> ask(Deadline deadline, int room, IntFunction<Request> request,
			Function<Reply, @Nullable T> result) {
		Call call = new Call(this.link, Operation.COMPARISON, deadline, request, RequestTags.NONE);
		return call.start(true, room).doOnCancel(call::abandon).map((reply) -> toReply(reply, result.apply(reply)));
	}

	private static <T> ComparisonReply<T> toReply(Reply reply, @Nullable T result) {
		if (result != null) {
			return new ComparisonReply.Answer<>(result);
		}
		return new ComparisonReply.Failed<>((reply instanceof Reply.Failed(var failure)) ? failure
				: new Failure(Reason.FAILED, "a reply to another request: " + reply.getClass().getSimpleName()));
	}

}
