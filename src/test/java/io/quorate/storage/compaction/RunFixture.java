package io.quorate.storage.compaction;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.sstable.TableSummary;

/**
 * A run described by words such as {@code 3 level=1 size=96 tables=2 entries=900
 * tombstones=4 expiring=10 expiry=5000 time=10..20 values=7:100,8:50}. Table {@code i} of
 * run {@code r} has the number {@code 10 r + i}; sizes are in KiB, times in milliseconds.
 */
final class RunFixture {

	private static final int KIB = 1024;

	private static final Set<String> KNOWN = Set.of("level", "size", "tables", "entries", "tombstones", "expiring",
			"expiry", "time", "values");

	private RunFixture() {
	}

	static List<TableMeta> parse(String line) {
		String[] words = line.trim().split("\\s+", -1);
		long run = Long.parseLong(words[0]);
		Map<String, String> values = new HashMap<>();
		for (String word : List.of(words).subList(1, words.length)) {
			String[] pair = word.split("=", 2);
			if (!KNOWN.contains(pair[0])) {
				throw new IllegalArgumentException("unknown word " + word);
			}
			values.put(pair[0], pair[1]);
		}
		return tables(run, values);
	}

	private static List<TableMeta> tables(long run, Map<String, String> words) {
		int count = (int) number(words, "tables", 1);
		long size = number(words, "size", 1);
		String[] time = words.getOrDefault("time", run * 10 + ".." + (run * 10 + 9)).split("\\.\\.", 2);
		List<TableMeta> tables = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			TableSummary summary = new TableSummary(
					new TableSummary.Counts(number(words, "entries", size * 10) / count,
							number(words, "tombstones", 0) / count, number(words, "expiring", 0) / count),
					new TableSummary.Keys(Key.of("k" + i), Key.of("k" + i + "z")),
					new TableSummary.Times(Timestamp.ofMillis(Long.parseLong(time[0])),
							Timestamp.ofMillis(Long.parseLong(time[1])), number(words, "expiry", Versioned.NEVER)),
					run, size * KIB / count, (i == 0) ? valueBytes(words.getOrDefault("values", "")) : Map.of());
			tables.add(new TableMeta(run * 10 + i, (int) number(words, "level", 0), run, summary));
		}
		return tables;
	}

	private static Map<Long, Long> valueBytes(String text) {
		Map<Long, Long> bytes = new HashMap<>();
		for (String file : text.isEmpty() ? new String[0] : text.split(",", -1)) {
			String[] pair = file.split(":", 2);
			bytes.put(Long.parseLong(pair[0]), Long.parseLong(pair[1]) * KIB);
		}
		return bytes;
	}

	private static long number(Map<String, String> words, String name, long otherwise) {
		String text = words.get(name);
		return (text != null) ? Long.parseLong(text) : otherwise;
	}

}
