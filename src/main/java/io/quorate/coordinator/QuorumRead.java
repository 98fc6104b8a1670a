package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Deadline;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;

/**
 * One read under way: its replies and what follows from them. Replies come one after
 * another, from any thread.
 */
final class QuorumRead {

	private final ReplicaPlan plan;

	private final Key key;

	private final Deadline deadline;

	private final List<Said> said = new ArrayList<>();

	private @Nullable Entry newest;

	private int answers;

	private int failures;

	private int overloaded;

	QuorumRead(ReplicaPlan plan, Key key, Deadline deadline) {
		this.plan = plan;
		this.key = key;
		this.deadline = deadline;
	}

	/** The merge of as many answers as are required. */
	Mono<Resolved> resolve() {
		List<Mono<ReadReply>> replies = new ArrayList<>(this.plan.from());
		for (Replica replica : this.plan.replicas()) {
			replies.add(replica.read(this.key, this.deadline).doOnNext((reply) -> note(replica.nodeId(), reply)));
		}
		return Flux.merge(replies)
			.<ReadReply>handle(this::count)
			.take(this.plan.ack())
			.then(Mono.fromSupplier(() -> new Resolved(newest())));
	}

	private synchronized void note(String node, ReadReply reply) {
		this.said.add(new Said(node, switch (reply) {
			case ReadReply.Found _, ReadReply.Absent _ -> "ack";
			case ReadReply.Failed(Failure failure) -> failure.reason().word();
		}));
	}

	private synchronized @Nullable Entry newest() {
		return this.newest;
	}

	private synchronized void count(ReadReply reply, SynchronousSink<ReadReply> sink) {
		switch (reply) {
			case ReadReply.Found(Entry entry) -> {
				this.newest = (this.newest == null) ? entry : Entry.merge(this.newest, entry);
				this.answers++;
				sink.next(reply);
			}
			case ReadReply.Absent _ -> {
				this.answers++;
				sink.next(reply);
			}
			case ReadReply.Failed(Failure failure) -> {
				this.failures++;
				this.overloaded += (failure.reason() == Reason.OVERLOADED) ? 1 : 0;
				if (this.failures > this.plan.from() - this.plan.ack()) {
					sink.error(hopeless(failure));
				}
			}
		}
	}

	private RuntimeException hopeless(Failure last) {
		return (this.overloaded == this.failures) ? new RefusedException(Why.OVERLOADED, last.detail()) : notReached();
	}

	synchronized QuorumNotReachedException notReached() {
		List<Said> all = new ArrayList<>(this.said);
		this.plan.replicas()
			.stream()
			.map(Replica::nodeId)
			.filter((node) -> this.said.stream().noneMatch((one) -> one.node().equals(node)))
			.forEach((node) -> all.add(new Said(node, "silent")));
		return new QuorumNotReachedException(this.plan.ack(), this.answers, false, all);
	}

	/** The entry that wins, or {@code null} when no replica holds any. */
	record Resolved(@Nullable Entry entry) {
	}

}
