package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.file.FaultyDisk.Fault;
import io.quorate.storage.file.FaultyDisk;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.values.ValueFiles;
import io.quorate.storage.values.ValueWriter;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LargeValuesTests {

	private static final Value VALUE = Value.wrap(new byte[20_000]);

	@TempDir
	Path directory;

	private volatile @Nullable Error logFault;

	@Test
	void everyWriterIsToldThoughTheDiskFailsWithAnError() throws IOException {
		try (LargeValues values = open(() -> {
			throw new OutOfMemoryError("no direct memory");
		})) {
			assertThatThrownBy(() -> await(submit(values, Runnable::run))).isInstanceOf(StorageFailedException.class);
			assertThatThrownBy(() -> await(submit(values, Runnable::run))).isInstanceOf(StorageFailedException.class);
		}
	}

	@Test
	void everyWriterIsToldThoughOneHasNoThreadAnyMore() throws IOException {
		try (LargeValues values = open(() -> {
			throw new IOException("no disk");
		})) {
			assertThatThrownBy(() -> await(submit(values, (_) -> {
				throw new RejectedExecutionException("the event loop has ended");
			}))).isInstanceOf(StorageFailedException.class);
			assertThatThrownBy(() -> await(submit(values, Runnable::run))).isInstanceOf(StorageFailedException.class);
		}
	}

	@Test
	void everyWriterIsToldThoughTheLogThrowsAnError() throws IOException {
		this.logFault = new OutOfMemoryError("unable to create native thread");
		try (LargeValues values = open(() -> {
		})) {
			assertThatThrownBy(() -> await(submit(values, Runnable::run))).hasRootCause(this.logFault);
			this.logFault = null;
			assertThat(await(submit(values, Runnable::run))).isEqualTo(new ApplyResult.Applied(1));
			Awaitility.await().until(() -> values.hasPassed(values.mark()));
		}
	}

	/* Of the values that were there before one is damaged, so that no copy is made. */
	@Test
	void aFileThatTheFullDiskDidNotTakeHoldsUpNoLaterValue() throws IOException {
		try (FaultyDisk disk = new FaultyDisk(this.directory, 1); LargeValues values = open(() -> {
		})) {
			assertThat(await(submit(values, Runnable::run))).isEqualTo(new ApplyResult.Applied(1));
			flipBit(onlyFile());
			disk.failForces((_) -> true);
			disk.set(Fault.FULL_FOR_FORCES, 1);
			assertThatThrownBy(() -> await(submit(values, Runnable::run)))
				.hasCauseInstanceOf(StorageCorruptedException.class);
			disk.set(Fault.NONE, 1);
			assertThat(await(submit(values, Runnable::run))).isEqualTo(new ApplyResult.Applied(1));
		}
		try (Stream<Path> left = Files.list(this.directory)) {
			assertThat(left.map(Path::toString)).noneMatch((name) -> name.endsWith(DurableFiles.TEMPORARY_SUFFIX));
		}
	}

	private Path onlyFile() throws IOException {
		try (Stream<Path> files = Files.list(this.directory)) {
			return files.collect(Collectors.collectingAndThen(Collectors.toList(), List::getFirst));
		}
	}

	private static void flipBit(Path file) throws IOException {
		byte[] bytes = Files.readAllBytes(file);
		bytes[bytes.length - 1] ^= 1;
		Files.write(file, bytes);
	}

	@Test
	void everyWriterIsToldAfterTheEnd() throws IOException {
		LargeValues values = open(() -> {
		});
		values.close();
		for (int i = 0; i < 3; i++) {
			assertThatThrownBy(() -> await(submit(values, Runnable::run))).isInstanceOf(StorageFailedException.class);
		}
	}

	private static CompletableFuture<ApplyResult> submit(LargeValues values, Executor callbacks) {
		StoredEntry entry = new StoredEntry(0, Timestamp.ofMillis(1), Entry.NEVER, 1, new Inline(VALUE));
		return values.submit(Key.of("key"), entry, VALUE, callbacks);
	}

	private LargeValues open(Disk disk) throws IOException {
		ValueFiles files = new ValueFiles(this.directory, List.of(), 1, (_, _) -> {
		}, (_) -> {
		});
		return new LargeValues(new ValueWriter(files, 1 << 20, (_) -> disk.write()), true, new Told(),
				StoreMetrics.none());
	}

	@FunctionalInterface
	private interface Disk {

		void write() throws IOException;

	}

	private final class Told implements LargeValues.Next {

		@Override
		public CompletableFuture<ApplyResult> written(Key key, StoredEntry entry, Executor callbacks) {
			Error fault = LargeValuesTests.this.logFault;
			if (fault != null) {
				throw fault;
			}
			return CompletableFuture.completedFuture(new ApplyResult.Applied(1));
		}

		@Override
		public RuntimeException failed(Throwable cause, List<Reference> written) {
			return new StorageFailedException("failed", cause);
		}

		@Override
		public RuntimeException closed() {
			return new StorageFailedException("closed", null);
		}

	}

}
