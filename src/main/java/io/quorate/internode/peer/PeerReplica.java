package io.quorate.internode.peer;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.internode.wire.Operation;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.RequestCodec;
import io.quorate.internode.wire.RequestTags;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.agreement.LayoutPeers;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.members.MemberState;
import io.quorate.meter.TraceContext;
import io.quorate.replica.ChangesReply;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.LookReply;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.replica.comparison.PeerComparison;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A peer as a replica.
 * <p>
 * A request is sent when the method is called: on the calling thread when that is an
 * event loop with a connection of its own, else on one of those event loops; the reply
 * comes on the same. Without a connection, beyond the limits of the peer, or with its
 * deadline in the past it fails at once and unsent. Otherwise it has an outcome at its
 * deadline at the latest, 10 ms more or less. A write that has been sent may have
 * happened unless the reply is a refusal of the peer. Cancelling stops a read, a page or
 * a wait where it is; a cancelled write goes on, and its reply is dropped.
 */
public final class PeerReplica implements Replica, AutoCloseable {

	private static final int PAGE_ROOM_BYTES = Wire.PAGE_BYTES + Wire.OVERHEAD_BYTES;

	private final PeerLink link;

	private final PeerComparison comparison;

	private final RequestTags tags;

	public PeerReplica(PeerLink link) {
		this(link, RequestTags.NONE);
	}

	private PeerReplica(PeerLink link, RequestTags tags) {
		this.link = link;
		this.comparison = new RemoteComparison(link);
		this.tags = tags;
	}

	@Override
	public Replica within(TraceContext place) {
		return new PeerReplica(this.link, new RequestTags(place, this.tags.layout()));
	}

	@Override
	public Replica planned(long layout) {
		return new PeerReplica(this.link, new RequestTags(this.tags.trace(), layout));
	}

	/**
	 * Begins to connect, and to connect anew whenever the connection is lost, until
	 * closed.
	 */
	public void connect() {
		this.link.open();
	}

	/**
	 * The peer has left: it answers the requests that are under way until this is closed,
	 * is not connected to anew, and its reports do not count.
	 */
	void retire() {
		this.link.retire();
	}

	@Override
	public String nodeId() {
		return this.link.peer();
	}

	/** State of the peer as this node sees it now. */
	public MemberState state() {
		return this.link.state();
	}

	/**
	 * Whether the peer has announced that it drains: it refuses requests, now or soon,
	 * and will stop. Known with its next keep-alive, or with its first refusal.
	 */
	public boolean isDraining() {
		return this.link.isDraining();
	}

	/** Whether requests of every size would be sent now. */
	public boolean isReady() {
		return this.link.peerChannel(false) != null && this.link.peerChannel(true) != null;
	}

	/**
	 * Time that the peer takes to answer a read or a keep-alive, in nanoseconds: a moving
	 * average in which the newest sample weighs an eighth; 0 when nothing is known.
	 */
	public long latencyNanos() {
		return this.link.latencyNanos();
	}

	/**
	 * Time since something was heard of the peer, or {@code null} when nothing ever was.
	 */
	public @Nullable Duration silence() {
		return (this.link.storageId() != null) ? Duration.ofNanos(System.nanoTime() - this.link.lastHeardNanos())
				: null;
	}

	/**
	 * Identity of the data in the peer's directory as of the last handshake, or
	 * {@code null} before the first.
	 */
	public @Nullable UUID storageId() {
		return this.link.storageId();
	}

	/** Requests without an outcome yet. */
	public long requestsInFlight() {
		return this.link.slots().taken();
	}

	/**
	 * Bytes that wait for the peer to take them, those of requests that have timed out
	 * included, and those of large replies that it has been asked for.
	 */
	public long bytesInFlight() {
		return this.link.bytesInFlight();
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
		Request.Apply apply = new Request.Apply(key, entry, origin);
		boolean large = RequestCodec.size(apply) > Wire.LARGE_BYTES;
		return new Call(this.link, Operation.APPLY, deadline, (_) -> apply, this.tags).start(large, 0)
			.map(PeerReplica::toWriteReply);
	}

