package io.quorate.repair.hint;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A member that comes and goes, refuses, and loses requests and replies, in a time of its
 * own.
 */
final class FlakyMember implements Replica {

	private static final long MILLI = 1_000_000;

	/** Entries stamped before that are refused as too old. */
	long horizonMillis;

	boolean isUp;

	/** The key of an entry that it never takes. */
	@Nullable Key neverTaken;

	/** The reason for which it takes nothing for a while, {@code null} for none. */
	@Nullable Reason refusal;

	/**
	 * What it says while a promise keeps it from taking anything, {@code null} for none.
	 */
	@Nullable Timestamp promise;

	/** One in so many messages goes wrong; 0 for none. */
	int trouble;

	int mostAtOnce;

	int fenced;

	private final Random random;

	private final Map<Key, Entry> held = new HashMap<>();

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private long nanos;

	private long number;

	private int underWay;

	FlakyMember(Random random) {
		this.random = random;
	}

	long nanos() {
		return this.nanos;
	}

	/** Lets time pass, and what happens in it happen. */
	void pass(long until) {
		Event next = this.events.peek();
		while (next != null && next.nanos <= until) {
			this.events.remove();
			this.nanos = Math.max(this.nanos, next.nanos);
			next.work.run();
			next = this.events.peek();
		}
		this.nanos = Math.max(this.nanos, until);
	}

	@Nullable Entry held(Key key) {
		return this.held.get(key);
	}

	@Override
	public String nodeId() {
		return "b";
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
		assertThat(origin).isEqualTo(Origin.HINT);
		if (!this.isUp) {
			return Mono.just(failed(Reason.DISCONNECTED));
		}
		this.underWay++;
		this.mostAtOnce = Math.max(this.mostAtOnce, this.underWay);
		Sinks.One<WriteReply> reply = Sinks.one();
		boolean isLost = goesWrong();
		boolean isReplyLost = goesWrong();
		at(transit(), () -> {
			if (!isLost && this.isUp) {
				WriteReply said = goesWrong() ? failed(Reason.OVERLOADED) : put(key, entry);
				if (!isReplyLost) {
					at(transit(), () -> reply.tryEmitValue(said));
				}
			}
		});
		at(Handoff.DEADLINE.toNanos(), () -> reply.tryEmitValue(failed(Reason.TIMEOUT)));
		return reply.asMono().doOnNext((_) -> this.underWay--);
	}

	private WriteReply put(Key key, Entry entry) {
		Reason refused = this.refusal;
		if (refused != null) {
			return failed(refused);
		}
		Timestamp promised = this.promise;
		if (promised != null) {
			return new WriteReply.Promised(promised);
		}
		if (key.equals(this.neverTaken)) {
			return failed(Reason.CORRUPT);
		}
		if (entry.timestamp().millis() < this.horizonMillis) {
			this.fenced++;
			return failed(Reason.FENCED);
		}
		Entry before = this.held.get(key);
		if (before != null && before.timestamp().isAfter(entry.timestamp())) {
			return new WriteReply.Superseded(before.timestamp(), true);
		}
		this.held.put(key, entry);
		return WriteReply.Applied.COMPLETE;
	}

	private static WriteReply failed(Reason reason) {
		return new WriteReply.Failed(new Failure(reason, "so it was drawn"));
	}

	private boolean goesWrong() {
		return this.trouble > 0 && this.random.nextInt(this.trouble) == 0;
	}

	private long transit() {
		return MILLI / 10 + this.random.nextLong(2 * MILLI);
	}

	private void at(long delay, Runnable work) {
		this.events.add(new Event(this.nanos + delay, this.number++, work));
	}

	@Override
	public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
		throw new UnsupportedOperationException("nobody reads");
	}

	@Override
	public Mono<PageReply> page(PageRequest request, Deadline deadline) {
		throw new UnsupportedOperationException("nobody reads");
	}

	private record Event(long nanos, long number, Runnable work) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			int byTime = Long.compare(this.nanos, other.nanos);
			return (byTime != 0) ? byTime : Long.compare(this.number, other.number);
		}

	}

}
