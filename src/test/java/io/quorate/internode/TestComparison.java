package io.quorate.internode;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.ComparisonService;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Answers in comparisons as a test has set it, and records each peer's questions. */
public final class TestComparison implements ComparisonService {

	private final Queue<String> asked = new ConcurrentLinkedQueue<>();

	private final Map<Class<?>, Object> answers = new ConcurrentHashMap<>();

	/** From now on gives this answer where an answer of its kind is asked for. */
	public TestComparison say(Object answer) {
		this.answers.put(answer.getClass(), answer);
		return this;
	}

	public List<String> asked() {
		return List.copyOf(this.asked);
	}

	@Override
	public PeerComparison with(String peer) {
		return new PeerComparison() {

			@Override
			public String nodeId() {
				return peer;
			}

			@Override
			public Mono<ComparisonReply<ComparisonStart>> begin(Round round, ComparisonStart ours, Deadline deadline) {
				return reply(peer + " begins " + round + ours, ComparisonStart.class);
			}

			@Override
			public Mono<ComparisonReply<ComparisonResult>> compare(Round round, List<RangeHash> ranges,
					Deadline deadline) {
				return reply(peer + " compares " + ranges, ComparisonResult.class);
			}

			@Override
			public Mono<ComparisonReply<HeaderPage>> headers(Round round, Key start, @Nullable Key end,
					Deadline deadline) {
				return reply(peer + " reads headers from " + start + " to " + end, HeaderPage.class);
			}

			@Override
			public Mono<ComparisonReply<ScanPage>> fetch(Round round, List<Key> keys, Deadline deadline) {
				return reply(peer + " fetches " + keys, ScanPage.class);
			}

			@Override
			public Mono<ComparisonReply<Round>> complete(Round round, Deadline deadline) {
				return reply(peer + " completes " + round, Round.class);
			}

		};
	}

	private <T> Mono<ComparisonReply<T>> reply(String question, Class<T> kind) {
		this.asked.add(question);
		Object answer = this.answers.get(kind);
		return Mono.just((answer != null) ? new ComparisonReply.Answer<>(kind.cast(answer))
				: new ComparisonReply.Failed<>(new Failure(Reason.STALE_ROUND, "nothing to say")));
	}

}
