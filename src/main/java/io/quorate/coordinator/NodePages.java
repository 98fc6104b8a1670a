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

/** The pages of one node in a scan: what has come of them and is not merged yet. */
final class NodePages {

	final Replica replica;

	private final Deque<ScanPage.Item> items = new ArrayDeque<>();

	private long sizeBytes;

	/* Where the next page starts, null at the end of the range. */
	private @Nullable Key next;

	private boolean isAsked;

	private int asked;

	private Disposable asking = Disposables.disposed();

	/** Whether it is silent and suspect, so that nothing waits for it that need not. */
	boolean isLeftBehind;

	/** Why it failed, or {@code null} when it has not. */
	@Nullable Failure failure;

	NodePages(Replica replica, Key start) {
		this.replica = replica;
		this.next = start;
	}

	/** From now on a page is on its way. */
	int asks() {
		this.isAsked = true;
		return ++this.asked;
	}

	/** How to stop waiting for the page that is on its way. */
	void stopsBy(Disposable waiting) {
		this.asking = waiting;
	}

	boolean isAsked() {
		return this.isAsked;
	}

	/**
	 * Takes note that a page, or the failure to give one, has come.
	 * @return whether it is the one that is waited for
	 */
	boolean isAnsweredBy(int ask) {
		if (!this.isAsked || ask != this.asked) {
			return false;
		}
		this.isAsked = false;
		this.isLeftBehind = false;
		return true;
	}

	/** Nobody waits for its page any more. */
	void stopAsking() {
		this.isAsked = false;
		this.isLeftBehind = false;
		this.asking.dispose();
	}

	/** Whether its next page is needed to know what it holds next. */
	boolean isDry() {
		return this.items.isEmpty() && this.next != null;
	}

	/** Whether it has nothing to say about the next key, and may not for long. */
	boolean isOut() {
		return isDry() && (this.failure != null || this.isLeftBehind);
	}

	/** Whether it has nothing to say about the next key, and never will on this page. */
	boolean isLost() {
		return isDry() && this.failure != null;
	}

	/** Whether it is going to say something about the next key. */
	boolean isAwaited() {
		return isDry() && !isOut();
	}

	/**
	 * Where its next page starts; what was decided without it in the meantime is left
	 * out.
	 */
	Key next(@Nullable Key decided) {
		Key start = this.next;
		if (start == null) {
			throw new IllegalStateException("the range of " + this.replica.nodeId() + " has come to its end");
		}
		return (decided != null && decided.compareTo(start) > 0) ? decided : start;
	}

	/**
	 * Takes in a page.
	 * @param decided the last key that is decided: up to it nothing counts any more
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

	/** The next key that it holds an entry of, or {@code null}. */
	@Nullable Key head() {
		ScanPage.Item first = this.items.peek();
		return (first != null) ? first.key() : null;
	}

	/** Its entry of a key that it has passed, taken out, or {@code null} for none. */
	@Nullable Entry take(Key key) {
		ScanPage.Item first = this.items.peek();
		if (first == null || !first.key().equals(key)) {
			return null;
		}
		this.items.remove();
		this.sizeBytes -= sizeBytes(first.key(), first.entry());
		return first.entry();
	}

	/** Bytes of what has come and is not merged yet. */
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
