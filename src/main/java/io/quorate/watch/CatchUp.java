package io.quorate.watch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.PageLimit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The way of a watch through what has arrived at the members since positions, in the
 * order of the keys: each member sends pages of headers. An entry that a majority of the
 * replicas of its key has sent is reported, and any other key is read by a majority. It
 * stops while its client takes nothing.
 * <p>
 * Used by one thread at a time.
 */
final class CatchUp {

	private static final int PAGE_RECORDS = 1000;

	private static final int PAGE_BYTES = 256 * 1024;

	private static final int PAGE_EXAMINED = 16_384;

	private static final long PAGE_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final int MOST_SLOTS = 256;

	private static final int MOST_SLOT_BYTES = 512 * 1024;

	private static final int MOST_FAILURES = 5;

	private final Taker watch;

	private final Feed feed;

	private final Terms terms;

	private final List<Pages> all = new ArrayList<>();

	/* Keys in their order that are not reported yet. */
	private final Deque<Slot> slots = new ArrayDeque<>();

	/* Of the values that are to be reported. */
	private long slotBytes;

	private int failures;

	private boolean isOver;

	/** A watch that catches up. */
	interface Taker {

		/** The keys that it watches. */
		ScanRange range();

		/** Whether it needs values. */
		boolean hasValues();

		/** Whether it can take more events. */
		boolean hasRoom();

		/**
		 * Takes the news of a key.
		 * @param event {@code null} when there is nothing to report
		 * @param timestamp timestamp of its entry
		 * @param isAhead whether the feed may come to an older entry of the key yet
		 */
		void caughtUp(Key key, WatchEvent.@Nullable OfKey event, Timestamp timestamp, boolean isAhead, Positions begun);

		/** The next catch-up has to find a deletion, or something newer. */
		void leavesOut(Timestamp timestamp);

		/**
		 * The catch-up has ended: the watch has all that had arrived when it began.
		 * @param isWhole whether that is so of the whole range
		 */
		void caughtUp(Positions begun, boolean isWhole);

		/** The catch-up has ended early: too few members answer. */
		void fellShort();

		/** Does what an input has made possible. */
		void go();

	}

	/**
	 * The terms of a catch-up.
	 *
	 * @param since positions since which arrivals are looked for
	 * @param begun positions at its beginning
	 * @param isWhole whether it goes through the whole range
	 * @param hasDeletions whether deletions are reported
	 */
	record Terms(Positions since, Positions begun, boolean isWhole, boolean hasDeletions) {
	}

	/**
	 * A catch-up through a range. Members that do not answer, or of which no position is
	 * known, are left out: the others are enough.
	 */
	CatchUp(Taker watch, Feed feed, ScanRange range, Terms terms) {
		this.watch = watch;
		this.feed = feed;
		this.terms = terms;
		for (Follower follower : feed.followers()) {
			if (feed.isAnswering(follower) && (terms.since().isNone() || terms.since().knows(follower.epoch()))) {
				this.all.add(new Pages(follower, range, terms.since().of(follower.epoch())));
			}
		}
	}

	void stop() {
		this.isOver = true;
		this.all.forEach((pages) -> pages.asking.dispose());
	}

	/** Goes on as far as members and client permit. */
	void go() {
		while (!this.isOver) {
			tell();
			if (this.slots.size() >= MOST_SLOTS || this.slotBytes >= MOST_SLOT_BYTES || !this.watch.hasRoom()) {
				return;
			}
			if (isAwaiting()) {
				return;
			}
			Key key = firstKey();
			if (key == null) {
				if (this.slots.isEmpty()) {
					this.isOver = true;
					this.watch.caughtUp(this.terms.begun(), this.terms.isWhole());
				}
				return;
			}
			take(key);
		}
	}

	/* Asks for the pages that are needed to know the next key. */
	private boolean isAwaiting() {
		boolean isAwaiting = false;
		for (Pages pages : this.all) {
			if (pages.isDry()) {
				isAwaiting = true;
				if (!pages.isAsked) {
					ask(pages);
				}
			}
		}
		return isAwaiting;
	}

	private void ask(Pages pages) {
		ScanRange rest = pages.rest;
		if (rest == null) {
			return;
		}
		pages.isAsked = true;
		PageRequest request = new PageRequest(rest, new PageLimit(PAGE_RECORDS, PAGE_BYTES, PAGE_EXAMINED), true,
				pages.above);
		Deadline deadline = new Deadline(this.feed.now() + PAGE_NANOS);
		pages.asking = Follower.replies(() -> pages.follower.replica().page(request, deadline), PageReply.Failed::new)
			.subscribe((reply) -> this.feed.surroundings().turns().execute(() -> arrived(pages, reply)));
	}

	private void arrived(Pages pages, PageReply reply) {
		if (this.isOver) {
			return;
		}
		pages.isAsked = false;
		if (reply instanceof PageReply.Headers(var page)) {
			pages.headers.addAll(page.headers());
			Key next = page.next();
			pages.rest = (next != null && pages.rest != null) ? pages.rest.restFrom(next) : null;
		}
		else {
			pages.hasFailed = true;
			if (!this.feed.isCovered(this.watch.range(), this::isAnswering)) {
				fallShort();
				return;
			}
		}
		this.watch.go();
	}

	private boolean isAnswering(Follower follower) {
		return this.all.stream().anyMatch((pages) -> pages.follower == follower && !pages.hasFailed);
	}

