package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.quorate.entry.Key;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageMeters;
import io.quorate.storage.StorageProperties.Sync;
import org.junit.jupiter.api.Test;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/** The meters of a store count its reads, and the tables that these look into. */
class ReadMetricsTests extends StoreMetricsFixture {

	@Test
	void readThatMemoryAnswersProbesNoTable() {
		try (LsmStore store = open(Sync.NEVER)) {
			put(store, "a", 1, 10);
			await(store.read(Key.of("a"), Runnable::run));
			await(store.read(Key.of("nowhere"), Runnable::run));
			assertThat(count(StorageMeters.READ, "memory")).isEqualTo(2);
			assertThat(count(StorageMeters.READ, "table")).isZero();
			assertThat(of(StorageMeters.READ_TABLES).summary().count()).isZero();
			assertThat(count(StorageMeters.READ_WAIT)).isZero();
		}
	}

	@Test
	void readOfAKeyThatIsInThreeTablesProbesThree() {
		try (LsmStore store = open(Sync.NEVER)) {
			openTables(store, 3);
			assertThat(await(store.read(Key.of("k"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
			assertThat(of(StorageMeters.READ_TABLES).summary().count()).isEqualTo(1);
			assertThat(of(StorageMeters.READ_TABLES).summary().totalAmount()).isEqualTo(3);
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(1);
			assertThat(count(StorageMeters.READ, "memory")).isZero();
			assertThat(count(StorageMeters.READ_WAIT)).isEqualTo(1);
		}
	}

	@Test
	void filtersExcludeNearlyEveryTableThatHasNotTheKey() {
		int keys = 2000;
		try (LsmStore store = open(Sync.NEVER)) {
			for (int i = 0; i < keys; i++) {
				put(store, "k" + i, i + 1, 10);
			}
			await(store.flush());
			for (int i = 0; i < keys; i++) {
				assertThat(await(store.read(Key.of("k" + i + "?"), Runnable::run)))
					.isInstanceOf(ReadResult.Absent.class);
			}
			long inVain = count(StorageMeters.READ, "table");
			assertThat(inVain).isBetween(1L, (long) (keys * 0.05));
			assertThat(of(StorageMeters.READ_TABLES).summary().count()).isEqualTo(inVain);
			assertThat(count(StorageMeters.READ, "memory")).isEqualTo(keys - inVain);
		}
	}

	@Test
	void readsThatFindNoThreadWait() {
		// Of two reader threads pages have one.
		try (LsmStore store = open(Sync.NEVER); Gate gate = new Gate()) {
			put(store, "a", 1, 10);
			await(store.flush());
			List<CompletableFuture<?>> reads = new ArrayList<>();
			reads.add(store.page(Key.of("a"), null, new PageLimit(10, 1000, 10), gate));
			gate.awaitThread();
			reads.add(store.page(Key.of("a"), null, new PageLimit(10, 1000, 10), Runnable::run));
			assertThat(count(StorageMeters.READ_WAIT)).isEqualTo(1);
			gate.open();
			reads.forEach(TestStores::await);
			assertThat(count(StorageMeters.READ_WAIT)).isEqualTo(2);
		}
	}

	@Test
	void pageThatIsInMemoryIsReadByWhoAsks() {
		try (LsmStore store = open(Sync.NEVER); Gate first = new Gate(); Gate second = new Gate()) {
			put(store, "large", 1, 100_000);
			put(store, "b", 2, 10);
			await(store.flush());
			CompletableFuture<?> large = store.read(Key.of("large"), first);
			CompletableFuture<?> other = store.read(Key.of("large"), second);
			first.awaitThread();
			second.awaitThread();
			assertThat(store.read(Key.of("b"), Runnable::run)).as("no reader is free")
				.isCompletedWithValueMatching((result) -> result instanceof ReadResult.Found);
			assertThat(count(StorageMeters.READ_WAIT)).isEqualTo(2);
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(3);
			first.open();
			second.open();
			await(large);
			await(other);
		}
	}

	@Test
	void pageThatNobodyHasVerifiedIsReadByAReader() {
		try (LsmStore store = open(Sync.NEVER)) {
			for (int i = 0; i < 1000; i++) {
				put(store, "k%03d".formatted(i), i + 1, 1000);
			}
			await(store.flush());
			for (int i = 0; i < 1000; i += 100) {
				await(store.read(Key.of("k%03d".formatted(i)), Runnable::run));
			}
			double firstReads = count(StorageMeters.READ_WAIT);
			assertThat(firstReads).isPositive();
			for (int i = 0; i < 1000; i += 100) {
				await(store.read(Key.of("k%03d".formatted(i)), Runnable::run));
			}
			assertThat((double) count(StorageMeters.READ_WAIT)).isEqualTo(firstReads);
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(20);
		}
	}

	@Test
	void largeValueOfAnEntryInATableIsReadByAReader() {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "large", 1, 100_000);
			await(store.flush());
			await(store.read(Key.of("large"), Runnable::run));
			await(store.read(Key.of("large"), Runnable::run));
			assertThat(count(StorageMeters.READ_WAIT)).isEqualTo(2);
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(2);
			assertThat(of(StorageMeters.READ_TABLES).summary().count()).as("each probed the table once").isEqualTo(2);
		}
	}

	@Test
	void largeValueIsReadByAReaderThreadAndProbesNoTable() {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "large", 1, 100_000);
			await(store.read(Key.of("large"), Runnable::run));
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(1);
			assertThat(of(StorageMeters.READ_TABLES).summary().count()).isZero();
		}
	}

}
