package io.quorate.replica.comparison;

import java.util.List;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.replica.Failure;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A node that answers every question with a failure. */
public record FailingComparison(String nodeId, Failure failure) implements PeerComparison {

	@Override
	public Mono<ComparisonReply<ComparisonStart>> begin(Round round, ComparisonStart ours, Deadline deadline) {
		return failed();
	}

	@Override
	public Mono<ComparisonReply<ComparisonResult>> compare(Round round, List<RangeHash> ranges, Deadline deadline) {
		return failed();
	}

	@Override
	public Mono<ComparisonReply<HeaderPage>> headers(Round round, Key start, @Nullable Key end, Deadline deadline) {
		return failed();
	}

	@Override
	public Mono<ComparisonReply<ScanPage>> fetch(Round round, List<Key> keys, Deadline deadline) {
		return failed();
	}

	@Override
	public Mono<ComparisonReply<Round>> complete(Round round, Deadline deadline) {
		return failed();
	}

	private <T> Mono<ComparisonReply<T>> failed() {
		return Mono.just(new ComparisonReply.Failed<>(this.failure));
	}

}
