package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.PageVerification;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.sstable.MapDbTableFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

class CompactorTests {

	@TempDir
	Path directory;

	@Test
	void mergeThatWouldFillTheDiskWaitsForRoom() throws IOException {
		StorageProperties properties = TestStores.properties(this.directory, Sync.ALWAYS);
		try (LsmStore store = LsmStore.open(properties, new NoPurge())) {
			await(store.apply(Key.of("a"), new Entry.Tombstone(Timestamp.ofMillis(1), 1), Runnable::run));
			await(store.flush());
		}
		AtomicLong free = new AtomicLong(100);
		DiskSpace disk = DiskSpace.of(this.directory, 1000, () -> new DiskSpace.Reading(1_000_000, free.get()));
		try (Recovered recovered = new Recovery(properties, new MapDbTableFormat(PageVerification.FIRST_TOUCH)).run();
				Compactor compactor = new Compactor(recovered.views(), recovered.manifest(), recovered.tables(),
						recovered.values(), properties, PurgePolicy.alone(() -> 0), (_, _) -> 0, disk,
						new BackgroundWork(properties, StoreMetrics.none()), StoreMetrics.none())) {
			await(compactor.quiet());
			assertThat(recovered.manifest().live().tables()).hasSize(1);
			assertThat(compactor.debtBytes()).isEqualTo(recovered.manifest()
				.live()
				.tables()
				.values()
				.stream()
				.mapToLong((meta) -> meta.summary().sizeBytes())
				.sum());
			free.set(900_000);
			disk.refresh();
			await(compactor.quiet());
			assertThat(recovered.manifest().live().tables()).isEmpty();
			assertThat(compactor.debtBytes()).isZero();
		}
	}

	private static final class NoPurge implements PurgePolicy {

		@Override
		public boolean mayPurge(Key key, Timestamp timestamp, long sequence) {
			return false;
		}

		@Override
		public Timestamp purgeBefore() {
			return Timestamp.ZERO;
		}

		@Override
		public long purgeThrough() {
			return 0;
		}

		@Override
		public long expiredBeforeMillis() {
			return 0;
		}

	}

}