	private void fallShort() {
		stop();
		this.watch.fellShort();
	}

	private @Nullable Key firstKey() {
		Key first = null;
		for (Pages pages : this.all) {
			Header head = pages.headers.peek();
			if (head != null && (first == null || head.key().compareTo(first) < 0)) {
				first = head.key();
			}
		}
		return first;
	}

	private void take(Key key) {
		Follower first = null;
		long number = 0;
		Summary newest = null;
		boolean isAhead = this.feed.isUnconfirmed(key);
		Set<String> members = new HashSet<>();
		for (Pages pages : this.all) {
			Header head = pages.headers.peek();
			if (head == null || !head.key().equals(key)) {
				continue;
			}
			pages.headers.remove();
			isAhead |= head.sequence() > pages.follower.position();
			String member = pages.follower.member();
			if (this.feed.isDeciding(key, member)) {
				int order = (newest == null) ? 1 : head.summary().timestamp().compareTo(newest.timestamp());
				if (order > 0) {
					newest = head.summary();
					first = pages.follower;
					number = head.sequence();
					members.clear();
				}
				if (order >= 0) {
					members.add(member);
				}
			}
		}
		if (newest == null || first == null) {
			return;
		}
		Slot slot = new Slot(key, newest, first, number);
		slot.isAhead = isAhead;
		boolean isDecided = this.feed.isMajority(key, members);
		slot.isRead = !isDecided || needsValue(newest);
		if (!slot.isRead && !Feed.isOfNothing(newest)) {
			slot.event = this.feed.event(key, newest, null);
		}
		slot.valueBytes = needsValue(newest) ? newest.valueSizeBytes() : 0;
		this.slotBytes += slot.valueBytes;
		this.slots.add(slot);
	}

	private boolean needsValue(Summary summary) {
		return this.watch.hasValues() && !this.feed.isAbsent(summary)
				&& summary.valueSizeBytes() <= WatchTerms.MOST_VALUE_BYTES;
	}

	/* Reads the keys that have to be read, and tells the first ones that are decided. */
	private void tell() {
		for (Slot slot : this.slots) {
			if (slot.isRead && !slot.isReading) {
				if (!this.feed.mayRead()) {
					break;
				}
				slot.isReading = true;
				this.feed.read(slot.key, false, (outcome) -> read(slot, outcome));
			}
		}
		while (!this.isOver && !this.slots.isEmpty() && !this.slots.getFirst().isRead && this.watch.hasRoom()) {
			Slot slot = this.slots.removeFirst();
			this.slotBytes -= slot.valueBytes;
			WatchEvent.OfKey event = slot.event;
			boolean isTold = this.terms.hasDeletions() || event instanceof WatchEvent.Put;
			this.watch.caughtUp(slot.key, isTold ? event : null, slot.newest.timestamp(),
					slot.isAhead || this.feed.isUnconfirmed(slot.key), this.terms.begun());
		}
	}

	private void read(Slot slot, @Nullable ReadOutcome outcome) {
		if (this.isOver) {
			return;
		}
		slot.isReading = false;
		// The feed may not have come to what a read finds.
		slot.isAhead = true;
		switch (outcome) {
			case ReadOutcome.Found(Entry.Live entry) -> {
				if (slot.newest.timestamp().isAfter(entry.timestamp())) {
					open(slot);
				}
				slot.newest = Summary.of(entry);
				slot.event = this.feed.event(slot.key, slot.newest, Feed.content(entry));
				slot.isRead = false;
			}
			case ReadOutcome.Missing(var version) -> {
				Timestamp shown = (version != null) ? version : Timestamp.ZERO;
				if (slot.newest.version().isAfter(shown)) {
					open(slot);
				}
				slot.newest = Feed.deletion(shown);
				slot.event = (version != null) ? new WatchEvent.Delete(slot.key, version) : null;
				slot.isRead = false;
			}
			case null -> {
				if (++this.failures > MOST_FAILURES) {
					fallShort();
				}
			}
		}
	}

	private void open(Slot slot) {
		this.feed.open(slot.holder, slot.key, slot.number, slot.newest);
		if (Unconfirmed.mayBePurged(slot.newest)) {
			this.watch.leavesOut(slot.newest.timestamp());
		}
	}

	/** A key, and the event that is to be reported. */
	private static final class Slot {

		private final Key key;

		private Summary newest;

		/* The first that holds the newest, and the number of its arrival there. */
		private final Follower holder;

		private final long number;

		private int valueBytes;

		private boolean isRead;

		private boolean isReading;

		private boolean isAhead;

		private WatchEvent.@Nullable OfKey event;

		private Slot(Key key, Summary newest, Follower holder, long number) {
			this.key = key;
			this.newest = newest;
			this.holder = holder;
			this.number = number;
		}

	}

	/** The pages of one member. */
	private static final class Pages {

		private final Follower follower;

		private final long above;

		private final Deque<Header> headers = new ArrayDeque<>();

		/* What the next page begins, null at the end of the range. */
		private @Nullable ScanRange rest;

		private boolean isAsked;

		private boolean hasFailed;

		private Disposable asking = Disposables.disposed();

		private Pages(Follower follower, ScanRange range, long above) {
			this.follower = follower;
			this.above = above;
			this.rest = range.isEmpty() ? null : range;
		}

		private boolean isDry() {
			return this.headers.isEmpty() && this.rest != null && !this.hasFailed;
		}

	}

}
