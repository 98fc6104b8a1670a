package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.quorate.entry.Key;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScrubProgress;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.ManifestScan;
import io.quorate.storage.sstable.TableFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The scrub finds damage that no read has met, and a damaged table answers for nothing.
 */
class ScrubberTests extends DamagedDirectoryFixture {

	private LsmStore store;

	private long damagedAt;

	@BeforeEach
	void prepare() throws IOException {
		this.store = open();
		await(this.store.flush());
		await(this.store.compacted());
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	private LsmStore open() {
		return StoreOpening.open(TestStores.properties(this.data.path(), Sync.ALWAYS), PurgePolicy.alone(() -> 0));
	}

	@Test
	void everythingIsReadAndNothingIsFoundWhereNothingIsDamaged() {
		ScrubProgress done = scrubbed();
		assertThat(done.reach().tables()).isEqualTo(done.reach().tablesInAll()).isPositive();
		assertThat(done.reach().values()).isEqualTo(DamagedDirectory.LARGE_KEYS);
		assertThat(done.damages()).isZero();
		assertThat(done.unread()).isZero();
		assertThat(done.times().completedMillis()).isPositive();
		assertThat(this.store.status().tables().quarantined()).isZero();
	}

	@Test
	void everyFlippedBitOfATableIsFoundAndTheTableQuarantined() throws IOException {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		for (int i = 0; i < 10; i++) {
			this.store.close();
			this.data = whole.copy(this.home.resolve("data"));
			this.store = open();
			await(this.store.flush());
			await(this.store.compacted());
			List<Long> live = List.copyOf(Manifest.read(this.data.path()).tables().keySet());
			Path table = TableFormat.FILES.path(this.data.path().resolve("tables"),
					live.get(random.nextInt(live.size())));
			long at = random.nextLong(Files.size(table));
			DamagedDirectory.flip(table, at);
			assertThat(scrubbed().damages()).as("seed %d, %s at %d", seed, table, at).isPositive();
			assertThat(this.store.status().tables().quarantined()).as("seed %d, %s at %d", seed, table, at).isOne();
		}
	}

	@Test
	void aDamagedValueIsFoundAndCostsNoOtherKey() throws IOException {
		Path values = this.data.files("values", ".vlog").getFirst();
		DamagedDirectory.flip(values, 50_000);
		assertThat(scrubbed().damages()).isOne();
		assertThat(this.store.status().tables().quarantined()).isZero();
		assertThat(DamagedDirectory.answers(this.store).refused()).containsExactly(DamagedDirectory.key("large", 1));
	}

	@Test
	void aQuarantinedTableAnswersForNothingThatItMayHoldOverRestarts() throws IOException {
		Path table = damagedTable();
		scrubbed();
		List<Key> refused = new ArrayList<>(DamagedDirectory.answers(this.store).refused());
		assertThat(refused).contains(DamagedDirectory.key("table", 100)).hasSizeGreaterThan(100);
		assertThat(DamagedDirectory.answers(this.store).absent()).isEmpty();
		assertThatExceptionOfType(StorageCorruptedException.class)
			.isThrownBy(() -> await(this.store.page(Key.of("a"), null, new PageLimit(10, 1000, 10), Runnable::run)));
		await().until(() -> isRecorded(table));
		this.store.close();
		DamagedDirectory.flip(table, this.damagedAt);
		this.store = open();
		assertThat(this.store.status().tables().quarantined()).as("although its bytes are right again").isOne();
		assertThat(DamagedDirectory.answers(this.store).refused()).isEqualTo(refused);
		await(this.store.compacted());
		assertThat(this.data.files("tables", ".sst")).contains(table);
	}

	private boolean isRecorded(Path table) throws IOException {
		return ManifestScan.of(this.data.path().resolve("MANIFEST"))
			.live()
			.quarantined()
			.keySet()
			.stream()
			.anyMatch((number) -> Tables.isNamed(table, number));
	}

	@Test
	void theFirstReadThatMeetsDamageQuarantinesTheTable() throws IOException {
		damagedTable();
		this.store.close();
		this.store = open();
		assertThatExceptionOfType(StorageCorruptedException.class)
			.isThrownBy(() -> await(this.store.read(DamagedDirectory.key("table", 100), Runnable::run)));
		assertThat(this.store.status().tables().quarantined()).isOne();
		assertThatExceptionOfType(StorageCorruptedException.class)
			.isThrownBy(() -> await(this.store.read(DamagedDirectory.key("table", 120), Runnable::run)));
	}

	@Test
	void aTableThatIsSetAsideLeavesTheQuarantine() throws IOException {
		damagedTable();
		scrubbed();
		assertThat(this.store.status().tables().quarantined()).isOne();
		await(this.store.setAside());
		assertThat(this.store.status().tables().quarantined()).isZero();
		assertThat(await(this.store.read(DamagedDirectory.key("table", 100), Runnable::run)))
			.isEqualTo(ReadResult.Absent.INSTANCE);
	}

	@Test
	void aPassIsBegunOnceAndNotTwice() {
		assertThat(this.store.scrub().begin()).isTrue();
		assertThat(this.store.scrub().begin()).isFalse();
		done();
	}

	@Test
	void aPassGoesOnWhereItWasBrokenOff() throws IOException {
		List<Path> tables = this.data.files("tables", ".sst");
		long last = TableFormat.FILES.numberOf(tables.getLast()).getAsLong();
		this.store.close();
		ScrubRecord record = ScrubRecord.open(this.data.path(), 1);
		record.write(record.state().begun(1000, last).through(last - 1, 7));
		this.store = open();
		ScrubProgress done = scrubbed();
		assertThat(done.reach().tables()).isOne();
		assertThat(done.times().beganMillis()).isEqualTo(1000);
		assertThat(done.damages()).as("what was found before counts").isEqualTo(7);
	}

	/** The name of a key is made one that is not there. */
	private Path damagedTable() throws IOException {
		// A table that was merged may not be deleted yet: the newest is live.
		for (Path table : this.data.files("tables", ".sst").reversed()) {
			String bytes = new String(Files.readAllBytes(table), StandardCharsets.ISO_8859_1);
			int at = bytes.indexOf("table-0100");
			if (at > 0) {
				this.damagedAt = at + 4L;
				DamagedDirectory.flip(table, this.damagedAt);
				return table;
			}
		}
		throw new AssertionError("no table has it");
	}

	private ScrubProgress scrubbed() {
		this.store.scrub().begin();
		return done();
	}

	private ScrubProgress done() {
		await().until(() -> !this.store.scrub().progress().running());
		return this.store.scrub().progress();
	}

}
