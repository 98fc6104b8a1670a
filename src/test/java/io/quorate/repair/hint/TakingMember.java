package io.quorate.repair.hint;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import reactor.core.publisher.Mono;

/** A member that takes whatever comes, before the call returns. */
final class TakingMember implements Replica {

	@Override
	public String nodeId() {
		return "b";
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
		return Mono.just(WriteReply.Applied.COMPLETE);
	}

	@Override
	public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
		throw new UnsupportedOperationException("nobody reads");
	}

	@Override
	public Mono<PageReply> page(PageRequest request, Deadline deadline) {
		throw new UnsupportedOperationException("nobody reads");
	}

}
