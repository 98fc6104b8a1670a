package io.quorate.storage.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageMeters;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.engine.FaultyFormat.Fault;
import io.quorate.storage.wal.LogThrottle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

class WriteThrottlingTests {

	private static final long MILLI = 1_000_000;

	/* 20 ms, 24 tables, 2 memtables, tables of 128 MiB */
	private final WriteThrottling usual = new WriteThrottling(20 * MILLI, 24, 2, 128L << 20);

	@TempDir
	Path directory;

	@ParameterizedTest
	@CsvSource(textBlock = """
			# tables of level 0, memtables with the active one, debt in tables, pressure
			0,  0.0,   0, 0
			12, 0.5,   0, 0
			13, 0.5,   0, 0.0833
			18, 0.5,   0, 0.5
			24, 0.5,   0, 1
			99, 0.5,   0, 1
			0,  2.0,   0, 0
			0,  2.25,  0, 0.25
			0,  3.0,   0, 1
			18, 2.75,  0, 0.75
			0,  0.0,  32, 0
			0,  0.0,  80, 0.25
			0,  0.0, 999, 0.5
			""")
	void pressureBeginsHalfWayAndIsWholeAtTheBound(int tables, double memtables, long debtTables, double pressure) {
		assertThat(this.usual.pressure(tables, memtables, debtTables * (128L << 20))).isCloseTo(pressure, within(1e-3));
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			# pressure, pause in us, bytes of a batch, bytes that may wait
			0.05,  1000, 996147,  99614700
			0.25,  5000, 786432,  15728640
			0.5,  10000, 524288,   5242880
			1.0,  20000,  65536,    327680
			""")
	void theLogGoesSlowerInProportion(double pressure, long pauseMicros, int batchBytes, long queueBytes) {
		assertThat(this.usual.pace(pressure)).isEqualTo(new LogThrottle(pauseMicros * 1000, batchBytes, queueBytes));
	}

	@Test
	void nothingIsSlowWithoutPressureOrWithoutAPause() {
		assertThat(this.usual.pace(0)).isEqualTo(LogThrottle.FULL);
		assertThat(new WriteThrottling(0, 24, 2, 1).pace(1)).isEqualTo(LogThrottle.FULL);
	}

	@Test
	void fourTablesAreNeverTooMany() {
		WriteThrottling least = new WriteThrottling(20 * MILLI, 4, 1, 1 << 20);
		assertThat(least.pressure(3, 0, 0)).isZero();
		assertThat(least.pressure(4, 0, 0)).isZero();
	}

	@Test
	void queuedWritesAreWrittenWithinFivePausesOfTheLongest() {
		for (double pressure = 0.01; pressure <= 1; pressure += 0.01) {
			LogThrottle pace = this.usual.pace(pressure);
			double pauses = (double) pace.queueBytes() / pace.batchBytes();
			assertThat(pauses * pace.pauseNanos()).as("pressure %s", pressure).isLessThanOrEqualTo(100 * MILLI);
		}
	}

	@Test
	void writesAreSlowedDownBeforeTheyAreRefused() {
		FaultyFormat format = new FaultyFormat();
		format.set(Fault.CREATE_FAILS);
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		StorageProperties properties = TestStores.properties(this.directory, Sync.NEVER);
		Recovered recovered = new Recovery(properties, format).run();
		try (LsmStore store = StoreOpening.open(recovered, properties, PurgePolicy.nothing(), FutureStamps.KEPT,
				new StoreMetrics(registry))) {
			int written = 0;
			boolean refused = false;
			while (!refused) {
				refused = !isTaken(put(store, written++));
				assertThat(written).as("some bound is reached").isLessThan(10_000);
			}
			assertThat(registry.get(StorageMeters.WRITE_PRESSURE.getName()).gauge().value()).isEqualTo(1);
			format.set(Fault.NONE);
			await(store.flush());
			assertThat(registry.get(StorageMeters.WRITE_PRESSURE.getName()).gauge().value()).isZero();
			await(put(store, 0));
		}
	}

	@Test
	void aWriterThatAwaitsNoAnswerIsRefusedInsteadOfDelayed() {
		FaultyFormat format = new FaultyFormat();
		format.set(Fault.CREATE_FAILS);
		StorageProperties properties = TestStores.properties(this.directory, Sync.NEVER);
		try (LsmStore store = StoreOpening.open(properties, PurgePolicy.nothing(), format)) {
			List<CompletableFuture<ApplyResult>> answers = new ArrayList<>();
			for (int i = 0; i < 3000; i++) {
				answers.add(put(store, i));
			}
			answers.forEach(WriteThrottlingTests::isTaken);
			assertThatThrownBy(() -> await(answers.getLast())).isInstanceOf(StorageOverloadedException.class);
			format.set(Fault.NONE);
		}
	}

	private static boolean isTaken(CompletableFuture<ApplyResult> answer) {
		try {
			await(answer);
			return true;
		}
		catch (StorageOverloadedException refused) {
			return false;
		}
	}

	private static CompletableFuture<ApplyResult> put(LsmStore store, int number) {
		Entry entry = new Entry.Live(Timestamp.ofMillis(1000 + number), 1, Entry.NEVER, Value.wrap(new byte[1000]));
		return store.apply(Key.of("key" + number), entry, Runnable::run);
	}

}
