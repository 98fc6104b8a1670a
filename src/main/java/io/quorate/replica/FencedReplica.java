package io.quorate.replica;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import reactor.core.publisher.Mono;

/**
 * This node's replica behind the fence of the layout that the node has adopted: a request
 * that was {@linkplain #planned planned} under a layout is refused if the fence refuses
 * it. A request that was planned under none is the node's own work, and is carried out.
 */
public final class FencedReplica implements Replica {

	private final Replica replica;

	private final LayoutFence fence;

	private final WritesUnderWay underWay;

	/**
	 * A replica behind a fence.
	 * @param underWay writes of the replica, which count from before the fence lets them
	 * in
	 */
	public FencedReplica(Replica replica, LayoutFence fence, WritesUnderWay underWay) {
		this.replica = replica;
		this.fence = fence;
		this.underWay = underWay;
	}

	@Override
	public String nodeId() {
		return this.replica.nodeId();
	}

	@Override
	public Replica planned(long layout) {
		return new Planned(layout);
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
		return this.replica.apply(key, entry, origin, deadline);
	}

	@Override
	public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
		return this.replica.read(key, maxValueBytes, deadline);
	}

	@Override
	public Mono<PrepareReply> prepare(Key key, Proposal proposal, Deadline deadline) {
		return this.replica.prepare(key, proposal, deadline);
	}

	@Override
	public void release(Key key, Timestamp ballot, Deadline deadline) {
		this.replica.release(key, ballot, deadline);
	}

	@Override
	public Mono<LookReply> look(Key key, int maxValueBytes, Deadline deadline) {
		return this.replica.look(key, maxValueBytes, deadline);
	}

	/* The node plans it by its own layout. */
	@Override
	public Mono<HandoverReply> handOver(Key key, Handover write, Deadline deadline) {
		return this.replica.handOver(key, write, deadline);
	}

	@Override
	public Mono<PageReply> page(PageRequest request, Deadline deadline) {
		return this.replica.page(request, deadline);
	}

	@Override
	public Mono<ChangesReply> changes(ChangesRequest request, Deadline deadline) {
		return this.replica.changes(request, deadline);
	}

	/** The same replica for requests that were planned under a layout. */
	private final class Planned implements Replica {

		private final long layout;

		private Planned(long layout) {
			this.layout = layout;
		}

		@Override
		public String nodeId() {
			return FencedReplica.this.nodeId();
		}

		@Override
		public Replica planned(long other) {
			return FencedReplica.this.planned(other);
		}

		@Override
		public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
			WritesUnderWay.Phase phase = FencedReplica.this.underWay.begin();
			try {
				Failure refusal = FencedReplica.this.fence.refuses(this.layout, key);
				return (refusal != null) ? Mono.just(new WriteReply.Failed(refusal))
						: FencedReplica.this.replica.apply(key, entry, origin, this.layout, deadline);
			}
			finally {
				phase.end();
			}
		}

		@Override
		public Mono<PrepareReply> prepare(Key key, Proposal proposal, Deadline deadline) {
			WritesUnderWay.Phase phase = FencedReplica.this.underWay.begin();
			try {
				Failure refusal = FencedReplica.this.fence.refuses(this.layout, key);
				return (refusal != null) ? Mono.just(new PrepareReply.Failed(refusal))
						: FencedReplica.this.prepare(key, proposal, deadline);
			}
			finally {
				phase.end();
			}
		}

		@Override
		public Mono<HandoverReply> handOver(Key key, Handover write, Deadline deadline) {
			return FencedReplica.this.handOver(key, write, deadline);
		}

		@Override
		public void release(Key key, Timestamp ballot, Deadline deadline) {
			FencedReplica.this.release(key, ballot, deadline);
		}

		@Override
		public Mono<LookReply> look(Key key, int maxValueBytes, Deadline deadline) {
			Failure refusal = FencedReplica.this.fence.refuses(this.layout, null);
			return (refusal != null) ? Mono.just(LookReply.failed(refusal))
					: FencedReplica.this.look(key, maxValueBytes, deadline);
		}

		@Override
		public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
			Failure refusal = FencedReplica.this.fence.refuses(this.layout, null);
			return (refusal != null) ? Mono.just(new ReadReply.Failed(refusal))
					: FencedReplica.this.read(key, maxValueBytes, deadline);
		}

		@Override
		public Mono<PageReply> page(PageRequest request, Deadline deadline) {
			Failure refusal = FencedReplica.this.fence.refuses(this.layout, null);
			return (refusal != null) ? Mono.just(new PageReply.Failed(refusal))
					: FencedReplica.this.page(request, deadline);
		}

		@Override
		public Mono<ChangesReply> changes(ChangesRequest request, Deadline deadline) {
			Failure refusal = FencedReplica.this.fence.refuses(this.layout, null);
			return (refusal != null) ? Mono.just(new ChangesReply.Failed(refusal))
					: FencedReplica.this.changes(request, deadline);
		}

	}

}
