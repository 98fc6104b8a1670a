package io.quorate.coordinator;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import reactor.core.publisher.Mono;

/**
 * Replicas that answer before the call returns: they have taken every write, and hold one
 * entry under every key. So nothing is measured but who asks them.
 */
final class MemoryReplicas {

	private MemoryReplicas() {
	}

	/** The lists of a ring of these replicas, three of which hold a key. */
	static RingPreferenceLists lists(int members, Entry held) {
		List<String> ids = IntStream.range(0, members).mapToObj((number) -> "n" + number).toList();
		Map<String, Replica> replicas = new LinkedHashMap<>();
		ids.forEach((id) -> replicas.put(id, new Holding(id, new ReadReply.Found(held))));
		return RingPreferenceLists.of(1, RingPair.of(Ring.of(ids.stream().map(Member::of).toList(), 3)), replicas);
	}

	private record Holding(String nodeId, ReadReply held) implements Replica {

		private static final WriteReply APPLIED = WriteReply.Applied.COMPLETE;

		@Override
		public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
			return Mono.just(APPLIED);
		}

		@Override
		public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
			return Mono.just(this.held);
		}

		@Override
		public Mono<PageReply> page(PageRequest request, Deadline deadline) {
			throw new UnsupportedOperationException("pages are not measured");
		}

	}

}
