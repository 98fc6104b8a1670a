package io.quorate.coordinator;

import java.util.ArrayDeque;
import java.util.Deque;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure;
import io.quorate.replica.Replica;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;

/** The pages of one node in a scan: what has come of them and is not merged yet. */
final class NodePages {

	final Replica replica;

	private final Deque<ScanPage.Item> items = new ArrayDeque<>();

	/* Where the next page starts, null at the end of the range. */
	private @Nullable Key next;

	boolean isAsked;

	/** Whether it is silent and suspect, so that nothing waits for it that need not. */
	boolean isLeftBehind;

	/** Why it failed, or {@code null} when it has not. */
	@Nullable Failure failure;

	NodePages(Replica replica, Key start) {
		this.replica = replica;
		this.next = start;
	}

	/** Whether its next page is needed to know what it holds next. */
	boolean isDry() {
		return this.items.isEmpty() && this.next != null;
	}

	/** Whether it has nothing to say about the next key, and may not for long. */
	boolean isOut() {
		return isDry() && (this.failure != null || this.isLeftBehind);
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
		return first.entry();
	}

	String said() {
		if (this.failure != null) {
			return this.failure.reason().word();
		}
		return (isDry() && this.isAsked) ? "silent" : "ack";
	}

}
