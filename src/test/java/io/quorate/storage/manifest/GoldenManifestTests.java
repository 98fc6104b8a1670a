package io.quorate.storage.manifest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.golden.GoldenFiles;
import io.quorate.storage.sstable.TableSummary;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A manifest of one edit, which has all that an edit can have.
 */
class GoldenManifestTests {

	private static final Map<String, byte[]> GOLDEN = GoldenFiles.hex("storage.txt");

	@Test
	void anEditIsRead() throws IOException {
		ByteBuffer bytes = ByteBuffer.wrap(golden());
		assertThat(ManifestLog.headerFlaw(bytes)).isNull();
		assertThat(ManifestLog.requireReadable(Path.of("MANIFEST"), bytes)).isEqualTo(1);
		byte[] payload = Objects.requireNonNull(ManifestLog.payloadAt(bytes, ManifestLog.HEADER_SIZE));
		assertThat(EditCodec.fromBytes(payload)).isEqualTo(edit());
	}

	@Test
	void anEditIsWritten() throws IOException {
		ByteBuffer edit = ManifestLog.frame(edit(), ManifestLog.HEADER_SIZE);
		byte[] written = ByteBuffer.allocate(ManifestLog.HEADER_SIZE + edit.remaining())
			.put(ManifestLog.header())
			.put(edit)
			.array();
		assertThat(HexFormat.of().formatHex(written)).as(GoldenFiles.OTHER_BYTES)
			.isEqualTo(HexFormat.of().formatHex(golden()));
	}

	private static byte[] golden() {
		return GOLDEN.getOrDefault("manifest-1", new byte[0]);
	}

	private static VersionEdit edit() {
		TableSummary summary = new TableSummary(new TableSummary.Counts(21, 22, 23),
				new TableSummary.Keys(Key.of("a"), Key.of("ö")),
				new TableSummary.Times(new Timestamp(0x0192_f3a4_b5c6_0007L, 0x8899_aabb),
						new Timestamp(0x0192_f3a4_b5c7_0008L, 0x0102_0304), 0x0000_0193_1122_3344L),
				24, 25, Map.of(31L, 32L, 33L, 34L));
		List<TableMeta> added = List.of(new TableMeta(11, 12, 13, summary));
		return new VersionEdit(
				new VersionEdit.TableEdit(added, List.of(41L, 42L), List.of(48L, 49L), List.of(50L),
						Map.of(51L, 52L, 53L, 54L)),
				new VersionEdit.ValueFileEdit(List.of(44L, 45L), List.of(46L)),
				new VersionEdit.LogEdit(43L, 55L, Map.of(56L, 57L, 58L, 59L)), 47);
	}

}
