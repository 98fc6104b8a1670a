package io.quorate.storage.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageProperties.Sync;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scans of whole entries and of headers, in both directions, of a store with several
 * tables and memtables, against a sorted map.
 */
class ScanDirectionModelTests {

	private static final int STEPS = 3000;

	@TempDir
	private Path directory;

	private final long seed = Long.getLong("model.seed", System.nanoTime());

	private final Random random = new Random(this.seed);

	private final NavigableMap<Key, Entry> model = new TreeMap<>();

	private int step;

	@RepeatedTest(3)
	void scansReturnTheEntriesOfAMap() {
		LsmStore store = open();
		try {
			for (this.step = 0; this.step < STEPS; this.step++) {
				int dice = this.random.nextInt(1000);
				if (dice < 900) {
					write(store);
				}
				else if (dice < 980) {
					scan(store);
				}
				else if (dice < 995) {
					await(store.flush());
				}
				else if (dice < 998) {
					await(store.compacted());
				}
				else {
					store.close();
					store = open();
				}
			}
			for (int i = 0; i < 50; i++) {
				scan(store);
			}
		}
		finally {
			store.close();
		}
	}

	private LsmStore open() {
		return StoreOpening.open(TestStores.properties(this.directory, Sync.NEVER), PurgePolicy.nothing());
	}

	private void write(LsmStore store) {
		Key key = randomKey();
		Timestamp stamp = Timestamp.ofMillis(1000L + this.step);
		int size = (this.random.nextInt(20) == 0) ? 20_000 : this.random.nextInt(300);
		Entry entry = switch (this.random.nextInt(5)) {
			case 0 -> new Entry.Tombstone(stamp, 3);
			case 1 -> new Entry.Live(stamp, 3, 5000, value(size));
			default -> new Entry.Live(stamp, 3, Entry.NEVER, value(size));
		};
		await(store.apply(key, entry, Runnable::run));
		this.model.put(key, entry);
	}

	private Value value(int size) {
		byte[] value = new byte[size];
		this.random.nextBytes(value);
		return Value.wrap(value);
	}

	/* Many are prefixes of others. */
	private Key randomKey() {
		byte[] key = new byte[this.random.nextInt(1, 6)];
		for (int i = 0; i < key.length; i++) {
			key[i] = (byte) "\u0000a\u00ff".charAt(this.random.nextInt(3));
		}
		return Key.wrap(key);
	}

	private void scan(LsmStore store) {
		ScanRange range = new ScanRange(randomKey(), (this.random.nextInt(3) == 0) ? null : randomKey(),
				this.random.nextBoolean());
		PageLimit limit = new PageLimit(this.random.nextInt(1, 100), this.random.nextInt(1, 30_000),
				this.random.nextInt(1, 200));
		NavigableMap<Key, Entry> expected = expected(range);
		String what = "seed %d, step %d, %s, %s".formatted(this.seed, this.step, range, limit);
		assertThat(entries(store, range, limit)).as(what).containsExactlyEntriesOf(expected);
		List<Map.Entry<Key, Summary>> headers = new ArrayList<>();
		expected.forEach((key, entry) -> headers.add(Map.entry(key, Summary.of(entry))));
		assertThat(headers(store, range, limit)).as(what).isEqualTo(headers);
	}

	private NavigableMap<Key, Entry> expected(ScanRange range) {
		Key end = range.end();
		if (range.isEmpty()) {
			return new TreeMap<>();
		}
		NavigableMap<Key, Entry> in = (end != null) ? this.model.subMap(range.start(), true, end, false)
				: this.model.tailMap(range.start(), true);
		return range.isDescending() ? in.descendingMap() : in;
	}

	private static NavigableMap<Key, Entry> entries(LsmStore store, ScanRange range, PageLimit limit) {
		NavigableMap<Key, Entry> found = new TreeMap<>(range.order());
		Key last = null;
		for (ScanRange rest = range; rest != null;) {
			ScanPage page = await(store.page(rest, limit, Deadline.none(), Runnable::run));
			for (ScanPage.Item item : page.records()) {
				assertThat(last == null || range.order().compare(last, item.key()) < 0).as("order").isTrue();
				found.put(item.key(), item.entry());
				last = item.key();
			}
			rest = rest(rest, page.next());
		}
		return found;
	}

	private static List<Map.Entry<Key, Summary>> headers(LsmStore store, ScanRange range, PageLimit limit) {
		List<Map.Entry<Key, Summary>> found = new ArrayList<>();
		for (ScanRange rest = range; rest != null;) {
			HeaderPage page = await(store.headers(rest, limit, Deadline.none(), Runnable::run));
			page.headers().forEach((header) -> found.add(Map.entry(header.key(), header.summary())));
			rest = rest(rest, page.next());
		}
		return found;
	}

	private static @Nullable ScanRange rest(ScanRange range, @Nullable Key border) {
		ScanRange rest = (border != null) ? range.restFrom(border) : null;
		assertThat(rest).as("progress").isNotEqualTo(range);
		return rest;
	}

}
