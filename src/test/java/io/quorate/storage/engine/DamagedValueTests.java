package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.manifest.LiveFiles;
import io.quorate.storage.manifest.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A damaged large value affects only its own key, until it is repaired. */
class DamagedValueTests {

	private static final int KEYS = 2000;

	private static final int LARGE = 40_000;

	private static final Key KEY = Key.of("large-0000");

	@TempDir
	private Path home;

	private long stamps;

	@Test
	void aMergeThatMeetsItGoesOn() throws IOException {
		Outcome whole = overwrite(this.home.resolve("whole"), false);
		Outcome damaged = overwrite(this.home.resolve("damaged"), true);
		assertThat(whole.tombstones()).isZero();
		assertThat(damaged.tombstones()).as("deletions are purged").isZero();
		assertThat(damaged.tables()).as("like %s", whole).isLessThan(2 * whole.tables() + 4);
		assertThat(damaged.tableBytes()).as("like %s", whole).isLessThan(2 * whole.tableBytes());
		assertThat(whole.valueFiles()).doesNotContain("000001.vlog", "000002.vlog");
		assertThat(damaged.valueFiles()).as("the others are collected")
			.contains("000001.vlog")
			.doesNotContain("000002.vlog");
	}

	/** What is left of 12 rounds over 2,000 keys beside value files that are due. */
	private Outcome overwrite(Path directory, boolean damage) throws IOException {
		try (LsmStore store = open(directory, Sync.NEVER)) {
			for (int i = 0; i < 52; i++) {
				put(store, "large-%04d".formatted(i), large(i));
			}
			for (int i = 0; i < 100; i++) {
				put(store, "gone-%04d".formatted(i), new byte[100]);
			}
			await(store.flush());
			if (damage) {
				DamagedDirectory.flip(directory.resolve("values/000001.vlog"), 20_000);
			}
			for (int i = 0; i < 52; i++) {
				if (i % 26 >= 4) {
					put(store, "large-%04d".formatted(i), large(i + 100));
				}
			}
			for (int i = 0; i < 100; i++) {
				await(store.apply(Key.of("gone-%04d".formatted(i)),
						new Entry.Tombstone(Timestamp.ofMillis(++this.stamps), 1), Runnable::run));
			}
			for (int round = 0; round < 12; round++) {
				rewrite(store, round);
				await(store.flush());
				await(store.compacted());
			}
			for (int i = damage ? 1 : 0; i < 52; i++) {
				assertThat(await(store.read(Key.of("large-%04d".formatted(i)), Runnable::run)))
					.isInstanceOf(ReadResult.Found.class);
			}
			if (damage) {
				assertThatThrownBy(() -> await(store.read(KEY, Runnable::run)))
					.isInstanceOf(StorageCorruptedException.class);
			}
			return outcome(directory);
		}
	}

	private void rewrite(LsmStore store, int round) {
		for (int from = 0; from < KEYS; from += 100) {
			List<CompletableFuture<ApplyResult>> writes = new ArrayList<>();
			for (int i = from; i < from + 100; i++) {
				byte[] value = new byte[1000];
				new Random(31L * i + round).nextBytes(value);
				writes.add(store.apply(Key.of("key-%04d".formatted(i)), entry(value), Runnable::run));
			}
			writes.forEach(TestStores::await);
			await(store.flush());
		}
	}

	private static Outcome outcome(Path directory) throws IOException {
		LiveFiles live = Manifest.read(directory);
		try (Stream<Path> files = Files.list(directory.resolve("values"))) {
			return new Outcome(live.tables().size(),
					live.tables().values().stream().mapToLong((meta) -> meta.summary().sizeBytes()).sum(),
					live.tables().values().stream().mapToLong((meta) -> meta.summary().counts().tombstones()).sum(),
					files.map((file) -> file.getFileName().toString()).sorted().toList());
		}
	}

	private record Outcome(int tables, long tableBytes, long tombstones, List<String> valueFiles) {
	}

	@Test
	void theSameEntryAgainHealsItWhereverTheDamagedOneIs() throws IOException {
		for (Place place : Place.values()) {
			Path directory = this.home.resolve(place.name());
			Entry entry = entry(large(1));
			try (LsmStore store = open(directory, Sync.ALWAYS)) {
				await(store.apply(KEY, entry, Runnable::run));
				if (place != Place.MEMTABLE) {
					await(store.flush());
				}
				DamagedDirectory.flip(directory.resolve("values/000001.vlog"), 20_000);
				assertThatThrownBy(() -> await(store.read(KEY, Runnable::run)))
					.isInstanceOf(StorageCorruptedException.class);
				await(store.apply(KEY, entry, Runnable::run));
				assertReads(store, place, entry);
				if (place == Place.TABLE_BESIDE_A_TABLE) {
					await(store.flush());
					assertReads(store, place, entry);
				}
				CrashImage.take(directory, this.home.resolve("killed"));
			}
			try (LsmStore store = open(this.home.resolve("killed"), Sync.ALWAYS)) {
				assertReads(store, place, entry);
			}
		}
	}

	private enum Place {

		MEMTABLE, TABLE, TABLE_BESIDE_A_TABLE

	}

	private static void assertReads(LsmStore store, Place place, Entry entry) {
		assertThat(await(store.read(KEY, Runnable::run))).as("in a %s", place).isEqualTo(new ReadResult.Found(entry));
		assertThat(await(store.page(Key.of("a"), null, new PageLimit(10, 1 << 20, 100), Runnable::run)).records())
			.as("in a %s", place)
			.singleElement()
			.satisfies((item) -> assertThat(item.entry()).isEqualTo(entry));
	}

	@Test
	void aMergePrefersTheIntactCopy() throws IOException {
		Entry entry = entry(large(1));
		Path directory = this.home.resolve("store");
		try (LsmStore store = open(directory, Sync.ALWAYS)) {
			await(store.apply(KEY, entry, Runnable::run));
			await(store.flush());
			DamagedDirectory.flip(directory.resolve("values/000001.vlog"), 20_000);
			await(store.apply(KEY, entry, Runnable::run));
			await(store.flush());
			for (int i = 0; i < 4; i++) {
				put(store, "other", new byte[100]);
				await(store.flush());
			}
			await(store.compacted());
			assertThat(await(store.read(KEY, Runnable::run))).isEqualTo(new ReadResult.Found(entry));
		}
		assertThat(Manifest.read(directory).tables()).as("of which one entry is left").hasSize(1);
	}

	private static LsmStore open(Path directory, Sync sync) {
		return StoreOpening.open(TestStores.properties(directory, sync), PurgePolicy.alone(() -> 0));
	}

	private void put(LsmStore store, String key, byte[] value) {
		await(store.apply(Key.of(key), entry(value), Runnable::run));
	}

	private Entry entry(byte[] value) {
		return new Entry.Live(Timestamp.ofMillis(++this.stamps), 1, Entry.NEVER, Value.wrap(value));
	}

	private static byte[] large(int seed) {
		byte[] value = new byte[LARGE];
		new Random(seed).nextBytes(value);
		return value;
	}

}
