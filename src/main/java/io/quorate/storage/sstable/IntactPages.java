package io.quorate.storage.sstable;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;

import io.quorate.entry.Key;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;
import org.mapdb.SortedTableMap;

/**
 * Goes through the pages of a table that are intact, and leaves the others out. No page
 * is looked at before it is known to be intact, not even to see that it is the next one.
 */
final class IntactPages implements TableCursor {

	private final SortedTableMap<byte[], StoredEntry> map;

	private final MappedVolume volume;

	private final PageIndex index;

	private final Consumer<StorageCorruptedException> damaged;

	private final boolean[] intact;

	private int page = -1;

	private Map.@Nullable Entry<byte[], StoredEntry> upcoming;

	IntactPages(SortedTableMap<byte[], StoredEntry> map, MappedVolume volume, PageIndex index,
			Consumer<StorageCorruptedException> damaged) {
		this.map = map;
		this.volume = volume;
		this.index = index;
		this.damaged = damaged;
		this.intact = new boolean[index.pages()];
		for (int i = 0; i < this.intact.length; i++) {
			this.intact[i] = verify(i);
		}
	}

	private boolean verify(int number) {
		try {
			this.volume.verify(number);
			return true;
		}
		catch (StorageCorruptedException damage) {
			this.damaged.accept(damage);
			return false;
		}
		catch (InternalError unreadable) {
			this.damaged.accept(this.volume.unreadable(number, unreadable));
			return false;
		}
	}

	@Override
	public @Nullable KeyedEntry next() {
		while (this.upcoming == null) {
			this.page++;
			if (this.page >= this.intact.length) {
				return null;
			}
			if (this.intact[this.page]) {
				this.upcoming = withinPage(this.map.ceilingEntry(this.index.firstKey(this.page)));
			}
		}
		Map.Entry<byte[], StoredEntry> entry = this.upcoming;
		this.upcoming = after(entry.getKey());
		return new KeyedEntry(Key.wrap(entry.getKey()), entry.getValue());
	}

	/** The next entry of this page: MapDB looks for it on the next one, too. */
	private Map.@Nullable Entry<byte[], StoredEntry> after(byte[] key) {
		try {
			return withinPage(this.map.higherEntry(key));
		}
		catch (StorageCorruptedException next) {
			return null;
		}
	}

	private Map.@Nullable Entry<byte[], StoredEntry> withinPage(Map.@Nullable Entry<byte[], StoredEntry> entry) {
		boolean behind = entry != null && this.page + 1 < this.intact.length
				&& Arrays.compareUnsigned(entry.getKey(), this.index.firstKey(this.page + 1)) >= 0;
		return behind ? null : entry;
	}

}
