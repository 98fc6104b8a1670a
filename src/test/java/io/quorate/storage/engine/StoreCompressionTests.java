package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.Compression;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageProperties.Sync;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

class StoreCompressionTests {

	private static final int VALUES = 80;

	private static final int VALUE_SIZE_BYTES = 2000;

	private static final long PAGE_SIZE_BYTES = 64 * 1024;

	@TempDir
	private Path directory;

	private int generation;

	@Test
	void tablesOfAllKindsStandSideBySideAndAreMergedIntoOne() throws IOException {
		long before = 0;
		Map<Compression, Long> sizes = new HashMap<>();
		for (Compression compression : List.of(Compression.NONE, Compression.LZ4)) {
			try (LsmStore store = open(compression)) {
				fill(store);
				await(store.flush());
				judge(store);
				sizes.put(compression, sizeOfTables() - before);
				before = sizeOfTables();
			}
		}
		assertThat(sizes.get(Compression.NONE)).isGreaterThan(VALUES * VALUE_SIZE_BYTES);
		assertThat(sizes.get(Compression.LZ4)).isLessThan(2 * PAGE_SIZE_BYTES);
		try (LsmStore store = open(Compression.ZSTD)) {
			fill(store);
			await(store.flush());
			judge(store);
			await(store.compacted());
			Awaitility.await().until(() -> tables().size() == 1);
			judge(store);
			assertThat(sizeOfTables()).isLessThan(2 * PAGE_SIZE_BYTES);
		}
		try (LsmStore store = open(Compression.NONE)) {
			judge(store);
		}
	}

	private LsmStore open(Compression compression) {
		return StoreOpening.open(TestStores.properties(this.directory, Sync.NEVER, compression), PurgePolicy.nothing());
	}

	private void fill(LsmStore store) {
		this.generation++;
		for (int i = 0; i < VALUES; i++) {
			await(store.apply(key(i),
					new Entry.Live(Timestamp.ofMillis(this.generation), 1, Entry.NEVER, value(this.generation + i)),
					Runnable::run));
		}
	}

	private void judge(LsmStore store) {
		for (int i = 0; i < VALUES; i++) {
			ReadResult found = await(store.read(key(i), Runnable::run));
			assertThat(found).isEqualTo(new ReadResult.Found(
					new Entry.Live(Timestamp.ofMillis(this.generation), 1, Entry.NEVER, value(this.generation + i))));
		}
	}

	private List<Path> tables() throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve("tables"))) {
			return files.sorted().toList();
		}
	}

	private long sizeOfTables() throws IOException {
		long size = 0;
		for (Path table : tables()) {
			size += Files.size(table);
		}
		return size;
	}

	private static Key key(int number) {
		return Key.of("key-%04d".formatted(number));
	}

	private static Value value(int seed) {
		byte[] bytes = new byte[VALUE_SIZE_BYTES];
		Arrays.fill(bytes, (byte) seed);
		return Value.wrap(bytes);
	}

}
