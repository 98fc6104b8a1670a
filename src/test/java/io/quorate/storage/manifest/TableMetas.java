package io.quorate.storage.manifest;

import java.util.Map;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.storage.sstable.TableSummary;

/** Tables that exist only as descriptions. */
public final class TableMetas {

	private TableMetas() {
	}

	/** A table of plain values between two keys, its timestamps made from its number. */
	public static TableMeta table(long number, int level, long run, String smallest, String largest) {
		return table(number, level, run, smallest, largest, Map.of());
	}

	/** A table that refers to value files. */
	public static TableMeta table(long number, int level, long run, String smallest, String largest,
			Map<Long, Long> valueBytes) {
		TableSummary summary = new TableSummary(new TableSummary.Counts(100, 3, 2),
				new TableSummary.Keys(Key.of(smallest), Key.of(largest)),
				new TableSummary.Times(Timestamp.ofMillis(1000 * number), Timestamp.ofMillis(1000 * number + 999),
						Versioned.NEVER),
				100 * number, 4096, valueBytes);
		return new TableMeta(number, level, run, summary);
	}

}
