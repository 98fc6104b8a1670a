package io.quorate.storage.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageProperties.Compaction;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties.Wal;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

class LsmStoreRestartTests {

	private static final int FILES = 20;

	@TempDir
	private Path directory;

	@RepeatedTest(5)
	void largeValuesStayThroughCleanRestarts() throws Exception {
		for (int restart = 0; restart < 3; restart++) {
			try (LsmStore store = open()) {
				for (int i = 0; i < restart * FILES; i++) {
					assertThat(await(store.read(Key.of("k" + i)))).isEqualTo(new ReadResult.Found(entry(i)));
				}
				for (int i = restart * FILES; i < (restart + 1) * FILES; i++) {
					await(store.apply(Key.of("k" + i), entry(i), Runnable::run));
					await(store.flush());
				}
			}
		}
	}

	private static Entry entry(int number) {
		byte[] value = new byte[300_000];
		value[number] = (byte) number;
		return new Entry.Live(Timestamp.ofMillis(1000 + number), 1, Versioned.NEVER, Value.wrap(value));
	}

	private LsmStore open() {
		StorageProperties properties = new StorageProperties(this.directory, DataSize.ofMegabytes(16),
				DataSize.ofKilobytes(16), DataSize.ofKilobytes(64), 2, 24, DataSize.ofKilobytes(256),
				DataSize.ofMegabytes(1), DataSize.ofBytes(1), 2, 4096,
				new Wal(Sync.ALWAYS, Duration.ofMillis(10), DataSize.ofKilobytes(256), 1024), new Compaction(1));
		return LsmStore.open(properties, PurgePolicy.alone(() -> 0));
	}

	private static <T> T await(CompletableFuture<T> future) throws Exception {
		return future.get(60, TimeUnit.SECONDS);
	}

}
