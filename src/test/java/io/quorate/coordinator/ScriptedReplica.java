package io.quorate.coordinator;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
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

	private final AtomicInteger cancelled = new AtomicInteger();

	private @Nullable WriteReply atOnce;

	ScriptedReplica(String nodeId) {
		this.nodeId = nodeId;
	}

	/** From now on writes are answered before the call returns. */
	ScriptedReplica answeringAtOnce(WriteReply reply) {
		this.atOnce = reply;
		return this;
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
