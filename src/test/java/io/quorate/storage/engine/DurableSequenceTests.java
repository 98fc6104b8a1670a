package io.quorate.storage.engine;

import java.nio.file.Path;
import java.util.Objects;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties.Sync;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

class DurableSequenceTests {

	@TempDir
	private Path directory;

	private @Nullable LsmStore store;

	@AfterEach
	void close() {
		store().close();
	}

	@Test
	void anAcknowledgedWriteIsCountedWhenEachWriteIsFsynced() {
		open(Sync.ALWAYS, PurgePolicy.nothing());
		assertThat(store().durableSequence()).isZero();
		for (int i = 1; i <= 50; i++) {
			ApplyResult.Applied applied = (ApplyResult.Applied) delete("k" + i, i);
			assertThat(store().durableSequence()).isEqualTo(applied.sequence()).isEqualTo(i);
		}
	}

	@Test
	void aWriteIsNotCountedBeforeItsFsync() {
		open(Sync.NEVER, PurgePolicy.nothing());
		delete("a", 1);
		assertThat(store().durableSequence()).isZero();
		await(store().flush());
		assertThat(store().durableSequence()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void numbersThatArePassedAreGivenToNothing(Sync sync) {
		open(sync, PurgePolicy.nothing());
		delete("a", 1);
		await(store().flush());
		await(store().passSequence(100));
		assertThat(store().durableSequence()).isEqualTo(100);
		store().close();
		open(sync, PurgePolicy.nothing());
		assertThat(store().durableSequence()).as("after a restart").isEqualTo(100);
		assertThat(delete("b", 2)).isEqualTo(new ApplyResult.Applied(101));
		await(store().passSequence(50));
		assertThat(delete("c", 3)).isEqualTo(new ApplyResult.Applied(102));
		store().close();
		open(sync, PurgePolicy.nothing());
		assertThat(store().durableSequence()).isEqualTo(102);
	}

	@ParameterizedTest
	@EnumSource
	void aForceCountsWhatWasAcknowledgedBefore(Sync sync) {
		open(sync, PurgePolicy.nothing());
		for (int i = 1; i <= 20; i++) {
			delete("k" + i, i);
			await(store().force());
			assertThat(store().durableSequence()).isEqualTo(i);
		}
		await(store().force());
	}

	@ParameterizedTest
	@EnumSource
	void aClosedStoreForcesNothing(Sync sync) {
		open(sync, PurgePolicy.nothing());
		store().close();
		assertThat(store().force()).isCompletedExceptionally();
	}

	@ParameterizedTest
	@EnumSource
	void itIsTheSameAfterARestart(Sync sync) {
		open(sync, PurgePolicy.nothing());
		for (int i = 1; i <= 20; i++) {
			delete("k" + i, i);
		}
		reopen(sync, PurgePolicy.nothing());
		assertThat(store().durableSequence()).isEqualTo(20);
	}

	@Test
	void itDoesNotGoBackWhenTheLatestEntryLostAgainstAnEarlierOne() {
		open(Sync.ALWAYS, PurgePolicy.nothing());
		delete("a", 10);
		assertThat(delete("a", 5)).isInstanceOf(ApplyResult.Superseded.class);
		reopen(Sync.ALWAYS, PurgePolicy.nothing());
		assertThat(store().durableSequence()).isEqualTo(2);
		reopen(Sync.ALWAYS, PurgePolicy.nothing());
		assertThat(store().durableSequence()).isEqualTo(2);
	}

	@Test
	void itDoesNotGoBackWhenTheLatestEntryWasPurged() {
		PurgePolicy everything = PurgePolicy.alone(() -> 1000);
		open(Sync.ALWAYS, everything);
		for (int i = 1; i <= 40; i++) {
			delete("k" + i, i);
			if (i % 4 == 0) {
				await(store().flush());
			}
		}
		await(store().compacted());
		assertThat(store().status().tables().all()).isLessThan(4);
		reopen(Sync.ALWAYS, everything);
		assertThat(store().durableSequence()).isEqualTo(40);
		reopen(Sync.ALWAYS, everything);
		assertThat(((ApplyResult.Applied) delete("k", 99)).sequence()).isEqualTo(41);
	}

	private ApplyResult delete(String key, long millis) {
		return await(store().apply(Key.of(key), new Entry.Tombstone(Timestamp.ofMillis(millis), 3), Runnable::run));
	}

	private LsmStore store() {
		return Objects.requireNonNull(this.store);
	}

	private void open(Sync sync, PurgePolicy purge) {
		this.store = StoreOpening.open(TestStores.properties(this.directory, sync), purge);
	}

	private void reopen(Sync sync, PurgePolicy purge) {
		store().close();
		open(sync, purge);
	}

}
