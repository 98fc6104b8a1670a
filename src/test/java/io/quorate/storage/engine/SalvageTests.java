package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.quorate.clock.TimeSource;
import io.quorate.entry.Key;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.directory.SalvageMark;
import io.quorate.storage.directory.StoreDirectory;
import io.quorate.storage.engine.DamagedDirectory.Answers;
import io.quorate.storage.sstable.MapDbTableFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A salvage takes everything that is not damaged, loses what is, and says what. */
@ExtendWith(OutputCaptureExtension.class)
class SalvageTests extends DamagedDirectoryFixture {

	private int renewed;

	@Test
	void recordsBehindDamageOfTheLogAreTakenAndThoseInItAreNamed(CapturedOutput output) throws IOException {
		Path log = damageLog();
		byte[] damaged = Files.readAllBytes(log);
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(this::openStrictly)
			.withMessageContaining(log + " is damaged at offset ")
			.withMessageContaining("acknowledged writes are at risk")
			.withMessageContaining("Restore the whole directory from a backup")
			.withMessageContaining("quorate.storage.recovery=salvage");
		assertThat(Files.readAllBytes(log)).as("a refused start changes nothing").isEqualTo(damaged);
		Answers expected = new Answers(List.of(DamagedDirectory.key("log", 20)), List.of());
		assertThat(salvaged()).isEqualTo(expected);
		assertThat(this.renewed).isOne();
		assertThat(output.getOut()).contains("Lost: " + log, "at most 1 entries, with the numbers");
		assertThat(kept(log.getFileName().toString())).hasBinaryContent(damaged);
		try (LsmStore store = openStrictly()) {
			assertThat(DamagedDirectory.answers(store)).isEqualTo(expected);
		}
	}

	@Test
	void aMissingTableCostsOnlyWhatWasInIt() throws IOException {
		try (LsmStore store = openStrictly()) {
			store.flush().join();
		}
		Files.delete(this.data.files("tables", ".sst").getLast());
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(this::openStrictly)
			.withMessageContaining("is missing: its ")
			.withMessageContaining("quorate.storage.recovery=salvage");
		Answers answers = salvaged();
		assertThat(answers.refused()).isEmpty();
		assertThat(answers.absent()).isNotEmpty();
	}

	@Test
	void nothingIsLostWithADamagedManifest() throws IOException {
		for (long at : List.of(0L, 9L, 20L, 60L, 200L)) {
			this.data = whole.copy(this.home.resolve("data"));
			DamagedDirectory.flip(this.data.path().resolve("MANIFEST"), at);
			assertThatExceptionOfType(StorageStartException.class).isThrownBy(this::openStrictly)
				.withMessageContaining("so any record of this node may be affected");
			assertThat(salvaged()).as("bit at %d", at).isEqualTo(Answers.ALL);
		}
	}

	@Test
	void nothingIsLostWithAMissingManifest() throws IOException {
		Files.delete(this.data.path().resolve("MANIFEST"));
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(this::openStrictly)
			.withMessageContaining("MANIFEST is missing, but");
		assertThat(salvaged()).isEqualTo(Answers.ALL);
	}

	@Test
	void aSalvageTakesTheIntactPagesOfADamagedTable(CapturedOutput output) throws IOException {
		Path table = this.data.files("tables", ".sst").getFirst();
		DamagedDirectory.flip(table, DamagedDirectory.offsetOf(DamagedDirectory.key("table", 100), table));
		byte[] damaged = Files.readAllBytes(table);
		Answers answers = salvaged();
		assertThat(answers.refused()).isEmpty();
		assertThat(answers.absent()).contains(DamagedDirectory.key("table", 100))
			.hasSizeBetween(1, 70)
			.allMatch((key) -> key.toString().startsWith("table-"));
		assertThat(output.getOut()).contains("Lost: %s: %d of %d entries between".formatted(table,
				answers.absent().size(), DamagedDirectory.TABLE_KEYS / 2));
		assertThat(kept(table.getFileName().toString())).hasBinaryContent(damaged);
	}

	@Test
	void aTableThatCannotBeOpenedIsPutAside() throws IOException {
		Path table = this.data.files("tables", ".sst").getFirst();
		DamagedDirectory.flip(table, Files.size(table) - 5);
		Answers answers = salvaged();
		assertThat(answers.refused()).isEmpty();
		assertThat(answers.absent()).hasSize(DamagedDirectory.TABLE_KEYS / 2);
		assertThat(kept(table.getFileName().toString())).exists();
	}

	@Test
	void itIsHonouredOnceAndNotForGood(CapturedOutput output) throws IOException {
		damageLog();
		salvaged();
		Path table = this.data.files("tables", ".sst").getFirst();
		Files.delete(table);
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(this::salvaged)
			.withMessageContaining("is missing: its ");
		assertThat(output.getOut()).contains("has no effect any more");
		assertThat(this.renewed).isOne();
		Files.delete(this.data.path().resolve("SALVAGED"));
		assertThat(salvaged().refused()).isEmpty();
		assertThat(this.renewed).isEqualTo(2);
	}

