package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Meter;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Compression;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageMeters;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.engine.FaultyFormat.Fault;
import io.quorate.storage.log.SegmentHeader;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The meters of a store count its work by the right amounts. */
class StoreMetricsTests extends StoreMetricsFixture {

	@Test
	void writesThatQueueUpBecomeOneBatchWithOneForce() {
		try (LsmStore store = open(Sync.ALWAYS); Gate gate = new Gate()) {
			CompletableFuture<ApplyResult> first = apply(store, "first", 10, gate);
			gate.awaitThread();
			List<CompletableFuture<ApplyResult>> rest = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				rest.add(apply(store, "k" + i, 10, Runnable::run));
			}
			gate.open();
			await(first);
			rest.forEach(TestStores::await);
			assertThat(count(StorageMeters.LOG_FORCE)).isEqualTo(2);
		}
	}

	@Test
	void writesThatComeSoonAfterOthersShareForces() {
		Duration gather = Duration.ofMillis(20);
		try (LsmStore store = open(properties(Sync.ALWAYS, gather, 1000), PurgePolicy.nothing())) {
			List<CompletableFuture<ApplyResult>> written = new ArrayList<>();
			long begun = System.nanoTime();
			for (int i = 0; i < 400; i++) {
				written.add(apply(store, "k" + i, 10, Runnable::run));
				if (i % 4 == 3) {
					LockSupport.parkNanos(2_000_000);
				}
			}
			written.forEach(TestStores::await);
			long windows = (System.nanoTime() - begun) / gather.toNanos();
			assertThat(count(StorageMeters.LOG_FORCE)).as("forces of 100 times four writes, ten without a wait")
				.isLessThanOrEqualTo(2 * (windows + 10));
		}
	}

	@Test
	void largeValueIsForcedBeforeTheLogThatRefersToIt() {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "large", 1, 100_000);
			assertThat(count(StorageMeters.LOG_FORCE)).isEqualTo(2);
		}
	}

	@Test
	void logGrowsByWhatIsAppendedAndIsNotForcedUnlessItHasToBe() throws IOException {
		try (LsmStore store = open(Sync.NEVER)) {
			for (int i = 1; i <= 20; i++) {
				put(store, "k" + i, i, 100);
			}
			byte[] segment = Files.readAllBytes(filesIn("wal").getFirst());
			int end = segment.length;
			while (segment[end - 1] == 0) {
				end--;
			}
			int largestPadding = 7;
			assertThat(counter(StorageMeters.LOG_BYTES)).isBetween((double) end - SegmentHeader.SIZE,
					(double) end - SegmentHeader.SIZE + largestPadding);
			assertThat(count(StorageMeters.LOG_FORCE)).isZero();
		}
	}

	@Test
	void flushMovesMemoryToATable() throws IOException {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "a", 1, 10_000);
			assertThat(gauge(StorageMeters.TABLES, "0")).isZero();
			await(store.flush());
			double fileBytes = sizeOf(filesIn("tables"));
			assertThat(count(StorageMeters.FLUSH, "success")).isEqualTo(1);
			assertThat(gauge(StorageMeters.TABLES, "0")).isEqualTo(1);
			assertThat(gauge(StorageMeters.TABLE_BYTES, "0")).isEqualTo(fileBytes);
		}
	}

	@Test
	void blocksAreSmallerInTheirFileAndDecompressedAFewTimes() throws IOException {
		this.compression = Compression.LZ4;
		try (LsmStore store = open(Sync.NEVER)) {
			for (int i = 0; i < 1000; i++) {
				put(store, "k%04d".formatted(i), i + 1, 500);
			}
			await(store.flush());
			assertThat(sizeOf(filesIn("tables"))).isBetween(1000.0, 500_000.0 / 5 + 2 * 64 * 1024);
			int reads = 5000;
			for (int i = 0; i < reads; i++) {
				await(store.read(Key.of("k0500"), Runnable::run));
			}
			double decompressed = counter(StorageMeters.CACHE, "blocks", "miss");
			assertThat(decompressed).isBetween(1.0, reads / 5.0);
			assertThat(counter(StorageMeters.CACHE, "blocks", "hit")).isEqualTo(reads - decompressed);
			assertThat(counter(StorageMeters.CACHE, "keys", "miss")).isEqualTo(1);
			assertThat(counter(StorageMeters.CACHE, "keys", "hit")).isEqualTo(reads - 1);
		}
	}

	@Test
	void flushThatFailsIsCountedAndItsMemtableWaits() {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "a", 1, 10_000);
			this.format.set(Fault.CREATE_FAILS);
			assertThatThrownBy(() -> await(store.flush())).isInstanceOf(StorageFailedException.class);
			assertThat(count(StorageMeters.FLUSH, "failed")).isPositive();
			assertThat(count(StorageMeters.FLUSH, "success")).isZero();
			assertThat(gauge(StorageMeters.MEMTABLES_WAITING)).isEqualTo(1);
			this.format.set(Fault.NONE);
			await(store.flush());
			assertThat(gauge(StorageMeters.MEMTABLES_WAITING)).isZero();
		}
	}

	@Test
	void compactionReadsItsInputsAndWritesItsOutputs() throws IOException {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "a", 1, 1000);
			await(store.flush());
			put(store, "b", 2, 1000);
			await(store.flush());
			await(store.compacted());
			assertThat(count(StorageMeters.COMPACTION, "success")).isEqualTo(1);
			assertThat(count(StorageMeters.COMPACTION, "failed")).isZero();
			assertThat(counter(StorageMeters.COMPACTED_BYTES, "read")).isPositive();
			double written = counter(StorageMeters.COMPACTED_BYTES, "written");
			assertThat(written).isPositive().isEqualTo(gauge(StorageMeters.TABLE_BYTES, "1"));
			Awaitility.await().until(() -> filesIn("tables").size() == 1);
			assertThat(sizeOf(filesIn("tables"))).isEqualTo(written);
			assertThat(gauge(StorageMeters.TABLES, "0")).isZero();
			assertThat(gauge(StorageMeters.TABLES, "1")).isEqualTo(1);
			assertThat(gauge(StorageMeters.COMPACTION_DEBT)).isZero();
		}
	}

	@Test
	void compactionThatFailsIsCountedAndUnderWayUntilItIsTriedAgain() {
		StorageProperties properties = properties(Sync.ALWAYS);
		try (LsmStore store = StoreOpening.open(properties, PurgePolicy.nothing(), this.format)) {
			put(store, "live", 1, 10);
			for (int i = 0; i < 9; i++) {
				await(store.apply(Key.of("dead" + i), new Entry.Tombstone(Timestamp.ofMillis(2 + i), 1),
						Runnable::run));
			}
			await(store.flush());
		}
		this.format.set(Fault.CREATE_FAILS);
		try (LsmStore _ = open(properties, PurgePolicy.alone(() -> 0))) {
			Awaitility.await().until(() -> count(StorageMeters.COMPACTION, "failed") == 1);
			assertThat(gauge(StorageMeters.COMPACTION_DEBT)).isZero();
			assertThat(counter(StorageMeters.COMPACTED_BYTES, "read")).isZero();
			assertThat(gauge(StorageMeters.TABLES, "0")).isEqualTo(1);
		}
	}

	@Test
	void valuesThatNothingRefersToAreGarbageUntilTheyAreCollected() throws IOException {
		int frameBytes = 8;
		int headerBytes = 16;
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "b", 1, 500_000);
			await(store.flush());
			put(store, "a", 2, 300_000);
			put(store, "a", 3, 300_000);
			put(store, "next file", 4, 100_000);
			assertThat(gauge(StorageMeters.VALUE_BYTES, "garbage")).as("memory may refer to all").isZero();
			assertThat(gauge(StorageMeters.VALUE_BYTES, "live")).isEqualTo(sizeOf(filesIn("values")))
				.isEqualTo(1_200_000 + 4 * frameBytes + 2 * headerBytes);
			await(store.flush());
			assertThat(gauge(StorageMeters.VALUE_BYTES, "garbage")).isEqualTo(300_000 + 3 * frameBytes + headerBytes);
			assertThat(gauge(StorageMeters.VALUE_BYTES, "live")).isEqualTo(900_000 + frameBytes + headerBytes);
			put(store, "a", 5, 10);
			put(store, "enough for a merge", 6, 1_000_000);
			await(store.flush());
			await(store.compacted());
			Awaitility.await().until(() -> filesIn("values").size() == 2);
			assertThat(gauge(StorageMeters.VALUE_BYTES, "garbage")).as("but for frame and header")
				.isEqualTo(frameBytes + headerBytes);
			assertThat(gauge(StorageMeters.VALUE_BYTES, "live")).isEqualTo(1_600_000 + 2 * frameBytes + headerBytes);
			assertThat(counter(StorageMeters.COMPACTED_BYTES, "written")).as("the value of b has moved")
				.isGreaterThanOrEqualTo(500_000);
		}
	}

	@Test
	void aDamagedPageIsOneChecksumFailureAndItsTableIsReadNoMore() throws IOException {
		try (LsmStore store = open(Sync.NEVER)) {
			for (int i = 0; i < 1000; i++) {
				put(store, "k" + i, i + 1, 100);
			}
		}
		damage(filesIn("tables").getFirst(), 3);
		try (LsmStore store = open(Sync.NEVER)) {
			assertThat(counter(StorageMeters.CHECKSUM_FAILURES)).isZero();
			int refused = 0;
			for (int i = 0; i < 1000; i++) {
				try {
					await(store.read(Key.of("k" + i), Runnable::run));
				}
				catch (StorageCorruptedException damage) {
					refused++;
				}
			}
			assertThat(refused).isPositive();
			assertThat(counter(StorageMeters.CHECKSUM_FAILURES)).isOne();
			assertThat(gauge(StorageMeters.QUARANTINED)).isOne();
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(1000 - refused);
		}
	}

	@Test
	void aQuarantinedTableIsOneChecksumFailureHoweverOftenItIsRead() throws IOException {
		try (LsmStore store = open(Sync.NEVER)) {
			put(store, "a", 1, 100);
		}
		Path table = filesIn("tables").getFirst();
		byte[] bytes = Files.readAllBytes(table);
		bytes[bytes.length - 40] ^= 1;
		Files.write(table, bytes);
		try (LsmStore store = open(Sync.NEVER)) {
			assertThat(counter(StorageMeters.CHECKSUM_FAILURES)).isEqualTo(1);
			assertThatThrownBy(() -> await(store.read(Key.of("a"), Runnable::run)))
				.isInstanceOf(StorageCorruptedException.class);
			assertThat(counter(StorageMeters.CHECKSUM_FAILURES)).isEqualTo(1);
		}
	}

	@Test
	void damagedValueIsAChecksumFailure() throws IOException {
		try (LsmStore store = open(Sync.NEVER)) {
			put(store, "a", 1, 100_000);
		}
		damage(filesIn("values").getFirst(), 2);
		try (LsmStore store = open(Sync.NEVER)) {
			assertThatThrownBy(() -> await(store.read(Key.of("a"), Runnable::run)))
				.isInstanceOf(StorageCorruptedException.class);
			assertThat(counter(StorageMeters.CHECKSUM_FAILURES)).isEqualTo(1);
		}
	}

	@Test
	void diskIsShownAsItWasLastRead() throws IOException {
		try (LsmStore _ = open(Sync.NEVER)) {
			double totalBytes = Files.getFileStore(this.directory).getTotalSpace();
			assertThat(gauge(StorageMeters.DISK_TOTAL)).isEqualTo(totalBytes);
			assertThat(gauge(StorageMeters.DISK_FREE)).isPositive().isLessThanOrEqualTo(totalBytes);
			assertThat(gauge(StorageMeters.DISK_THRESHOLD)).isEqualTo(Math.min(Math.floor(totalBytes / 10), 64 << 20));
		}
	}

	@Test
	void storeThatIsOpenedAgainIsTheOneThatIsShown() {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "a", 1, 10);
			assertThat(this.registry.getMeters()).isNotEmpty();
		}
		assertThat(this.registry.getMeters()).isEmpty();
		try (LsmStore store = open(Sync.ALWAYS)) {
			assertThat(gauge(StorageMeters.TABLES, "0")).isEqualTo(1);
			assertThat(counter(StorageMeters.LOG_BYTES)).isZero();
			put(store, "b", 2, 10);
			assertThat(counter(StorageMeters.LOG_BYTES)).isPositive();
		}
	}

	@Test
	void everyMeterOfTheRoomIsThereFromTheStart() {
		try (LsmStore _ = open(Sync.ALWAYS)) {
			List<Meter.Id> meters = this.registry.getMeters()
				.stream()
				.map(Meter::getId)
				.filter((id) -> !id.getName().endsWith(".histogram"))
				.toList();
			assertThat(meters).extracting(Meter.Id::getName)
				.containsOnly(Stream.of(StorageMeters.values()).map(StorageMeters::getName).toArray(String[]::new));
			assertThat(meters).hasSizeLessThan(80);
		}
	}

}
