package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import io.quorate.clock.TimeSource;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.directory.StoreDirectory;
import io.quorate.storage.file.ChecksummedFile;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.floor.SharesFile;
import io.quorate.storage.log.SegmentHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Files of a newer program are refused by their format version, with a message that has
 * both versions, and stay as they are; they are neither taken for damaged nor salvaged.
 */
class FormatVersionTests extends DamagedDirectoryFixture {

	private static final StoreOwner OWNER = StoreOwner.alone("n0", "quorate");

	@ParameterizedTest
	@ValueSource(ints = { 99, 0, -1 })
	void manifest(int version) throws IOException {
		Path file = this.data.path().resolve("MANIFEST");
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
		bytes.putInt(8, version).putInt(12, crc(bytes, 0, 12));
		Files.write(file, bytes.array());
		assertRefused(file,
				"has format version %d, this program supports 1: start the program that wrote it".formatted(version));
	}

	@Test
	void log() throws IOException {
		Path file = this.data.files("wal", ".log").getLast();
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
		SegmentHeader.begun(3, 0, false).write(bytes.slice(0, SegmentHeader.SIZE));
		bytes.put(6, (byte) '0').put(7, (byte) '2').putInt(24, crc(bytes, 0, 24));
		Files.write(file, bytes.array());
		assertRefused(file, "has format version 2, this program supports 1");
	}

	@Test
	void tables() throws IOException {
		Path file = this.data.files("tables", ".sst").getLast();
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
		int trailer = bytes.limit() - 36;
		int footer = (int) bytes.getLong(trailer + 8);
		bytes.putInt(trailer, 99).putInt(trailer + 24, crc(bytes, footer, trailer + 24 - footer));
		Files.write(file, bytes.array());
		assertRefused(file, "has format version 99, this program supports 1");
	}

	@Test
	void valueFiles() throws IOException {
		Path file = this.data.files("values", ".vlog").getFirst();
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
		bytes.putInt(8, 99).putInt(12, crc(bytes, 0, 12));
		Files.write(file, bytes.array());
		assertRefused(file, "has format version 99, this program supports 1");
	}

	@Test
	void shares() throws IOException {
		Path file = this.data.path().resolve(SharesFile.FILE_NAME);
		SharesFile.write(this.data.path(), Floors.NONE);
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
		int guarded = bytes.limit() - Integer.BYTES;
		bytes.putInt(4, 99).putInt(guarded, crc(bytes, 0, guarded));
		Files.write(file, bytes.array());
		assertRefused(file, "has format version 99, this program supports 1");
	}

	@Test
	void aValueFileWithADamagedHeaderIsRead() throws IOException {
		Path file = this.data.files("values", ".vlog").getFirst();
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).putLong(0, 0x12345678_00000010L);
		Files.write(file, bytes.array());
		try (LsmStore store = StoreOpening.open(TestStores.properties(this.data.path(), Sync.ALWAYS),
				PurgePolicy.alone(() -> 0))) {
			assertThat(DamagedDirectory.answers(store)).isEqualTo(DamagedDirectory.Answers.ALL);
		}
	}

	@Test
	void identityAndClock() throws IOException {
		Path directory = this.home.resolve("own");
		StoreDirectory.open(directory, OWNER, TimeSource.SYSTEM, FutureStamps.KEPT).close();
		Path node = directory.resolve("NODE");
		byte[] before = Files.readAllBytes(node);
		Files.writeString(node, guarded(Files.readString(node).replace("format=1\n", "format=2\n")));
		assertRefused(directory, node, "has format version 2, this program supports 1");
		Files.write(node, before);
		Path clock = directory.resolve("CLOCK");
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(clock));
		for (int at : new int[] { 0, 4096 }) {
			bytes.putInt(at + 4, 2).putInt(at + 20, crc(bytes, at, 20));
		}
		Files.write(clock, bytes.array());
		assertRefused(directory, clock, "has format version 2, this program supports 1");
	}

	@Test
	void smallFiles() throws IOException {
		ChecksummedFile file = new ChecksummedFile(this.home.resolve("SMALL"), "Small.");
		file.write(Map.of("a", "b"));
		assertThat(file.read()).isInstanceOfSatisfying(ChecksummedFile.Content.Values.class,
				(its) -> assertThat(its.byName()).containsEntry("a", "b"));
		Files.writeString(file.path(), guarded(Files.readString(file.path()).replace("format=1\n", "format=2\n")));
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(file::read)
			.withMessageContaining("has format version 2, this program supports 1");
		for (String none : new String[] { "", "format=0\n" }) {
			Files.writeString(file.path(), guarded("# Small.\na=b\n" + none + "crc32c="));
			assertThatExceptionOfType(StorageStartException.class).isThrownBy(file::read);
		}
	}

	private static String guarded(String text) {
		String own = text.substring(0, text.lastIndexOf("crc32c="));
		byte[] bytes = own.getBytes(StandardCharsets.UTF_8);
		return own + "crc32c=" + HexFormat.of().toHexDigits(crc(ByteBuffer.wrap(bytes), 0, bytes.length)) + "\n";
	}

	private static int crc(ByteBuffer bytes, int from, int size) {
		CRC32C crc = new CRC32C();
		crc.update(bytes.slice(from, size));
		return (int) crc.getValue();
	}

	private void assertRefused(Path file, String message) throws IOException {
		for (StorageProperties properties : new StorageProperties[] {
				TestStores.properties(this.data.path(), Sync.ALWAYS), TestStores.salvaging(this.data.path()) }) {
			Map<Path, String> before = contents(this.data.path());
			assertThatExceptionOfType(StorageStartException.class)
				.isThrownBy(() -> StoreOpening.open(properties, PurgePolicy.alone(() -> 0)))
				.withMessageContaining(file.toString())
				.withMessageContaining(message);
			assertThat(contents(this.data.path())).as("nothing is changed").isEqualTo(before);
		}
	}

	private static void assertRefused(Path directory, Path file, String message) throws IOException {
		Map<Path, String> before = contents(directory);
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> StoreDirectory.open(directory, OWNER, TimeSource.SYSTEM, FutureStamps.KEPT))
			.withMessageContaining(file.toString())
			.withMessageContaining(message);
		assertThat(contents(directory)).as("nothing is changed").isEqualTo(before);
	}

	/* Each start writes its process to LOCK. */
	private static Map<Path, String> contents(Path directory) throws IOException {
		Map<Path, String> contents = new TreeMap<>();
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.filter((each) -> Files.isRegularFile(each) && !each.endsWith("LOCK")).toList()) {
				CRC32C crc = new CRC32C();
				crc.update(Files.readAllBytes(file));
				contents.put(file, crc.getValue() + " " + Files.getLastModifiedTime(file));
			}
		}
		return contents;
	}

}
