package io.quorate.replica;

import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.replica.Failure.Reason;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

class FencedReplicaTests {

	private static final Key KEY = Key.of("key");

	private static final Failure STALE = new Failure(Reason.STALE_LAYOUT, "as the test wants");

	private static final PageRequest PAGE = new PageRequest(ScanRange.ascending(KEY, null), new PageLimit(1, 1, 1),
			false);

	private final List<String> judged = new ArrayList<>();

	private final FencedReplica replica = new FencedReplica(new Held(), this::refuses, new WritesUnderWay());

	private @Nullable Failure refuses(long layout, @Nullable Key written) {
		this.judged.add(layout + " " + written);
		return (layout < 7) ? STALE : null;
	}

	private static List<Object> replies(Replica asked) {
		return List.of(
				asked.apply(KEY, new Entry.Tombstone(Timestamp.ZERO, 1), Deadline.none()).blockOptional().orElseThrow(),
				asked.read(KEY, Deadline.none()).blockOptional().orElseThrow(),
				asked.page(PAGE, Deadline.none()).blockOptional().orElseThrow());
	}

	@Test
	void theFenceJudgesEachRequestThatWasPlanned() {
		assertThat(replies(this.replica.planned(6))).containsExactly(new WriteReply.Failed(STALE),
				new ReadReply.Failed(STALE), new PageReply.Failed(STALE));
		assertThat(replies(this.replica.planned(7))).isEqualTo(replies(new Held()));
		assertThat(this.judged).containsExactly("6 " + KEY, "6 null", "6 null", "7 " + KEY, "7 null", "7 null");
	}

	@Test
	void theWorkOfTheNodeItselfPasses() {
		assertThat(replies(this.replica)).isEqualTo(replies(new Held()));
		assertThat(this.judged).isEmpty();
	}

	@Test
	void aPlanInThePlaceOfAnotherCounts() {
		assertThat(replies(this.replica.planned(6).planned(7))).isEqualTo(replies(new Held()));
		assertThat(this.replica.planned(7).nodeId()).isEqualTo("n0");
	}

	/** A replica that carries out each request. */
	private static final class Held implements Replica {

		@Override
		public String nodeId() {
			return "n0";
		}

		@Override
		public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
			return Mono.just(WriteReply.Applied.COMPLETE);
		}

		@Override
		public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
			return Mono.just(new ReadReply.Absent());
		}

		@Override
		public Mono<PageReply> page(PageRequest request, Deadline deadline) {
			return Mono.just(new PageReply.Page(new ScanPage(List.of(), null)));
		}

	}

}
