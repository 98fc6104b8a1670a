package io.quorate.storage.engine;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.FileProgress;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.engine.DamagedDirectory.Answers;
import io.quorate.storage.file.FaultyDisk;
import io.quorate.storage.inspect.Inspect;
import io.quorate.storage.manifest.LiveFiles;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.ManifestScan;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.sstable.MapDbTableFormat;
import org.junit.jupiter.api.Test;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Files that are missing, and edits of the manifest that are, refuse the start whatever
 * there is beside them; a salvage takes the rest and says what is lost.
 */
class MissingFilesTests extends DamagedDirectoryFixture {

	private static final Key LARGE = Key.of("large");

	private int renewed;

	@Test
	void aLogOfWhichNothingIsLeftRefusesTheStart() throws IOException {
		LiveFiles live = Manifest.read(this.data.path());
		List<Path> segments = this.data.files("wal", ".log");
		for (Path segment : segments) {
			Files.delete(segment);
		}
		assertRefused(segments.getFirst().toString(),
				"missing, of the log segments %d to %d".formatted(live.log().first(), live.log().last()),
				"acknowledged", "Restore the whole directory", "quorate.storage.recovery=salvage");
		assertThat(inspected()).isEqualTo(Inspect.DAMAGED);
		Answers answers = salvaged();
		assertThat(answers.refused()).isEmpty();
		assertThat(answers.absent()).as("what was in the log alone").hasSize(DamagedDirectory.LOG_KEYS);
		assertThat(Files.readString(this.data.path().resolve("SALVAGED"))).contains(segments.getFirst().toString())
			.contains("rebuild=owed");
		assertServes(answers);
	}

	@Test
	void eachSegmentThatWasMadeIsMissed() throws IOException {
		LiveFiles live = Manifest.read(this.data.path());
		assertThat(live.log().last()).isGreaterThan(live.log().first());
		for (long number = live.log().first(); number <= live.log().last(); number++) {
			this.data = whole.copy(this.home.resolve("data"));
			Path segment = this.data.path().resolve("wal/%06d.log".formatted(number));
			Files.delete(segment);
			assertRefused(segment + " is missing", "acknowledged");
			Answers answers = salvaged();
			assertThat(answers.refused()).isEmpty();
			assertServes(answers);
		}
	}

	@Test
	void aSegmentThatWasForcedAndIsEmptyRefusesTheStart() throws IOException {
		LiveFiles live = Manifest.read(this.data.path());
		assertThat(live.log().forcedLengths()).isNotEmpty();
		long number = live.log().forcedLengths().keySet().iterator().next();
		Path segment = this.data.path().resolve("wal/%06d.log".formatted(number));
		Files.write(segment, new byte[(int) Files.size(segment)]);
		assertRefused(segment + " is damaged at offset 0");
		assertThat(salvaged().refused()).isEmpty();
	}

	@Test
	void segmentsAreMissedOverAnyNumberOfStartsFlushesAndStops() throws IOException {
		Path directory = this.home.resolve("own");
		Path killed = this.home.resolve("killed");
		long stamp = 0;
		for (int start = 0; start < 4; start++) {
			try (LsmStore store = open(directory)) {
				for (int i = 0; i < 60; i++) {
					stamp++;
					await(store.apply(Key.of("k" + i),
							new Entry.Live(Timestamp.ofMillis(stamp), 1, Entry.NEVER, Value.wrap(new byte[15_000])),
							Runnable::run));
					if (i % 20 == 19) {
						await(store.flush());
					}
				}
				await(store.apply(Key.of("last"),
						new Entry.Live(Timestamp.ofMillis(++stamp), 1, Entry.NEVER, Value.wrap(new byte[10])),
						Runnable::run));
				CrashImage.deleteTree(killed);
				CrashImage.take(directory, killed);
			}
			LiveFiles live = Manifest.read(killed);
			for (long number = live.log().first(); number <= live.log().last(); number++) {
				assertThat(killed.resolve("wal/%06d.log".formatted(number))).as("start %d", start).exists();
			}
			open(killed).close();
			CrashImage.deleteTree(killed.resolve("wal"));
			assertThat(live.log().last()).isGreaterThanOrEqualTo(live.log().first());
		}
	}

	@Test
	void aStoreWithAnOldManifestOpensAndThenTracksItsSegments() throws IOException {
		LiveFiles live = Manifest.read(this.data.path());
		Manifest.write(this.data.path(), new LiveFiles(live.tables(), live.aside(), live.quarantined(),
				live.valueFiles(), live.log().unknown(), live.highestSequence()));
		assertServes(Answers.ALL);
		assertThat(Manifest.read(this.data.path()).log().last()).isPositive();
	}

