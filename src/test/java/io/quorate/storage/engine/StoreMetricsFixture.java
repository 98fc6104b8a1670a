package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageMeters;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.directory.FutureStamps;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/** A store with meters, and the readings of these. */
class StoreMetricsFixture {

	static final Duration PATIENCE = Duration.ofMinutes(1);

	static final int FILLER_BYTES = 15_000;

	static final int LOG_QUEUE = 8;

	static final int LEVEL_ZERO_LIMIT = 4;

	@TempDir
	Path directory;

	final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	/* Amounts of bytes are those of what is written; the compressible would shrink. */
	Compression compression = Compression.NONE;

	final FaultyFormat format = new FaultyFormat();

	/**
	 * Tables of level 0 that all hold the key {@code k}, and of which none is due to be
	 * merged: the first is so large that the others do not matter beside it.
	 */
	void openTables(LsmStore store, int count) {
		for (int i = 0; i < 60; i++) {
			put(store, "filler%02d".formatted(i), 100, FILLER_BYTES);
		}
		for (int i = 0; i < count; i++) {
			put(store, "k", 10 + i, 10);
			put(store, "z", 100 + i, 10);
			await(store.flush());
		}
		await(store.compacted());
		assertThat(gauge(StorageMeters.TABLES, "0")).isEqualTo(count);
	}

	void assertRefused(String reason, int writes) {
		assertThat(counter(StorageMeters.WRITE_REFUSED, reason)).as(reason).isEqualTo(writes);
		double all = this.registry.get(StorageMeters.WRITE_REFUSED.getName())
			.counters()
			.stream()
			.mapToDouble((counter) -> counter.count())
			.sum();
		assertThat(all).as("for any reason").isEqualTo(writes);
	}

	LsmStore open(Sync sync) {
		return open(properties(sync), PurgePolicy.nothing());
	}

	LsmStore open(StorageProperties properties, PurgePolicy purge) {
		StoreMetrics metrics = new StoreMetrics(this.registry);
		Recovered recovered = new Recovery(properties, this.format.telling(metrics), (_) -> false, metrics::damaged)
			.run();
		return StoreOpening.open(recovered, properties, purge, FutureStamps.KEPT, metrics);
	}

	StorageProperties properties(Sync sync) {
		return properties(sync, Duration.ZERO, LOG_QUEUE);
	}

	StorageProperties properties(Sync sync, Duration gather, int logQueue) {
		return new StorageProperties(this.directory, DataSize.ofMegabytes(16), DataSize.ofKilobytes(16),
				DataSize.ofMegabytes(4), 2, LEVEL_ZERO_LIMIT, DataSize.ofMegabytes(16), DataSize.ofMegabytes(1),
				DataSize.ofMegabytes(64), 2, 1024, PageVerification.FIRST_TOUCH, this.compression,
				DataSize.ofMegabytes(1), DataSize.ofKilobytes(64), 1,
				new StorageProperties.Wal(sync, Duration.ofMillis(10), gather, DataSize.ofMegabytes(4), logQueue,
						Duration.ofMillis(20)),
				new StorageProperties.Compaction(1, DataSize.ofMegabytes(64)), StorageProperties.Recovery.STRICT,
				new StorageProperties.Scrub(Duration.ZERO, DataSize.ofGigabytes(1)));
	}

	static void put(LsmStore store, String key, long millis, int valueBytes) {
		await(store.apply(Key.of(key), live(millis, valueBytes), Runnable::run));
	}

	static CompletableFuture<ApplyResult> apply(LsmStore store, String key, int valueBytes, Executor callbacks) {
		return store.apply(Key.of(key), live(1, valueBytes), callbacks);
	}

	static Entry live(long millis, int valueBytes) {
		byte[] value = new byte[valueBytes];
		Arrays.fill(value, (byte) 'v');
		return new Entry.Live(Timestamp.ofMillis(millis), 1, Entry.NEVER, Value.wrap(value));
	}

	RequiredSearch of(StorageMeters meter, String... tagValues) {
		List<Tag> tags = new ArrayList<>();
		for (int i = 0; i < tagValues.length; i++) {
			tags.add(Tag.of(meter.declaration().keys().get(i), tagValues[i]));
		}
		return this.registry.get(meter.getName()).tags(tags);
	}

	double gauge(StorageMeters meter, String... tagValues) {
		return of(meter, tagValues).gauge().value();
	}

	double counter(StorageMeters meter, String... tagValues) {
		return of(meter, tagValues).counter().count();
	}

	long count(StorageMeters timer, String... tagValues) {
		return of(timer, tagValues).timer().count();
	}

	List<Path> filesIn(String name) throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve(name))) {
			return files.sorted().toList();
		}
	}

	static double sizeOf(List<Path> files) throws IOException {
		long size = 0;
		for (Path file : files) {
			size += Files.size(file);
		}
		return size;
	}

	/** Flips a bit where the first of so many equal parts ends. */
	static void damage(Path file, int parts) throws IOException {
		byte[] bytes = Files.readAllBytes(file);
		bytes[bytes.length / parts] ^= 0x10;
		Files.write(file, bytes);
	}

}
