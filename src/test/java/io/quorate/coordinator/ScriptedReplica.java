package io.quorate.coordinator;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.Origin;
import io.quorate.replica.LookReply;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A replica that says what a test makes it say, when the test wants it. */
final class ScriptedReplica implements Replica {

	private final String nodeId;

	private final List<Entry> applied = new CopyOnWriteArrayList<>();

	private final List<Sinks.One<WriteReply>> writes = new CopyOnWriteArrayList<>();

	private final List<Sinks.One<ReadReply>> reads = new CopyOnWriteArrayList<>();

	private final List<Integer> wanted = new CopyOnWriteArrayList<>();

	private final List<Proposal> proposals = new CopyOnWriteArrayList<>();

	private final List<Sinks.One<PrepareReply>> prepares = new CopyOnWriteArrayList<>();

	private final List<Release> released = new CopyOnWriteArrayList<>();

	private final List<Handover> handedOver = new CopyOnWriteArrayList<>();

	private final List<Sinks.One<HandoverReply>> handovers = new CopyOnWriteArrayList<>();

	private final AtomicInteger cancelled = new AtomicInteger();

	private @Nullable WriteReply atOnce;

	private @Nullable PrepareReply preparedAtOnce;

	/** A release of a ballot that has led to nothing. */
	record Release(Timestamp ballot, Deadline deadline) {
	}

	ScriptedReplica(String nodeId) {
		this.nodeId = nodeId;
	}

	/** From now on writes are answered before the call returns. */
	ScriptedReplica answeringAtOnce(WriteReply reply) {
		this.atOnce = reply;
		return this;
	}

	/** From now on prepares are answered before the call returns. */
	void preparingAtOnce(PrepareReply reply) {
		this.preparedAtOnce = reply;
	}

	@Override
	public String nodeId() {
		return this.nodeId;
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
		this.applied.add(entry);
		Sinks.One<WriteReply> sink = Sinks.one();
		this.writes.add(sink);
		if (this.atOnce != null) {
			sink.tryEmitValue(this.atOnce).orThrow();
		}
		return sink.asMono().doOnCancel(this.cancelled::incrementAndGet);
	}

	@Override
	public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
		Sinks.One<ReadReply> sink = Sinks.one();
		this.wanted.add(maxValueBytes);
		this.reads.add(sink);
		return sink.asMono().doOnCancel(this.cancelled::incrementAndGet);
	}

	@Override
	public Mono<LookReply> look(Key key, int maxValueBytes, Deadline deadline) {
		return read(key, maxValueBytes, deadline).map((held) -> new LookReply(held, null));
	}

	@Override
	public Mono<PrepareReply> prepare(Key key, Proposal proposal, Deadline deadline) {
		this.proposals.add(proposal);
		Sinks.One<PrepareReply> sink = Sinks.one();
		this.prepares.add(sink);
		if (this.preparedAtOnce != null) {
			sink.tryEmitValue(this.preparedAtOnce).orThrow();
		}
		return sink.asMono();
	}

	@Override
	public void release(Key key, Timestamp ballot, Deadline deadline) {
		this.released.add(new Release(ballot, deadline));
	}

	@Override
	public Mono<HandoverReply> handOver(Key key, Handover write, Deadline deadline) {
		this.handedOver.add(write);
		Sinks.One<HandoverReply> sink = Sinks.one();
		this.handovers.add(sink);
		return sink.asMono();
	}

	@Override
	public Mono<PageReply> page(PageRequest request, Deadline deadline) {
		throw new UnsupportedOperationException("not scripted");
	}

	/** Answers the latest write. */
	void answer(WriteReply reply) {
		this.writes.getLast().tryEmitValue(reply).orThrow();
	}

	/** Answers a write, of which the first has the number 0. */
	void answer(int write, WriteReply reply) {
		this.writes.get(write).tryEmitValue(reply).orThrow();
	}

	/** Answers the latest read. */
	void answer(ReadReply reply) {
		this.reads.getLast().tryEmitValue(reply).orThrow();
	}

	/** Answers the latest prepare. */
	void answer(PrepareReply reply) {
		this.prepares.getLast().tryEmitValue(reply).orThrow();
	}

	/** Answers the latest write that was handed over. */
	void answer(HandoverReply reply) {
		this.handovers.getLast().tryEmitValue(reply).orThrow();
	}

	/** What it was asked to promise. */
	List<Proposal> proposals() {
		return this.proposals;
	}

	List<Release> released() {
		return this.released;
	}

	/** The writes that were handed to it. */
	List<Handover> handedOver() {
		return this.handedOver;
	}

	/** How many reads it was asked for. */
	int reads() {
		return this.reads.size();
	}

	/** How many bytes of a value were wanted by each read. */
	List<Integer> wanted() {
		return this.wanted;
	}

	List<Entry> applied() {
		return this.applied;
	}

	int cancelled() {
		return this.cancelled.get();
	}

}