	@Test
	void aDamagedEditThatNamesAValueFileRefusesTheStart() throws IOException {
		Path directory = withLastEditDamaged();
		byte[] damaged = Files.readAllBytes(directory.resolve("MANIFEST"));
		assertRefused("MANIFEST is damaged: it does not ", "so any record of this node may be affected");
		assertThat(directory.resolve("values/000001.vlog")).exists();
		assertThat(Files.readAllBytes(directory.resolve("MANIFEST"))).as("nothing is changed").isEqualTo(damaged);
		assertRefused("MANIFEST is damaged: it does not ");
		try (LsmStore store = salvage()) {
			assertThat(await(store.read(LARGE, Runnable::run))).isInstanceOf(ReadResult.Found.class);
			assertThat(await(store.read(Key.of("k50"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
		}
		assertThat(this.renewed).isOne();
		try (LsmStore store = open(directory)) {
			assertThat(await(store.read(LARGE, Runnable::run))).isInstanceOf(ReadResult.Found.class);
		}
	}

	/** As of a store in which 50 writes have followed the begin of a value file. */
	private Path withLastEditDamaged() throws IOException {
		Path work = this.home.resolve("work");
		Path killed = this.home.resolve("data");
		CrashImage.deleteTree(killed);
		try (LsmStore store = open(work)) {
			await(store.apply(LARGE,
					new Entry.Live(Timestamp.ofMillis(1), 1, Entry.NEVER, Value.wrap(new byte[100_000])),
					Runnable::run));
			for (int i = 1; i <= 50; i++) {
				await(store.apply(Key.of("k" + i),
						new Entry.Live(Timestamp.ofMillis(1 + i), 1, Entry.NEVER, Value.wrap(new byte[100])),
						Runnable::run));
			}
			CrashImage.take(work, killed);
		}
		this.data = new DamagedDirectory(killed);
		ManifestScan scan = ManifestScan.of(killed.resolve("MANIFEST"));
		long begun = scan.edits()
			.stream()
			.filter((edit) -> edit.edit().values().added().contains(1L))
			.findFirst()
			.orElseThrow()
			.offset();
		// What came behind it in the background is not there yet.
		byte[] manifest = Files.readAllBytes(killed.resolve("MANIFEST"));
		int end = (int) (begun
				+ scan.edits().stream().filter((edit) -> edit.offset() == begun).findFirst().orElseThrow().sizeBytes());
		Files.write(killed.resolve("MANIFEST"), Arrays.copyOf(manifest, end));
		DamagedDirectory.flip(killed.resolve("MANIFEST"), end - 10);
		return killed;
	}

	@Test
	void anEditThatIsMissingAltogetherRefusesTheStartToo() throws IOException {
		byte[] manifest = Files.readAllBytes(this.data.path().resolve("MANIFEST"));
		List<ManifestScan.Edit> edits = ManifestScan.of(this.data.path().resolve("MANIFEST")).edits();
		int refused = 0;
		for (int kept = 1; kept < edits.size(); kept++) {
			this.data = whole.copy(this.home.resolve("data"));
			int end = (int) edits.get(kept).offset();
			Files.write(this.data.path().resolve("MANIFEST"), Arrays.copyOf(manifest, end));
			try (LsmStore store = open(this.data.path())) {
				assertThat(DamagedDirectory.answers(store)).as("with %d of %d edits", kept, edits.size())
					.isEqualTo(Answers.ALL);
			}
			catch (StorageStartException told) {
				assertThat(told).hasMessageContaining("quorate.storage.recovery=salvage");
				refused++;
				assertThat(salvaged()).as("with %d of %d edits", kept, edits.size()).isEqualTo(Answers.ALL);
			}
		}
		assertThat(refused).as("of %d", edits.size()).isPositive();
	}

	@Test
	void aFileUnknownToTheManifestIsSetAsideAndNotDeleted() throws IOException {
		Path table = Files.copy(this.data.files("tables", ".sst").getFirst(),
				this.data.path().resolve("tables/000777.sst"));
		Path values = Files.copy(this.data.files("values", ".vlog").getFirst(),
				this.data.path().resolve("values/000777.vlog"));
		Path unfinished = Files.createFile(this.data.path().resolve("tables/000778.sst.tmp"));
		assertServes(Answers.ALL);
		assertThat(table).doesNotExist();
		assertThat(values).doesNotExist();
		assertThat(unfinished).doesNotExist();
		assertThat(leftovers()).containsExactlyInAnyOrder("000777.sst", "000777.vlog");
		assertThat(inspected()).isEqualTo(Inspect.SOUND);
		try (Stream<Path> kept = Files.list(this.data.path().resolve("leftover"))) {
			Path instant = kept.findFirst().orElseThrow();
			Files.move(instant, instant.resolveSibling("20200101T000000.000Z"));
		}
		assertServes(Answers.ALL);
		assertThat(this.data.path().resolve("leftover")).as("too old").doesNotExist();
	}

	@Test
	void onAFullDiskTheyDoNotKeepTheStoreFromOpening() throws IOException {
		Path table = Files.copy(this.data.files("tables", ".sst").getFirst(),
				this.data.path().resolve("tables/000777.sst"));
		try (FaultyDisk disk = new FaultyDisk(this.data.path(), 1)) {
			disk.failForces((file) -> file.endsWith("leftover"));
			disk.set(FaultyDisk.Fault.FULL_FOR_FORCES, 1);
			assertServes(Answers.ALL);
			assertThat(disk.failures()).isPositive();
		}
		assertThat(table).doesNotExist();
		assertThat(this.data.path().resolve("leftover")).doesNotExist();
	}

	@Test
	void aFileThatAnEditHasRemovedIsDeleted() throws IOException {
		Path table = this.data.files("tables", ".sst").getFirst();
		byte[] bytes = Files.readAllBytes(table);
		try (LsmStore store = open(this.data.path())) {
			for (int i = 0; i < 6; i++) {
				await(store.apply(DamagedDirectory.key("other", 0),
						new Entry.Live(Timestamp.ofMillis(10_000 + i), 1, Entry.NEVER, Value.wrap(new byte[10])),
						Runnable::run));
				await(store.flush());
			}
			await(store.compacted());
		}
		assertThat(Manifest.read(this.data.path()).tables()).doesNotContainKey(1L);
		Files.write(table, bytes);
		assertServes(Answers.ALL);
		assertThat(table).doesNotExist();
		assertThat(leftovers()).isEmpty();
	}

	@Test
	void aMissingValueFileThatATableRefersToRefusesTheStart() throws IOException {
		Path values = this.data.files("values", ".vlog").getFirst();
		Files.delete(values);
		assertRefused(values + " is missing: the large values in it, to which ", ".sst refers",
				"all of them acknowledged, are at risk");
		Answers answers = salvaged();
		assertThat(answers.refused()).isEmpty();
		assertThat(answers.absent()).hasSize(DamagedDirectory.LARGE_KEYS)
			.allMatch((key) -> key.toString().startsWith("large-"));
		assertThat(Files.readString(this.data.path().resolve("SALVAGED"))).contains(values.toString());
		assertServes(answers);
	}

	@Test
	void aMissingValueFileThatARecordOfTheLogRefersToRefusesTheStart() throws IOException {
		for (Sync sync : List.of(Sync.ALWAYS, Sync.NEVER)) {
			Path work = this.home.resolve("work-" + sync);
			Path killed = this.home.resolve("data");
			CrashImage.deleteTree(killed);
			try (LsmStore store = StoreOpening.open(TestStores.properties(work, sync), PurgePolicy.alone(() -> 0))) {
				await(store.apply(Key.of("small"),
						new Entry.Live(Timestamp.ofMillis(1), 1, Entry.NEVER, Value.wrap(new byte[10])),
						Runnable::run));
				await(store.apply(LARGE,
						new Entry.Live(Timestamp.ofMillis(1), 1, Entry.NEVER, Value.wrap(new byte[100_000])),
						Runnable::run));
				CrashImage.take(work, killed);
			}
			this.data = new DamagedDirectory(killed);
			Files.delete(killed.resolve("values/000001.vlog"));
			assertRefused("000001.vlog is missing: the large values in it, to which ", ".log refers");
			try (LsmStore store = salvage()) {
				assertThat(await(store.read(Key.of("small"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
				assertThat(await(store.read(LARGE, Runnable::run))).isInstanceOf(ReadResult.Absent.class);
			}
			open(killed).close();
		}
	}

	@Test
	void aValueFileThatWasBegunAndNeverMadeIsNotMissed() throws IOException {
		try (Manifest manifest = Manifest.open(this.data.path())) {
			manifest.append(VersionEdit.valueFileBegun(99));
		}
		assertServes(Answers.ALL);
		assertThat(Manifest.read(this.data.path()).valueFiles()).doesNotContain(99L);
	}

	private void assertRefused(String... message) {
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> open(this.data.path()).close())
			.satisfies((told) -> assertThat(told.getMessage()).contains(message));
	}

	private void assertServes(Answers answers) {
		try (LsmStore store = open(this.data.path())) {
			assertThat(DamagedDirectory.answers(store)).isEqualTo(answers);
		}
	}

	private Answers salvaged() throws IOException {
		try (LsmStore store = salvage()) {
			return DamagedDirectory.answers(store);
		}
	}

	private LsmStore salvage() {
		var properties = TestStores.salvaging(this.data.path());
		var format = new MapDbTableFormat(properties.verifyPages());
		Recovery recovery = new Recovery(properties, format, (_) -> false, (_) -> {
		}, Salvage.of(properties, format, () -> this.renewed++));
		return StoreOpening.open(recovery.run(), properties, PurgePolicy.alone(() -> 0));
	}

	private int inspected() {
		PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
		return Inspect.run(new Inspect.Options(this.data.path(), null, false, false, Inspect.Addition.NONE),
				FileProgress.NONE, nowhere, nowhere);
	}

	private List<String> leftovers() throws IOException {
		Path directory = this.data.path().resolve("leftover");
		if (!Files.exists(directory)) {
			return List.of();
		}
		List<String> names = new ArrayList<>();
		try (Stream<Path> files = Files.walk(directory)) {
			files.filter(Files::isRegularFile).forEach((file) -> names.add(file.getFileName().toString()));
		}
		return names;
	}

	private static LsmStore open(Path directory) {
		return StoreOpening.open(TestStores.properties(directory, Sync.ALWAYS), PurgePolicy.alone(() -> 0));
	}

}
