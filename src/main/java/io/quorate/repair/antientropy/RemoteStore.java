package io.quorate.repair.antientropy;

import java.util.List;
import java.util.function.Function;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.repair.comparison.PeerStore;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The store of the other node of a round. */
final class RemoteStore implements PeerStore {

	private final PeerComparison peer;

	private final Round round;

	private final Deliveries deliveries;

	RemoteStore(PeerComparison peer, Round round, Deliveries deliveries) {
		this.peer = peer;
		this.round = round;
		this.deliveries = deliveries;
	}

	@Override
	public ComparisonResult compare(List<RangeHash> ranges) {
		return answer((deadline) -> this.peer.compare(this.round, ranges, deadline));
	}

	@Override
	public HeaderPage headers(Key start, @Nullable Key end) {
		return answer((deadline) -> this.peer.headers(this.round, start, end, deadline));
	}

	@Override
	public ScanPage fetch(List<Key> keys) {
		return answer((deadline) -> this.peer.fetch(this.round, keys, deadline));
	}

	@Override
	public void apply(List<Item> entries) {
		this.deliveries.deliver(entries);
	}

	private <T> T answer(Function<Deadline, Mono<ComparisonReply<T>>> question) {
		Deadline deadline = Deadline.after(this.deliveries.timeout());
		return Await.forAnswer(question.apply(deadline), Deadline.after(this.deliveries.timeout().plusSeconds(1)));
	}

}
