package io.quorate.coordinator;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Versioned;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The pages of one node in a scan: its records that have arrived and are not merged yet.
 */
final class NodePages {

	final Replica replica;

	private final Deque<ScanRecord> records = new ArrayDeque<>();

	private long sizeBytes;

	private final Comparator<Key> order;

	/* The range that the next page begins, null at the end of the range. */
	private @Nullable ScanRange rest;

	private boolean isAsked;

	private int asked;

	private Disposable asking = Disposables.disposed();

	/**
	 * Whether the node is silent, and suspect or the deadline is near, so that the scan
	 * waits for it only if it must.
	 */
	boolean isLeftBehind;

	/** Reason for the node's failure, or {@code null} when it has not failed. */
	@Nullable Failure failure;

	NodePages(Replica replica, ScanRange range) {
		this.replica = replica;
		this.order = range.order();
		this.rest = range;
	}

	/**
	 * Notes that a page is asked for from now on, and returns the number of the request.
	 */
	int asks() {
		this.isAsked = true;
		return ++this.asked;
	}

	/** Sets the handle that stops the wait for the page. */
	void stopsBy(Disposable waiting) {
		this.asking = waiting;
	}

	boolean isAsked() {
		return this.isAsked;
	}

	/**
	 * Notes that a page, or the failure to send one, has come.
	 * @return whether it answers the request that is waited for
	 */
	boolean isAnsweredBy(int ask) {
		if (!this.isAsked || ask != this.asked) {
			return false;
		}
		this.isAsked = false;
		this.isLeftBehind = false;
		return true;
	}

	/** Stops the wait for the node's page. */
	void stopAsking() {
		this.isAsked = false;
		this.isLeftBehind = false;
		this.asking.dispose();
	}

	/** Whether the node's next page is needed to know its next entry. */
	boolean isDry() {
		return this.records.isEmpty() && this.rest != null;
	}

	/** Whether the node has no answer for the next key, and may have none for long. */
	boolean isOut() {
		return isDry() && (this.failure != null || this.isLeftBehind);
	}

	/** Whether the node has no answer for the next key, and gets none for this page. */
	boolean isLost() {
		return isDry() && this.failure != null;
	}

	/** Whether the node has refused its next page because of its layout. */
	boolean isOfOtherLayout() {
		return this.failure != null && this.failure.reason().isOfLayout();
	}

	/** Whether the node is expected to have an answer for the next key. */
	boolean isAwaited() {
		return isDry() && !isOut();
	}

	/**
	 * The range that the node's next page begins; keys that were decided without the node
	 * in the meantime are left out, or all but the last of them.
	 */
	ScanRange rest(@Nullable Key decided) {
		ScanRange range = this.rest;
		if (range == null) {
			throw new IllegalStateException("the range of " + this.replica.nodeId() + " has ended");
		}
		return (decided != null && range.beginsBefore(decided)) ? range.restFrom(decided) : range;
	}

	/**
	 * Takes in a page.
	 * @param next border of the rest behind the page, {@code null} for no rest
	 * @param decided the last key that is decided: records up to it do not count any more
	 */
	void add(List<ScanRecord> page, @Nullable Key next, @Nullable Key decided) {
		for (ScanRecord item : page) {
			if (decided == null || this.order.compare(item.key(), decided) > 0) {
				this.records.add(item);
				this.sizeBytes += item.sizeBytes();
			}
		}
		this.rest = (next != null) ? rest(null).restFrom(next) : null;
	}

	/** The next key that the node holds an entry of, or {@code null}. */
	@Nullable Key head() {
		ScanRecord first = this.records.peek();
		return (first != null) ? first.key() : null;
	}

	/** Takes out the node's entry of a key that it has passed, {@code null} for none. */
	@Nullable Versioned take(Key key) {
		ScanRecord first = this.records.peek();
		if (first == null || !first.key().equals(key)) {
			return null;
		}
		this.records.remove();
		this.sizeBytes -= first.sizeBytes();
		return first.state();
	}

	/** Bytes of the records that have arrived and are not merged yet. */
	long sizeBytes() {
		return this.sizeBytes;
	}

	static long sizeBytes(List<ScanRecord> page) {
		long bytes = 0;
		for (ScanRecord item : page) {
			bytes += item.sizeBytes();
		}
		return bytes;
	}

	String said() {
		if (this.failure != null) {
			return this.failure.reason().word();
		}
		return (isDry() && this.isAsked) ? "silent" : "ack";
	}

}
