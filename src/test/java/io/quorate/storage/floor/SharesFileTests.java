package io.quorate.storage.floor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.zip.CRC32C;

import io.quorate.entry.Partitions;
import io.quorate.golden.GoldenFiles;
import io.quorate.storage.ShareChange;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.ForgetfulDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The golden file is by the commit that brought the format. */
class SharesFileTests {

	private static final Floors BEFORE = Floors.NONE.after(new ShareChange(5, Set.of(0), Set.of(1)), 41, 11);

	private static final Floors AFTER = BEFORE.after(new ShareChange(7, Set.of(2), Set.of(16_383)), 43, 12);

	@TempDir
	Path directory;

	@Test
	void withoutAFileThereAreNoFloors() throws IOException {
		assertThat(SharesFile.read(this.directory)).isSameAs(Floors.NONE);
	}

	@Test
	void theFloorsOfTheGoldenFileAreRead() throws IOException {
		GoldenFiles.copy("SHARES-1.gz", this.directory, SharesFile.FILE_NAME);
		requireEqual(SharesFile.read(this.directory), AFTER);
	}

	@Test
	void theFloorsOfTheGoldenFileAreWritten() throws IOException {
		SharesFile.write(this.directory, AFTER);
		assertThat(this.directory.resolve(SharesFile.FILE_NAME)).as(GoldenFiles.OTHER_BYTES)
			.hasBinaryContent(GoldenFiles.bytes("SHARES-1.gz"));
	}

	@Test
	void eachPartitionMayHaveAFloorOfItsOwn() throws IOException {
		Floors floors = Floors.NONE;
		for (int partition = 0; partition < Partitions.COUNT; partition += 16) {
			floors = floors.after(new ShareChange(partition + 1, Set.of(partition), Set.of(partition + 1)), partition,
					partition);
		}
		SharesFile.write(this.directory, floors);
		requireEqual(SharesFile.read(this.directory), floors);
	}

	@Test
	void aDamagedFileIsRefused() throws IOException {
		SharesFile.write(this.directory, AFTER);
		byte[] whole = Files.readAllBytes(file());
		for (int at = 0; at < whole.length; at += (at < 100) ? 1 : 977) {
			byte[] damaged = whole.clone();
			damaged[at] ^= 0x10;
			requireRefused(damaged, "is damaged");
			requireRefused(Arrays.copyOf(whole, at), "is damaged");
		}
		requireRefused(Arrays.copyOf(whole, whole.length + 8), "is damaged");
	}

	@Test
	void aFileOfANewerProgramIsRefused() throws IOException {
		SharesFile.write(this.directory, AFTER);
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file())).putInt(4, 2);
		CRC32C crc = new CRC32C();
		crc.update(bytes.slice(0, bytes.limit() - 4));
		bytes.putInt(bytes.limit() - 4, (int) crc.getValue());
		requireRefused(bytes.array(), "has format version 2, this program supports 1");
	}

	private void requireRefused(byte[] bytes, String message) throws IOException {
		Files.write(file(), bytes);
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> SharesFile.read(this.directory))
			.withMessageContaining(file().toString())
			.withMessageContaining(message);
	}

	/* At each step of a write, and with each choice of what was not fsynced. */
	@Test
	void aPowerFailureLeavesTheFloorsBeforeOrAfter() throws IOException {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		Path disk = Files.createDirectory(this.directory.resolve("disk"));
		List<ForgetfulDisk> opened = new ArrayList<>();
		List<Long> found = new ArrayList<>();
		SharesFile.write(disk, BEFORE);
		try (ForgetfulDisk forgetful = new ForgetfulDisk(disk, (_) -> {
			for (int i = 0; i < 5; i++) {
				found.add(after(opened.getFirst(), random));
			}
		})) {
			opened.add(forgetful);
			SharesFile.write(disk, AFTER);
			assertThat(found).as("seed %d", seed).containsOnly(5L, 7L);
			assertThat(after(forgetful, random)).as("after the return, seed %d", seed).isEqualTo(7);
		}
	}

	private long after(ForgetfulDisk disk, Random random) {
		try {
			Path image = Files.createTempDirectory(this.directory, "image");
			disk.afterPowerFailure(random).write(image);
			return SharesFile.read(image).version();
		}
		catch (IOException failure) {
			throw new AssertionError(failure);
		}
	}

	private Path file() {
		return this.directory.resolve(SharesFile.FILE_NAME);
	}

	private static void requireEqual(Floors found, Floors expected) {
		assertThat(found.version()).isEqualTo(expected.version());
		assertThat(found.firstCleanTable()).isEqualTo(expected.firstCleanTable());
		for (int partition = 0; partition < Partitions.COUNT; partition++) {
			assertThat(found.of(partition)).as("partition %d", partition).isEqualTo(expected.of(partition));
		}
	}

}
