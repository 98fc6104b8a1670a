package io.quorate.watch;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.entry.KeyRanges;
import io.quorate.entry.ScanRange;
import io.quorate.replica.ChangesReply;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Failure;
import io.quorate.replica.Replica;
import io.quorate.storage.Arrivals;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * The arrivals at one member, as this node knows them. At most one request for them is
 * under way.
 */
final class Follower {

	private static final Logger log = LoggerFactory.getLogger(Follower.class);

	private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(2 * ChangesRequest.MOST_WAIT_MILLIS);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final String member;

	private Replica replica;

	private long epoch;

	private long position = Arrivals.NOW;

	private int asks;

	private boolean isAsked;

	private boolean isWaiting;

	private KeyRanges askedRanges = KeyRanges.NONE;

	private long askedNanos;

	private long askedMillis;

	private long retryNanos;

	private Disposable asking = Disposables.disposed();

	/* Of the last request that was answered. */
	private long answeredNanos;

	/* Of the last request whose answer had all that had arrived, and its ranges. */
	private long completeNanos;

	private long completeMillis;

	private KeyRanges completeRanges = KeyRanges.NONE;

	/* Since when nothing that has arrived there was left out. */
	private long unbrokenNanos;

	private boolean isSettled;

	private @Nullable Set<Unconfirmed> awaited;

	/* Those that have to name what was left out here; none once they have. */
	private List<Follower> vouchers = List.of();

	/** A member of which nothing is known yet. */
	Follower(Replica replica, long nowNanos) {
		this.member = replica.nodeId();
		this.replica = replica;
		this.retryNanos = nowNanos;
	}

	String member() {
		return this.member;
	}

	Replica replica() {
		return this.replica;
	}

	/** Asks by another layout from now on. */
	void replaceBy(Replica planned) {
		this.replica = planned;
		abandon();
	}

	/** Whether a number of arrival is known. */
	boolean isKnown() {
		return this.position != Arrivals.NOW;
	}

	long epoch() {
		return this.epoch;
	}

	/** Number up to which all arrivals are known. */
	long position() {
		return this.position;
	}

	/** Whether a request was answered within a time. */
	boolean isReached(long nowNanos, long withinNanos) {
		return isKnown() && nowNanos - this.answeredNanos < withinNanos;
	}

	/** An instant at which all was known that had arrived. */
	long completeNanos() {
		return this.completeNanos;
	}

	/** The same by the physical clock, in milliseconds since the epoch. */
	long completeMillis() {
		return this.completeMillis;
	}

	/** Whether all in a range is known that had arrived at an instant. */
	boolean isComplete(ScanRange range, long nanos) {
		return isKnown() && this.completeNanos - nanos >= 0 && this.completeRanges.covers(range);
	}

	/**
	 * Whether all that had arrived up to its number is settled. What was left out when it
	 * was first followed, others have to name.
	 */
	boolean isSettled() {
		return this.isSettled;
	}

	long unbrokenNanos() {
		return this.unbrokenNanos;
	}

	/**
	 * Others have named all that had arrived when it was first followed. It is settled
	 * with the last of it.
	 * @param unconfirmed what is not confirmed now
	 */
	void settle(Collection<Unconfirmed> unconfirmed, Predicate<Unconfirmed> isOpen) {
		Set<Unconfirmed> all = this.awaited;
		if (all == null) {
			all = Collections.newSetFromMap(new IdentityHashMap<>());
			all.addAll(unconfirmed);
			this.awaited = all;
		}
		all.removeIf(isOpen.negate());
		this.isSettled = all.isEmpty();
	}

	/** Whether nothing was left out since an instant. */
	boolean isUnbrokenSince(long nanos) {
		return isKnown() && this.unbrokenNanos - nanos <= 0;
	}

	/** Whether no request is under way that leaves out keys of these ranges. */
	boolean isAskedFor(KeyRanges ranges) {
		return !this.isAsked || ranges.ranges().stream().allMatch(this.askedRanges::covers);
	}

	boolean mayAsk(long nowNanos) {
		return !this.isAsked && nowNanos - this.retryNanos >= 0;
	}

	/**
	 * Asks for what has arrived since.
	 * @param waitMillis time that the member waits if there is nothing
	 * @param answered receives the reply, and the number of the request
	 */
	void ask(KeyRanges ranges, int waitMillis, long nowNanos, long nowMillis, Answered answered) {
		this.isAsked = true;
		this.isWaiting = waitMillis > 0;
		this.askedRanges = ranges;
		this.askedNanos = nowNanos;
		this.askedMillis = nowMillis;
		int ask = ++this.asks;
		ChangesRequest request = new ChangesRequest(ranges, this.epoch, this.position, waitMillis);
		Deadline deadline = new Deadline(nowNanos + ANSWER_NANOS);
		this.asking = replies(() -> this.replica.changes(request, deadline), ChangesReply.Failed::new)
			.subscribe((reply) -> answered.with(reply, ask));
	}

	/**
	 * The reply to a request, also where a bug has left none.
	 * @param failed makes a reply of its failure
	 */
	static <R> Mono<R> replies(Supplier<Mono<R>> request, Function<Failure, R> failed) {
		return Mono.defer(request).onErrorResume((bug) -> {
			log.error("Bug: the replica threw an exception instead of replying with a failure", bug);
			return Mono.just(failed.apply(new Failure(Failure.Reason.FAILED, String.valueOf(bug.getMessage()))));
		});
	}

	/** Does not listen to the answer any more: the next request asks for the same. */
	void abandon() {
		this.isAsked = false;
		this.asks++;
		this.asking.dispose();
	}

	/** As above, unless the answer to the request comes at once. */
	void abandonWait() {
		if (this.isWaiting) {
			abandon();
		}
	}

	/** Whether an answer is one to the request that is under way, which it ends. */
	boolean isAnsweredBy(int ask) {
		boolean isAnswer = this.isAsked && ask == this.asks;
		this.isAsked &= !isAnswer;
		return isAnswer;
	}

	void failed(long nowNanos) {
		this.retryNanos = nowNanos + RETRY_NANOS;
	}

	/** Notes that all of an answer is known. */
	void reached(Arrivals.Page page) {
		this.position = page.through();
		if (!page.hasMore()) {
			this.completeNanos = this.askedNanos;
			this.completeMillis = this.askedMillis;
			this.completeRanges = this.askedRanges;
		}
		this.answeredNanos = this.askedNanos;
	}

	/**
	 * Others have to name what was left out.
	 * @param others so many that the rest are no majority
	 */
	void awaitVouchers(List<Follower> others) {
		this.vouchers = List.copyOf(others);
	}

	/** Whether others have named what was left out. */
	boolean isVouchedFor() {
		if (!this.vouchers.isEmpty()
				&& this.vouchers.stream().allMatch((other) -> other.completeNanos - this.unbrokenNanos >= 0)) {
			this.vouchers = List.of();
		}
		return this.vouchers.isEmpty();
	}

	/** Those that have to name what was left out. */
	List<Follower> vouchers() {
		return this.vouchers;
	}

	/** Begins at a number: what has arrived before is left out. */
	void begin(Arrivals.Page page) {
		this.epoch = page.epoch();
		this.unbrokenNanos = this.askedNanos;
		this.isSettled = false;
		this.awaited = null;
		reached(page);
	}

	/** Receives an answer. */
	@FunctionalInterface
	interface Answered {

		void with(ChangesReply reply, int ask);

	}

}
