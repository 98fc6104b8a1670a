package io.quorate.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.repair.antientropy.DrivenComparisons;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
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
 * A node as a process of another one sees it in a comparison. Other things happen while a
 * question is under way, and the answer is there when a method returns.
 */
final class ComparisonLink implements PeerComparison {

	/* A question is given up earlier than by a node, which waits for 10 s. */
	private static final Duration PATIENCE = Duration.ofSeconds(4);

	private final SimulatedCluster cluster;

	private final SimulatedProcess from;

	private final SimulatedNode to;

	ComparisonLink(SimulatedCluster cluster, SimulatedProcess from, SimulatedNode to) {
		this.cluster = cluster;
		this.from = from;
		this.to = to;
	}

	/** The peer that it leads to. */
	static DrivenComparisons.Peer peer(SimulatedCluster cluster, SimulatedProcess from, SimulatedNode to) {
		return new DrivenComparisons.Peer(new ComparisonLink(cluster, from, to),
				new Awaited(cluster, from, new PeerLink(cluster, from, to)));
	}

	@Override
	public String nodeId() {
		return this.to.id();
	}

	@Override
	public Mono<ComparisonReply<ComparisonStart>> begin(Round round, ComparisonStart ours, Deadline deadline) {
		return ask((its, until) -> its.begin(round, ours, until));
	}

	@Override
	public Mono<ComparisonReply<ComparisonResult>> compare(Round round, List<RangeHash> ranges, Deadline deadline) {
		return ask((its, until) -> its.compare(round, ranges, until));
	}

	@Override
	public Mono<ComparisonReply<HeaderPage>> headers(Round round, Key start, @Nullable Key end, Deadline deadline) {
		return ask((its, until) -> its.headers(round, start, end, until));
	}

	@Override
	public Mono<ComparisonReply<ScanPage>> fetch(Round round, List<Key> keys, Deadline deadline) {
		return ask((its, until) -> its.fetch(round, keys, until));
	}

	@Override
	public Mono<ComparisonReply<Round>> complete(Round round, Deadline deadline) {
		return ask((its, until) -> its.complete(round, until));
	}

	private <T> Mono<ComparisonReply<T>> ask(BiFunction<PeerComparison, Deadline, Mono<ComparisonReply<T>>> question) {
		SimulatedProcess receiver = this.to.process();
		if (this.from.isDead() || receiver == null || !this.from.isConnectedTo(receiver)
				|| this.cluster.obstacles().isApart(this.from.id(), this.to.id())) {
			return Mono.just(new ComparisonReply.Failed<>(PeerLink.failure(Reason.DISCONNECTED)));
		}
		SimulatedTime time = this.cluster.time();
		long layout = this.from.layouts().current().version();
		Weather.Fate fate = this.cluster.weather()
			.fate(this.cluster.weather().at(time.nanos(), this.from.link(this.to)), this.cluster.weather().slow / 4);
		CompletableFuture<ComparisonReply<T>> answer = new CompletableFuture<>();
		SimulatedProcess.Carried carried = this.from.carried();
		time.at(fate.there(), () -> {
			if (fate.isLost() || receiver.isDead() || this.cluster.isCut(this.from, receiver)) {
				return;
			}
			receiver.hears(carried);
			ComparisonReply<T> said = answer(receiver, layout, question);
			SimulatedProcess.Carried back = receiver.carried();
			time.at(fate.back(), () -> {
				if (!fate.isAnswerLost() && !this.from.isDead()) {
					this.from.hears(back);
					answer.complete(said);
				}
			});
		});
		time.in(PATIENCE, () -> answer.complete(new ComparisonReply.Failed<>(PeerLink.failure(Reason.TIMEOUT))));
		time.await(answer, () -> !this.from.isDead());
		return Mono
			.just(answer.isDone() ? answer.join() : new ComparisonReply.Failed<>(PeerLink.failure(Reason.DRAINING)));
	}

	private <T> ComparisonReply<T> answer(SimulatedProcess receiver, long layout,
			BiFunction<PeerComparison, Deadline, Mono<ComparisonReply<T>>> question) {
		Failure refusal = receiver.fence().refuses(layout, null);
		if (refusal != null) {
			this.from.exchange().differs(nodeId());
			return new ComparisonReply.Failed<>(refusal);
		}
		return question.apply(receiver.comparisons().answersTo(this.from.id()), PeerLink.real(false))
			.blockOptional()
			.orElseThrow();
	}

	/**
	 * A replica whose replies are there when a method returns: other things happen
	 * meanwhile.
	 */
	record Awaited(SimulatedCluster cluster, SimulatedProcess by, Replica replica) implements Replica {

		@Override
		public String nodeId() {
			return this.replica.nodeId();
		}

		@Override
		public Replica planned(long layout) {
			return new Awaited(this.cluster, this.by, this.replica.planned(layout));
		}

		@Override
		public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
			Deadline until = !this.replica.nodeId().equals(this.by.id())
					? new Deadline(this.cluster.time().nanos() + PATIENCE.toNanos()) : deadline;
			CompletableFuture<WriteReply> reply = this.replica.apply(key, entry, origin, until)
				.toFuture()
				.thenApply(Objects::requireNonNull);
			this.cluster.time().await(reply, () -> !this.by.isDead());
			return Mono.just(reply.isDone() ? reply.join() : new WriteReply.Failed(PeerLink.failure(Reason.DRAINING)));
		}

		@Override
		public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Mono<PageReply> page(PageRequest request, Deadline deadline) {
			throw new UnsupportedOperationException();
		}

	}

}
