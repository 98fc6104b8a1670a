package io.quorate.storage.manifest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32C;

import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.manifest.VersionEdit.ValueFileEdit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class ManifestTests {

	private static final List<VersionEdit> THREE_EDITS = List.of(
			VersionEdit.flush(List.of(TableMetas.table(1, 0, 1, "a", "m"), TableMetas.table(2, 0, 1, "n", "z")), 3, 70),
			VersionEdit.valueFileBegun(7),
			edit(List.of(1L, 2L), TableMetas.table(3, 1, 2, "b", "y", Map.of(7L, 12_345L, 8L, 1L)), 4L,
					new ValueFileEdit(List.of(8L), List.of())));

	@TempDir
	private Path directory;

	@Test
	void aNewDirectoryGetsAnEmptyManifest() {
		try (Manifest manifest = Manifest.open(this.directory)) {
			assertThat(manifest.live()).isEqualTo(LiveFiles.NONE);
		}
		assertThat(file()).exists();
	}

	@Test
	void editsAreThereAfterReopening() throws IOException {
		LiveFiles expected = writeThreeEdits();
		assertThat(reopened()).isEqualTo(expected);
	}

	@Test
	void theStateAfterRandomEditsIsReadBack() throws IOException {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		List<LiveFiles> states = new ArrayList<>();
		try (Manifest manifest = Manifest.open(this.directory, 10_000)) {
			for (long number = 1; number <= 300; number++) {
				manifest.append(randomEdit(random, manifest.live(), number));
			}
			states.add(manifest.live());
		}
		states.add(reopened());
		assertThat(states.get(1)).as("seed %d", seed).isEqualTo(states.get(0));
	}

	@Test
	void aTornLastEditIsCutWhereverItEnds() throws IOException {
		writeThreeEdits();
		byte[] whole = Files.readAllBytes(file());
		int lastAt = startOfLastEdit();
		LiveFiles before = expectedAfter(2);
		for (int length = lastAt; length < whole.length; length++) {
			Files.write(file(), Arrays.copyOf(whole, length));
			assertThat(reopened()).as("cut at %d", length).isEqualTo(before);
			assertThat(file()).hasSize(lastAt);
		}
	}

	@Test
	void aTornLastEditIsCutWhateverIsInIt() throws IOException {
		writeThreeEdits();
		byte[] whole = Files.readAllBytes(file());
		int lastAt = startOfLastEdit();
		for (int at = lastAt; at < whole.length; at++) {
			byte[] torn = whole.clone();
			Arrays.fill(torn, at, torn.length, (byte) ((at % 2 == 0) ? 0 : 0x5a));
			Files.write(file(), torn);
			int survivors = Arrays.equals(torn, whole) ? 3 : 2;
			assertThat(reopened()).as("torn at %d", at).isEqualTo(expectedAfter(survivors));
		}
	}

	@Test
	void editsAreTakenAfterATornOneWasCut() throws IOException {
		writeThreeEdits();
		Files.write(file(), Arrays.copyOf(Files.readAllBytes(file()), startOfLastEdit() + 5));
		try (Manifest manifest = Manifest.open(this.directory)) {
			manifest.append(THREE_EDITS.get(2));
		}
		assertThat(reopened()).isEqualTo(expectedAfter(3));
	}

	@Test
	void damageBeforeAValidEditRefusesTheStartWhereverItIs() throws IOException {
		writeThreeEdits();
		byte[] whole = Files.readAllBytes(file());
		int lastAt = startOfLastEdit();
		for (int at = 0; at < lastAt; at++) {
			byte[] damaged = whole.clone();
			damaged[at] ^= (byte) (1 << (at % 8));
			Files.write(file(), damaged);
			assertThatExceptionOfType(StorageStartException.class).as("bit flipped at %d", at)
				.isThrownBy(() -> Manifest.open(this.directory))
				.withMessageContaining(file().toString())
				.withMessageContaining("damaged at offset")
				.withMessageContaining("Restore the whole directory from a backup");
			assertThat(Files.readAllBytes(file())).as("nothing is changed").isEqualTo(damaged);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, ManifestLog.FORMAT_VERSION + 1, 4 })
	void anotherFormatIsRefused(int version) throws IOException {
		writeThreeEdits();
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file()));
		bytes.putInt(8, version);
		CRC32C crc = new CRC32C();
		crc.update(bytes.slice(0, 12));
		bytes.putInt(12, (int) crc.getValue());
		Files.write(file(), bytes.array());
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> Manifest.open(this.directory))
			.withMessageContaining(
					"has format version %d, this program supports %d".formatted(version, ManifestLog.FORMAT_VERSION));
		assertThat(Files.readAllBytes(file())).as("nothing is changed").isEqualTo(bytes.array());
	}

	@Test
	void aTableSetAsideSurvivesARewriteUntilItIsDiscarded() throws IOException {
		writeThreeEdits();
		TableMeta table = expectedAfter(3).tables().get(3L);
		assertThat(table).isNotNull();
		try (Manifest manifest = Manifest.open(this.directory)) {
			manifest.append(VersionEdit.setAside(List.of(table)));
			manifest.append(VersionEdit.flush(List.of(), 9, 4711));
			for (long number = 100; number < 200; number++) {
				manifest.append(VersionEdit.valueFileBegun(number));
				manifest.append(VersionEdit.valueFilesRemoved(List.of(number)));
			}
		}
		try (Manifest manifest = Manifest.open(this.directory, 100)) {
			manifest.settle();
		}
		assertThat(Files.size(file())).isLessThan(1000);
		LiveFiles live = reopened();
		assertThat(live.tables()).isEmpty();
		assertThat(live.aside()).isEqualTo(Map.of(3L, table));
		assertThat(live.highestSequence()).isEqualTo(4711);
		try (Manifest manifest = Manifest.open(this.directory)) {
			manifest.append(VersionEdit.discarded(List.of(table)));
		}
		assertThat(reopened().aside()).isEmpty();
		assertThat(reopened().highestSequence()).isEqualTo(4711);
	}

	@Test
	void aMissingManifestBesideDataRefusesTheStart() throws IOException {
		for (String name : List.of("tables", "values", "wal")) {
			Path data = Files.createDirectory(this.directory.resolve(name));
			Path orphan = Files.createFile(data.resolve("000001"));
			assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> Manifest.open(this.directory))
				.withMessageContaining("MANIFEST is missing")
				.withMessageContaining(data.toString());
			assertThat(file()).doesNotExist();
			Files.delete(orphan);
		}
		Manifest.open(this.directory).close();
	}

	@Test
	void aManifestThatIsMuchLongerThanItsStateIsRewritten() throws IOException {
		try (Manifest manifest = Manifest.open(this.directory, 2000)) {
			manifest.append(THREE_EDITS.get(0));
			for (long number = 100; number < 200; number++) {
				manifest.append(VersionEdit.valueFileBegun(number));
				manifest.append(VersionEdit.valueFilesRemoved(List.of(number)));
			}
		}
		assertThat(Files.size(file())).isLessThan(2100);
		assertThat(reopened()).isEqualTo(expectedAfter(1));
	}

	@Test
	void aManifestMuchLongerThanItsStateIsRewrittenAtTheStart() throws IOException {
		try (Manifest manifest = Manifest.open(this.directory)) {
			for (long number = 100; number < 200; number++) {
				manifest.append(VersionEdit.valueFileBegun(number));
				manifest.append(VersionEdit.valueFilesRemoved(List.of(number)));
			}
		}
		try (Manifest manifest = Manifest.open(this.directory, 100)) {
			manifest.settle();
		}
		assertThat(Files.size(file())).isLessThan(100);
		assertThat(reopened()).isEqualTo(LiveFiles.NONE);
	}

	@Test
	void aRewriteThatACrashLeftUnfinishedIsRemoved() throws IOException {
		LiveFiles expected = writeThreeEdits();
		Path temporary = Files.write(this.directory.resolve("MANIFEST.tmp"), new byte[10]);
		assertThat(reopened()).isEqualTo(expected);
		assertThat(temporary).doesNotExist();
	}

	@Test
	void aContradictionChangesNothing() throws IOException {
		try (Manifest manifest = Manifest.open(this.directory)) {
			manifest.append(THREE_EDITS.get(0));
			assertThatIllegalStateException().isThrownBy(() -> manifest.append(THREE_EDITS.get(0)));
			manifest.append(THREE_EDITS.get(1));
		}
		assertThat(reopened()).isEqualTo(expectedAfter(2));
	}

	@Test
	void noEditIsTakenAfterAFailedWrite() {
		try (Manifest manifest = Manifest.open(this.directory)) {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(StorageFailedException.class)
				.isThrownBy(() -> manifest.append(THREE_EDITS.get(0)));
			assertThat(Thread.interrupted()).isTrue();
			assertThat(manifest.live()).isEqualTo(LiveFiles.NONE);
			assertThatExceptionOfType(StorageFailedException.class)
				.isThrownBy(() -> manifest.append(THREE_EDITS.get(0)))
				.withMessageContaining("takes no edits");
		}
	}

	@Test
	void noEditIsTakenAfterClosing() {
		Manifest manifest = Manifest.open(this.directory);
		manifest.close();
		manifest.close();
		assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> manifest.append(THREE_EDITS.get(0)))
			.withMessageContaining("is closed");
	}

	private LiveFiles writeThreeEdits() {
		try (Manifest manifest = Manifest.open(this.directory)) {
			THREE_EDITS.forEach(manifest::append);
			return manifest.live();
		}
	}

	private static LiveFiles expectedAfter(int edits) {
		LiveFiles live = LiveFiles.NONE;
		for (VersionEdit edit : THREE_EDITS.subList(0, edits)) {
			live = live.apply(edit);
		}
		return live;
	}

	private int startOfLastEdit() throws IOException {
		int lastSize = ManifestLog.frame(THREE_EDITS.getLast(), 0).remaining();
		return (int) Files.size(file()) - lastSize;
	}

	private static VersionEdit randomEdit(Random random, LiveFiles live, long number) {
		Map<Long, Long> valueBytes = random.nextBoolean() ? Map.of() : Map.of(number - 1, random.nextLong(1 << 20));
		TableMeta table = TableMetas.table(number, 0, number, "a" + random.nextInt(), "b" + random.nextInt(),
				valueBytes);
		List<Long> removed = live.tables().keySet().stream().filter((_) -> random.nextInt(4) == 0).toList();
		List<Long> removedFiles = live.valueFiles().stream().filter((_) -> random.nextInt(4) == 0).toList();
		return edit(removed, table, random.nextBoolean() ? number : null,
				new ValueFileEdit(List.of(number), removedFiles));
	}

	private static VersionEdit edit(List<Long> removed, TableMeta added, @Nullable Long firstSegment,
			ValueFileEdit values) {
		return new VersionEdit(VersionEdit.TableEdit.replaced(removed, List.of(added)), values,
				new VersionEdit.LogEdit(firstSegment, null, Map.of()), 0);
	}

	private LiveFiles reopened() throws IOException {
		try (Manifest manifest = Manifest.open(this.directory)) {
			manifest.settle();
			return manifest.live();
		}
	}

	private Path file() {
		return this.directory.resolve(Manifest.FILE_NAME);
	}

}