	@Override
	public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
		long begun = System.nanoTime();
		Call call = new Call(this.link, Operation.READ, deadline, (room) -> new Request.Read(key, maxValueBytes, room),
				this.tags);
		return call.start(false, Wire.LARGE_BYTES).doOnCancel(call::abandon).map((reply) -> {
			if (!(reply instanceof Reply.Failed)) {
				this.link.answered(System.nanoTime() - begun);
			}
			return toReadReply(reply, maxValueBytes);
		});
	}

	@Override
	public Mono<PrepareReply> prepare(Key key, Proposal proposal, Deadline deadline) {
		Request.Prepare prepare = new Request.Prepare(key, proposal);
		long asked = this.link.context().clock().bootNanos();
		return new Call(this.link, Operation.PREPARE, deadline, (_) -> prepare, this.tags).start(false, 0)
			.map((reply) -> switch (reply) {
				case Reply.Prepared(var prepared, long physicalMillis) -> {
					this.link.clockAnswered(physicalMillis, asked);
					yield prepared;
				}
				case Reply.Failed(var failure) -> new PrepareReply.Failed(failure);
				default -> new PrepareReply.Failed(unexpected(reply));
			});
	}

	@Override
	public Mono<HandoverReply> handOver(Key key, Handover write, Deadline deadline) {
		boolean large = RequestCodec.size(new Request.HandOver(key, write, 0)) > Wire.LARGE_BYTES;
		return new Call(this.link, Operation.PREPARE, deadline, (room) -> new Request.HandOver(key, write, room),
				this.tags)
			.start(large, write.isRead() ? Wire.LARGE_BYTES : 0)
			.map((reply) -> switch (reply) {
				case Reply.HandedOver(var handed) -> handed;
				case Reply.Failed(var failure) -> new HandoverReply.Failed(failure);
				default -> new HandoverReply.Failed(unexpected(reply));
			});
	}

	/* The reply says nothing that a promise that stands would not say, too. */
	@Override
	public void release(Key key, Timestamp ballot, Deadline deadline) {
		Request.Release release = new Request.Release(key, ballot);
		new Call(this.link, Operation.PREPARE, deadline, (_) -> release, this.tags).start(false, 0).subscribe();
	}

	@Override
	public Mono<LookReply> look(Key key, int maxValueBytes, Deadline deadline) {
		long begun = System.nanoTime();
		Call call = new Call(this.link, Operation.READ, deadline, (room) -> new Request.Look(key, maxValueBytes, room),
				this.tags);
		return call.start(false, Wire.LARGE_BYTES).doOnCancel(call::abandon).map((reply) -> switch (reply) {
			case Reply.Looked(var looked) -> {
				this.link.answered(System.nanoTime() - begun);
				yield looked;
			}
			case Reply.Failed(var failure) -> LookReply.failed(failure);
			default -> LookReply.failed(unexpected(reply));
		});
	}

	@Override
	public Mono<PageReply> page(PageRequest request, Deadline deadline) {
		Call call = new Call(this.link, Operation.PAGE, deadline, (room) -> new Request.Page(request, room), this.tags);
		return call.start(true, PAGE_ROOM_BYTES)
			.doOnCancel(call::abandon)
			.map((reply) -> toPageReply(reply, request.isHeadersOnly()));
	}

	/*
	 * The time that it takes says nothing about the peer, so it counts in no latency and
	 * no trace. Meanwhile keep-alives tell whether the peer is silent.
	 */
	@Override
	public Mono<ChangesReply> changes(ChangesRequest request, Deadline deadline) {
		Call call = new Call(this.link, Operation.CHANGES, deadline, (_) -> new Request.Changes(request),
				new RequestTags(null, this.tags.layout()));
		return call.start(false, Wire.LARGE_BYTES).doOnCancel(call::abandon).map((reply) -> switch (reply) {
			case Reply.Changed(var page) -> new ChangesReply.Changes(page);
			case Reply.Failed(var failure) -> new ChangesReply.Failed(failure);
			default -> new ChangesReply.Failed(unexpected(reply));
		});
	}

	/**
	 * Asks for how long the peer has had no connection to a member.
	 * @return the time, zero when there is a connection; empty when the peer gives no
	 * answer. Never fails, and has an outcome within the limit.
	 */
	public CompletableFuture<Optional<Duration>> silenceOf(String member, Duration limit) {
		CompletableFuture<Optional<Duration>> silence = new CompletableFuture<>();
		PeerChannel peerChannel = this.link.peerChannel(false);
		Request.Silence asked = new Request.Silence(member);
		if (peerChannel == null) {
			silence.complete(Optional.empty());
		}
		else {
			peerChannel.ask(asked, limit,
					(reply) -> silence.complete((reply instanceof Reply.Silence(var millis) && millis >= 0)
							? Optional.of(Duration.ofMillis(millis)) : Optional.empty()));
		}
		return silence.completeOnTimeout(Optional.empty(), limit.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Asks the peer to meet a node that is to join.
	 * @param limit time after which the answer is of no use
	 * @return the reason why the node was not met, in words; empty when it was. Never
	 * fails, and has an outcome within the limit.
	 */
	public CompletableFuture<String> introduce(Endpoint candidate, Duration limit) {
		CompletableFuture<String> objection = new CompletableFuture<>();
		PeerChannel peerChannel = this.link.peerChannel(false);
		Request.Introduce asked = new Request.Introduce(candidate.toString());
		if (peerChannel == null) {
			objection.complete("it is not reached");
		}
		else {
			peerChannel.ask(asked, limit, (reply) -> objection.complete(switch (reply) {
				case Reply.Introduced(var why) -> why;
				case Reply.Failed(var failure) -> failure.detail();
				default -> "another reply than expected";
			}));
		}
		return objection.completeOnTimeout("it does not answer", limit.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Sends a request about the layout of the cluster, if there is a connection.
	 * @param limit time after which the answer is of no use
	 * @param outcome receives the answer, or the reason for which there is none; on an
	 * event loop, or at once when nothing is sent
	 */
	public void ask(io.quorate.consensus.Request request, Duration limit, Consumer<LayoutPeers.Outcome> outcome) {
		PeerChannel peerChannel = this.link.peerChannel(false);
		Request.Layout asked = new Request.Layout(request);
		if (peerChannel == null) {
			outcome.accept(new LayoutPeers.Outcome.Refused("it is not reached"));
		}
		else {
			peerChannel.ask(asked, limit, (reply) -> outcome.accept(toOutcome(reply)));
		}
	}

	private static LayoutPeers.Outcome toOutcome(Reply reply) {
		return switch (reply) {
			case Reply.Layout(var answer) -> new LayoutPeers.Outcome.Answered(answer);
			case Reply.Failed(var failure) -> new LayoutPeers.Outcome.Refused(failure.detail());
			default -> new LayoutPeers.Outcome.Refused("another reply than expected");
		};
	}

	/** The same peer as the other side of comparisons with this node's store. */
	public PeerComparison comparison() {
		return this.comparison;
	}

	private static WriteReply toWriteReply(Reply reply) {
		return switch (reply) {
			case Reply.Applied applied ->
				applied.isComplete() ? WriteReply.Applied.COMPLETE : WriteReply.Applied.INCOMPLETE;
			case Reply.Superseded(var by, var wasNeverHeld, var isPlain, var _) ->
				new WriteReply.Superseded(by, wasNeverHeld, isPlain);
			case Reply.Promised(var by, var _) -> new WriteReply.Promised(by);
			case Reply.Failed(var failure) -> new WriteReply.Failed(failure);
			default -> new WriteReply.Failed(unexpected(reply));
		};
	}

	private static ReadReply toReadReply(Reply reply, int maxValueBytes) {
		return switch (reply) {
			case Reply.Found(var entry) -> new ReadReply.Found(entry);
			case Reply.Summarized(var summary) when summary.valueSizeBytes() > maxValueBytes ->
				new ReadReply.Summarized(summary);
			case Reply.Absent _ -> new ReadReply.Absent();
			case Reply.Failed(var failure) -> new ReadReply.Failed(failure);
			default -> new ReadReply.Failed(unexpected(reply));
		};
	}

	private static PageReply toPageReply(Reply reply, boolean isHeadersOnly) {
		return switch (reply) {
			case Reply.Page(var page) when !isHeadersOnly -> new PageReply.Page(page);
			case Reply.Headers(var page) when isHeadersOnly -> new PageReply.Headers(page);
			case Reply.Failed(var failure) -> new PageReply.Failed(failure);
			default -> new PageReply.Failed(unexpected(reply));
		};
	}

	private static Failure unexpected(Reply reply) {
		return new Failure(Reason.FAILED, "a reply to another request: " + reply.getClass().getSimpleName());
	}

	/** Closes all connections; requests under way fail. Does not wait. */
	@Override
	public void close() {
		this.link.close();
	}

	/** Node id and state, for messages. */
	@Override
	public String toString() {
		return "%s (%s)".formatted(nodeId(), state());
	}

}