	@Test
	void nothingIsDoneWhereNothingIsDamaged(CapturedOutput output) throws IOException {
		assertThat(salvaged()).isEqualTo(Answers.ALL);
		assertThat(this.renewed).isZero();
		assertThat(this.data.path().resolve("SALVAGED")).doesNotExist();
		assertThat(output.getOut()).contains("Nothing had to be salvaged. Remove quorate.storage.recovery=salvage");
	}

	@Test
	void aSalvageThatIsBrokenOffIsBegunAgain() throws IOException {
		damageLog();
		Recovered broken = recovery().run();
		broken.close();
		SalvageMark mark = SalvageMark.of(this.data.path());
		assertThat(mark.isUnfinished()).isTrue();
		assertThat(mark.owesRebuild()).as("whatever happens next").isTrue();
		assertThat(salvaged().absent()).containsExactly(DamagedDirectory.key("log", 20));
		assertThat(mark.isUnfinished()).isFalse();
		assertThat(mark.owesRebuild()).isTrue();
	}

	@Test
	void aSalvagedStoreServesNothingWrongAfterAnyBitFlip() throws IOException {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		for (int i = 0; i < 40; i++) {
			this.data = whole.copy(this.home.resolve("data"));
			List<Path> files = new ArrayList<>(this.data.files("tables", ".sst"));
			files.addAll(this.data.files("values", ".vlog"));
			files.addAll(this.data.files("wal", ".log"));
			files.add(this.data.path().resolve("MANIFEST"));
			Path file = files.get(random.nextInt(files.size()));
			long at = random.nextLong(Math.min(Files.size(file), 200_000));
			DamagedDirectory.flip(file, at);
			Answers answers = salvaged();
			assertThat(answers.refused()).as("seed %d, %s at %d", seed, file, at)
				.allMatch((key) -> key.toString().startsWith("large-"));
			assertThat(answers.absent()).as("seed %d, %s at %d", seed, file, at)
				.hasSizeLessThanOrEqualTo(DamagedDirectory.TABLE_KEYS / 2 + DamagedDirectory.LARGE_KEYS);
		}
	}

	@Test
	void theDataOfADirectoryGetsAnotherIdentityAndOwesARebuild() throws IOException {
		StoreOwner owner = StoreOwner.alone("n0", "quorate");
		StoreDirectory directory = StoreDirectory.open(this.home.resolve("new"), owner, TimeSource.SYSTEM,
				FutureStamps.KEPT);
		var before = directory.storageId();
		assertThat(directory.isRebuildOwed()).isFalse();
		directory.renew();
		SalvageMark.of(directory.path()).write("now", List.of("something"));
		assertThat(directory.storageId()).isNotEqualTo(before);
		assertThat(directory.isRebuildOwed()).isTrue();
		directory.rebuildBegun();
		assertThat(directory.isRebuildOwed()).isFalse();
		var after = directory.storageId();
		directory.close();
		try (StoreDirectory again = StoreDirectory.open(this.home.resolve("new"), owner, TimeSource.SYSTEM,
				FutureStamps.KEPT)) {
			assertThat(again.storageId()).isEqualTo(after);
			assertThat(SalvageMark.of(again.path()).isThere()).isTrue();
		}
	}

	private Path damageLog() throws IOException {
		Key key = DamagedDirectory.key("log", 20);
		for (Path log : this.data.files("wal", ".log")) {
			if (new String(Files.readAllBytes(log), StandardCharsets.ISO_8859_1).contains(key.toString())) {
				DamagedDirectory.flip(log, DamagedDirectory.offsetOf(key, log));
				return log;
			}
		}
		throw new AssertionError(key + " is in no segment");
	}

	private Path kept(String name) throws IOException {
		try (Stream<Path> found = Files.walk(this.data.path().resolve("aside"))) {
			return found.filter((file) -> file.endsWith(name)).findFirst().orElseThrow();
		}
	}

	private LsmStore openStrictly() {
		return StoreOpening.open(TestStores.properties(this.data.path(), Sync.ALWAYS), PurgePolicy.alone(() -> 0));
	}

	private Recovery recovery() {
		var properties = TestStores.salvaging(this.data.path());
		var format = new MapDbTableFormat(properties.verifyPages());
		return new Recovery(properties, format, (_) -> false, (_) -> {
		}, Salvage.of(properties, format, () -> this.renewed++));
	}

	private Answers salvaged() {
		try (LsmStore store = StoreOpening.open(recovery().run(), TestStores.salvaging(this.data.path()),
				PurgePolicy.alone(() -> 0))) {
			return DamagedDirectory.answers(store);
		}
	}

}
