package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;

import io.quorate.golden.GoldenFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The files {@code NODE}, {@code CLOCK} and {@code SALVAGED}. */
class GoldenDirectoryFilesTests {

	private static final NodeIdentity.Expected OWNER = new NodeIdentity.Expected("a", "golden",
			Map.of("a", "", "b", "", "c", ""), 3);

	private static final UUID STORAGE = UUID.fromString("d20bbec0-57a9-4e65-83e4-6ee712abb045");

	private static final long FIRST = 0x0192_f3a4_b5c6_0007L;

	private static final long SECOND = 0x0192_f3a4_b5c7_0008L;

	private static final List<String> LOST = List
		.of("tables/000003.sst: 2 of 5 entries between a and ä (damaged at offset 65536)", "one more");

	@TempDir
	Path home;

	@Test
	void anIdentityIsRead() throws IOException {
		GoldenFiles.copy("NODE-1", this.home, "NODE");
		assertThat(NodeIdentity.openOrCreate(this.home, OWNER)).isEqualTo(new NodeIdentity(STORAGE, 1, false));
	}

	/* The storage id is random: with that of the golden file all bytes are equal. */
	@Test
	void anIdentityIsWritten() throws IOException {
		UUID created = NodeIdentity.openOrCreate(this.home, OWNER).storageId();
		NodeIdentity.raise(this.home, 1);
		String written = Files.readString(this.home.resolve("NODE"));
		assertThat(withStorageId(written, created)).isEqualTo(written);
		assertThat(withStorageId(written, STORAGE)).as(GoldenFiles.OTHER_BYTES)
			.isEqualTo(new String(GoldenFiles.bytes("NODE-1"), StandardCharsets.UTF_8));
	}

	private static String withStorageId(String text, UUID storageId) {
		String guarded = text.substring(0, text.lastIndexOf("crc32c="))
			.replaceFirst("(?m)^storage-id=.*$", "storage-id=" + storageId);
		CRC32C crc = new CRC32C();
		crc.update(guarded.getBytes(StandardCharsets.UTF_8));
		return guarded + "crc32c=" + HexFormat.of().toHexDigits((int) crc.getValue()) + "\n";
	}

	@Test
	void theLaterSlotOfTheClockIsRead() throws IOException {
		GoldenFiles.copy("CLOCK-1", this.home, "CLOCK");
		assertThat(CeilingSlots.recorded(this.home)).isEqualTo(SECOND);
		byte[] bytes = GoldenFiles.bytes("CLOCK-1");
		bytes[8]++;
		Files.write(this.home.resolve("CLOCK"), bytes);
		assertThat(CeilingSlots.recorded(this.home)).as("the other slot").isEqualTo(FIRST);
	}

	@Test
	void theClockIsWritten() throws IOException {
		try (CeilingSlots slots = CeilingSlots.open(this.home)) {
			slots.record(FIRST);
			slots.record(SECOND);
		}
		assertThat(this.home.resolve("CLOCK")).as(GoldenFiles.OTHER_BYTES)
			.hasBinaryContent(GoldenFiles.bytes("CLOCK-1"));
	}

	@Test
	void theMarkOfASalvageIsRead() throws IOException {
		SalvageMark mark = SalvageMark.of(this.home);
		GoldenFiles.copy("small-1/SALVAGED.unfinished", this.home, "SALVAGED");
		assertThat(mark.isUnfinished()).isTrue();
		assertThat(mark.owesRebuild()).isTrue();
		GoldenFiles.copy("small-1/SALVAGED.owed", this.home, "SALVAGED");
		assertThat(mark.isUnfinished()).isFalse();
		assertThat(mark.owesRebuild()).isTrue();
		assertThat(mark.when()).isEqualTo("2026-11-22T16:13:00Z");
		GoldenFiles.copy("small-1/SALVAGED", this.home, "SALVAGED");
		assertThat(mark.isThere()).isTrue();
		assertThat(mark.owesRebuild()).as("a rebuild has begun").isFalse();
	}

	@Test
	void theMarkOfASalvageIsWritten() throws IOException {
		SalvageMark mark = SalvageMark.of(this.home);
		mark.begin();
		requireWritten("SALVAGED.unfinished");
		mark.write("2026-11-22T16:13:00Z", LOST);
		requireWritten("SALVAGED.owed");
		mark.rebuildBegun();
		requireWritten("SALVAGED");
	}

	private void requireWritten(String golden) {
		assertThat(this.home.resolve("SALVAGED")).as(GoldenFiles.OTHER_BYTES)
			.hasBinaryContent(GoldenFiles.bytes("small-1/" + golden));
	}

}
