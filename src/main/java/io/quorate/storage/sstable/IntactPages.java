package io.quorate.storage.sstable;

import java.util.function.Consumer;

import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.record.KeyedEntry;
import org.jspecify.annotations.Nullable;

/** Goes through the intact pages of a table, and leaves the damaged ones out. */
final class IntactPages implements TableCursor {

	private final MapDbTable table;

	private final PageWalk walk;

	private final Consumer<StorageCorruptedException> damaged;

	IntactPages(MapDbTable table, PageWalk walk, Consumer<StorageCorruptedException> damaged) {
		this.table = table;
		this.walk = walk;
		this.damaged = damaged;
	}

	@Override
	public @Nullable KeyedEntry next() {
		while (true) {
			try {
				KeyedEntry next = this.walk.next();
				if (next != null || this.walk.page() + 1 == this.table.pages()) {
					return next;
				}
				this.walk.enter(this.walk.page() + 1);
			}
			catch (RuntimeException | AssertionError | InternalError ex) {
				leaveOut(this.table.failure(this.walk.page(), ex));
			}
		}
	}

	private void leaveOut(RuntimeException failure) {
		if (!(failure instanceof StorageCorruptedException damage)) {
			throw failure;
		}
		this.walk.leave();
		this.damaged.accept(damage);
	}

}
