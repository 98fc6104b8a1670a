package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties.Sync;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A store whose files are deleted or moved while it is open. It could still write to
 * them, and nobody would find that again.
 */
class MissingDirectoryTests {

	@TempDir
	private Path directory;

	private long stamps;

	@ParameterizedTest
	@ValueSource(strings = { "", "wal", "tables", "values", "MANIFEST" })
	void aStoreWhoseDirectoryIsGoneTakesNoWrites(String part) throws IOException {
		try (LsmStore store = open()) {
			put(store, "before", new byte[10]);
			// At once: the store creates files meanwhile.
			Path gone = Files.move(this.directory.resolve("store").resolve(part), this.directory.resolve("gone"));
			CrashImage.deleteTree(gone);
			Awaitility.await().until(() -> store.failure() != null);
			assertThat(store.failure()).hasMessageContaining("is gone").hasMessageContaining("restart the node");
			assertRefused(store, "after", new byte[10]);
			assertRefused(store, "after", new byte[100_000]);
			assertThat(await(store.read(Key.of("before"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aStoreWhoseDirectoryWasMovedTakesNoWrites(boolean hasAnother) throws IOException {
		Path moved = this.directory.resolve("moved");
		try (LsmStore store = open()) {
			put(store, "before", new byte[10]);
			Files.move(this.directory.resolve("store"), moved);
			if (hasAnother) {
				open().close();
			}
			Awaitility.await().until(() -> store.failure() != null);
			assertRefused(store, "after", new byte[10]);
		}
		try (LsmStore store = StoreOpening.open(TestStores.properties(moved, Sync.ALWAYS),
				PurgePolicy.alone(() -> 0))) {
			assertThat(await(store.read(Key.of("before"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
			assertThat(await(store.read(Key.of("after"), Runnable::run))).isInstanceOf(ReadResult.Absent.class);
		}
	}

	@Test
	void aClosedStoreRefusesWrites() {
		LsmStore store = open();
		store.close();
		assertRefused(store, "after", new byte[10]);
		assertRefused(store, "after", new byte[100_000]);
	}

	private LsmStore open() {
		return StoreOpening.open(TestStores.properties(this.directory.resolve("store"), Sync.ALWAYS),
				PurgePolicy.alone(() -> 0));
	}

	private void put(LsmStore store, String key, byte[] value) {
		Entry entry = new Entry.Live(Timestamp.ofMillis(++this.stamps), 1, Entry.NEVER, Value.wrap(value));
		assertThat(await(store.apply(Key.of(key), entry, Runnable::run))).isInstanceOf(ApplyResult.Applied.class);
	}

	/** Nothing of the write has happened, or will. */
	private void assertRefused(LsmStore store, String key, byte[] value) {
		assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> put(store, key, value))
			.matches(StorageFailedException::isRefusal, "a refusal");
	}

}
