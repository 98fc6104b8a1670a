package io.quorate.coordinator;

import java.util.ArrayDeque;
import java.util.Deque;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure;
import io.quorate.replica.Replica;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The pages of one node in a scan: its records that have arrived and are not merged yet.
 */
final class NodePages {

	final Replica replica;

	private final Deque<ScanPage.Item> items = new ArrayDeque<>();

	private long sizeBytes;

	/* First key of the next page, null at the end of the range. */
	private @Nullable Key next;

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

	NodePages(Replica replica, Key start) {
		this.replica = replica;
		this.next = start;
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
		return this.items.isEmpty() && this.next != null;
	}

	/** Whether the node has no answer for the next key, and may have none for long. */
	boolean isOut() {
		return isDry() && (this.failure != null || this.isLeftBehind);
	}

	/** Whether the node has no answer for the next key, and gets none for this page. */
	boolean isLost() {
		return isDry() && this.failure != null;
	}

	/** Whether the node is expected to have an answer for the next key. */
	boolean isAwaited() {
		return isDry() && !isOut();
	}

	/**
	 * First key of the node's next page; keys that were decided without the node in the
	 * meantime are left out.
	 */
	Key next(@Nullable Key decided) {
		Key start = this.next;
		if (start == null) {
			throw new IllegalStateException("the range of " + this.replica.nodeId() + " has ended");
		}
		return (decided != null && decided.compareTo(start) > 0) ? decided : start;
	}

	/**
	 * Takes in a page.
	 * @param decided the last key that is decided: records up to it do not count any more
	 */
	void add(ScanPage page, @Nullable Key decided) {
		for (ScanPage.Item item : page.records()) {
			if (decided == null || item.key().compareTo(decided) > 0) {
				this.items.add(item);
				this.sizeBytes += sizeBytes(item.key(), item.entry());
			}
		}
		this.next = page.next();
	}

	/** The next key that the node holds an entry of, or {@code null}. */
	@Nullable Key head() {
		ScanPage.Item first = this.items.peek();
		return (first != null) ? first.key() : null;
	}

	/** Takes out the node's entry of a key that it has passed, {@code null} for none. */
	@Nullable Entry take(Key key) {
		ScanPage.Item first = this.items.peek();
		if (first == null || !first.key().equals(key)) {
			return null;
		}
		this.items.remove();
		this.sizeBytes -= sizeBytes(first.key(), first.entry());
		return first.entry();
	}

	/** Bytes of the records that have arrived and are not merged yet. */
	long sizeBytes() {
		return this.sizeBytes;
	}

	static long sizeBytes(ScanPage page) {
		long bytes = 0;
		for (ScanPage.Item item : page.records()) {
			bytes += sizeBytes(item.key(), item.entry());
		}
		return bytes;
	}

	static long sizeBytes(Key key, Entry entry) {
		return (long) key.size() + ReadTally.valueBytes(entry);
	}

	String said() {
		if (this.failure != null) {
			return this.failure.reason().word();
		}
		return (isDry() && this.isAsked) ? "silent" : "ack";
	}

}
