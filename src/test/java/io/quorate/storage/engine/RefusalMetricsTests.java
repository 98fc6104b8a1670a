package io.quorate.storage.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.quorate.storage.ApplyResult;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageMeters;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.engine.FaultyFormat.Fault;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** The meters of a store count what it refuses, by the reason. */
class RefusalMetricsTests extends StoreMetricsFixture {

	@Test
	void writesAreRefusedByTheQueueOfTheLog() {
		try (LsmStore store = open(Sync.NEVER); Gate gate = new Gate()) {
			CompletableFuture<ApplyResult> first = apply(store, "first", 10, gate);
			gate.awaitThread();
			List<CompletableFuture<ApplyResult>> queued = new ArrayList<>();
			for (int i = 0; i < LOG_QUEUE; i++) {
				queued.add(apply(store, "k" + i, 10, Runnable::run));
			}
			for (int i = 0; i < 3; i++) {
				assertThatThrownBy(() -> await(apply(store, "one more", 10, Runnable::run)))
					.isInstanceOf(StorageOverloadedException.class);
			}
			gate.open();
			await(first);
			queued.forEach(TestStores::await);
			assertRefused("queue", 3);
		}
	}

	@Test
	void largeValuesAreRefusedOnceEach() {
		try (LsmStore store = open(Sync.NEVER); Gate gate = new Gate()) {
			CompletableFuture<ApplyResult> first = apply(store, "first", 10, gate);
			gate.awaitThread();
			List<CompletableFuture<ApplyResult>> queued = new ArrayList<>();
			for (int i = 0; i < LOG_QUEUE; i++) {
				queued.add(apply(store, "k" + i, 10, Runnable::run));
			}
			assertThatThrownBy(() -> await(apply(store, "large", 100_000, Runnable::run)))
				.isInstanceOf(StorageOverloadedException.class);
			gate.open();
			await(first);
			queued.forEach(TestStores::await);
			assertRefused("queue", 1);
		}
	}

	@Test
	void writesAreRefusedByMemtablesThatCannotBeFlushed() {
		this.format.set(Fault.CREATE_FAILS);
		try (LsmStore store = open(Sync.NEVER)) {
			int refused = 0;
			for (int i = 0; refused < 3; i++) {
				try {
					put(store, "k" + i, i + 1, FILLER_BYTES);
				}
				catch (StorageOverloadedException full) {
					refused++;
				}
			}
			assertRefused("memtables", 3);
			assertThat(gauge(StorageMeters.MEMTABLES_WAITING)).isEqualTo(2);
			this.format.set(Fault.NONE);
		}
	}

	@Test
	void writesAreRefusedByTablesOfLevelZero() {
		try (LsmStore store = open(Sync.NEVER)) {
			openTables(store, LEVEL_ZERO_LIMIT);
			assertThat(gauge(StorageMeters.TABLES, "0")).isEqualTo(LEVEL_ZERO_LIMIT);
			assertThatThrownBy(() -> put(store, "one more", 1000, 10)).isInstanceOf(StorageOverloadedException.class);
			assertThatThrownBy(() -> put(store, "large", 1000, 100_000)).isInstanceOf(StorageOverloadedException.class);
			assertRefused("tables", 2);
		}
	}

	@Test
	void writesAreRefusedByALogThatHasFailed() {
		StorageProperties properties = properties(Sync.ALWAYS);
		StoreMetrics metrics = new StoreMetrics(this.registry);
		Recovered recovered = new Recovery(properties, this.format).run();
		try (LsmStore store = StoreOpening.open(recovered, properties, PurgePolicy.nothing(), FutureStamps.KEPT,
				metrics)) {
			put(store, "a", 1, 10);
			assertThat(gauge(StorageMeters.FAILED)).isZero();
			recovered.files().manifest().close();
			Awaitility.await().until(() -> gauge(StorageMeters.FAILED) == 1);
			assertThatThrownBy(() -> put(store, "b", 2, 10)).isInstanceOf(StorageFailedException.class);
			assertRefused("failed", 1);
		}
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void refusalIsCountedByWhatHasRefused(RuntimeException cause, String reason) {
		try (StoreMetrics metrics = new StoreMetrics(this.registry)) {
			metrics.refused(cause);
			assertRefused(reason, 1);
		}
	}

	static Stream<Arguments> refusals() {
		return Stream.of(arguments(new StorageOverloadedException(Bound.WRITES, 1), "queue"),
				arguments(new StorageOverloadedException(Bound.LARGE_VALUES, 1), "queue"),
				arguments(new StorageOverloadedException(Bound.MEMTABLES, 1), "memtables"),
				arguments(new StorageOverloadedException(Bound.TABLES, 1), "tables"),
				arguments(new StorageOverloadedException(Bound.SEGMENTS, 0), "disk"),
				arguments(new StorageOverloadedException(Bound.SEGMENT_SECONDS, 30), "disk"),
				arguments(new DiskFullException(Path.of("data"), 1, 2), "disk"),
				arguments(new StorageFailedException("closed", null), "failed"),
				arguments(new StorageCorruptedException(Path.of("data"), 0, "damage", null), "failed"));
	}

}
