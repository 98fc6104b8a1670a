package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class MapDbTableConcurrencyTests {

	private static final int ENTRIES = 200_000;

	private static final int READERS = 4;

	private static final int READS = 40_000;

	@TempDir
	private Path directory;

	@ParameterizedTest
	@EnumSource
	void interruptedReadersDisturbNobody(Compression compression) throws Exception {
		BlockCache cache = new BlockCache(200_000);
		TableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH, new KeyCache(100_000), cache,
				TableListener.NONE);
		Path file = this.directory.resolve("000001.sst");
		write(format, file, compression);
		ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
		AtomicLong interrupted = new AtomicLong();
		List<Thread> readers = new ArrayList<>();
		try (SortedTable table = format.open(file)) {
			for (int i = 0; i < READERS; i++) {
				long seed = i;
				readers.add(Thread.ofPlatform()
					.uncaughtExceptionHandler((_, failure) -> failures.add(failure))
					.start(() -> read(table, new Random(seed), interrupted)));
			}
			while (readers.stream().anyMatch(Thread::isAlive)) {
				readers.forEach(Thread::interrupt);
				LockSupport.parkNanos(100_000);
			}
			assertThat(failures).isEmpty();
			assertThat(interrupted).hasPositiveValue();
			assertThat(table.verify()).isPositive();
			assertThat(cache.sizeBytes()).isBetween((compression == Compression.NONE) ? 0L : 1L, 200_000L);
		}
		assertThat(cache.blocks()).isZero();
	}

	private static void write(TableFormat format, Path file, Compression compression) throws IOException {
		try (TableBuilder builder = format.create(file, ENTRIES, compression)) {
			for (int i = 0; i < ENTRIES; i++) {
				builder.add(key(i), entry(i));
			}
			builder.finish();
		}
	}

	private static void read(SortedTable table, Random random, AtomicLong interrupted) {
		for (int i = 0; i < READS; i++) {
			int number = random.nextInt(ENTRIES);
			assertThat(table.get(key(number))).isEqualTo(entry(number));
			if (i % 100 == 0) {
				TableCursor cursor = table.cursor(key(number));
				for (int j = number; j < Math.min(ENTRIES, number + 50); j++) {
					assertThat(cursor.next()).isEqualTo(new KeyedEntry(key(j), entry(j)));
				}
			}
			if (Thread.currentThread().isInterrupted() && i % 2 == 0) {
				interrupted.incrementAndGet();
				Thread.interrupted();
			}
		}
	}

	private static Key key(int number) {
		return Key.of("reader-%09d".formatted(number));
	}

	private static StoredEntry entry(int number) {
		byte[] value = new byte[number % 60];
		Arrays.fill(value, (byte) number);
		return new StoredEntry(number, Timestamp.ofMillis(number), Versioned.NEVER, 3, new Inline(Value.wrap(value)));
	}

}
