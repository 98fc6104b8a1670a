package io.quorate.repair.antientropy;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.FailingComparison;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The way to a peer, which can be cut, or swallow what is asked. */
final class Line implements PeerComparison {

	private final PeerComparison peer;

	private volatile PeerComparison now;

	private volatile int last = Integer.MAX_VALUE;

	private volatile Runnable afterLast = () -> {
	};

	private volatile boolean silent;

	final AtomicInteger asked = new AtomicInteger();

	final AtomicInteger begun = new AtomicInteger();

	Line(PeerComparison peer) {
		this.peer = peer;
		this.now = peer;
	}

	/** From now on nothing gets through. */
	void cut() {
		this.now = new FailingComparison(this.peer.nodeId(), new Failure(Reason.DISCONNECTED, "cut"));
	}

	/** Cuts itself after so many more questions. */
	void cutAfter(int questions) {
		after(questions, this::cut);
	}

	/** Something happens after so many more questions, before each that follows. */
	void after(int questions, Runnable happens) {
		this.afterLast = happens;
		this.last = this.asked.get() + questions;
	}

	/** Number of questions until now. */
	int asked() {
		return this.asked.get();
	}

	void mend() {
		this.last = Integer.MAX_VALUE;
		this.now = this.peer;
	}

	/** From now on nothing is answered. */
	void fallSilent() {
		this.silent = true;
	}

	private <T> Mono<T> through(Supplier<Mono<T>> question) {
		if (this.asked.incrementAndGet() > this.last) {
			this.afterLast.run();
		}
		return this.silent ? Mono.never() : question.get();
	}

	@Override
	public String nodeId() {
		return this.peer.nodeId();
	}

	@Override
	public Mono<ComparisonReply<ComparisonStart>> begin(Round round, ComparisonStart ours, Deadline deadline) {
		this.begun.incrementAndGet();
		return through(() -> this.now.begin(round, ours, deadline));
	}

	@Override
	public Mono<ComparisonReply<ComparisonResult>> compare(Round round, List<RangeHash> ranges, Deadline deadline) {
		return through(() -> this.now.compare(round, ranges, deadline));
	}

	@Override
	public Mono<ComparisonReply<HeaderPage>> headers(Round round, Key start, @Nullable Key end, Deadline deadline) {
		return through(() -> this.now.headers(round, start, end, deadline));
	}

	@Override
	public Mono<ComparisonReply<ScanPage>> fetch(Round round, List<Key> keys, Deadline deadline) {
		return through(() -> this.now.fetch(round, keys, deadline));
	}

	@Override
	public Mono<ComparisonReply<Round>> complete(Round round, Deadline deadline) {
		return through(() -> this.now.complete(round, deadline));
	}

}
