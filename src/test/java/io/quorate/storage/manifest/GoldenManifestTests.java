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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Manifests of one edit, which has all that an edit of its version can have:
 * {@code manifest-1} is by commit {@code 25fbebe}, {@code manifest-2} by {@code 6b60afb},
 * {@code manifest-3} by {@code 3ec080e}, {@code manifest-4} by {@code 3c21943}.
 */
class GoldenManifestTests {

	private static final Map<String, byte[]> GOLDEN = GoldenFiles.hex("storage.txt");

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4 })
	void anEditOfEachVersionIsRead(int version) throws IOException {
		ByteBuffer bytes = ByteBuffer.wrap(golden(version));
		assertThat(ManifestLog.headerFlaw(bytes)).isNull();
		assertThat(ManifestLog.requireReadable(Path.of("MANIFEST"), bytes)).isEqualTo(version);
		byte[] payload = Objects.requireNonNull(ManifestLog.payloadAt(bytes, ManifestLog.HEADER_SIZE));
		assertThat(EditCodec.fromBytes(payload)).isEqualTo(edit(version));
	}

	@Test
	void anEditIsWritten() throws IOException {
		ByteBuffer edit = ManifestLog.frame(edit(4), ManifestLog.HEADER_SIZE);
		byte[] written = ByteBuffer.allocate(ManifestLog.HEADER_SIZE + edit.remaining())
			.put(ManifestLog.header())
			.put(edit)
			.array();
		assertThat(HexFormat.of().formatHex(written)).as(GoldenFiles.OTHER_BYTES)
			.isEqualTo(HexFormat.of().formatHex(golden(4)));
	}

	private static byte[] golden(int version) {
		return GOLDEN.getOrDefault("manifest-" + version, new byte[0]);
	}

	private static VersionEdit edit(int version) {
		TableSummary summary = new TableSummary(21, 22, 23, Key.of("a"), Key.of("ö"),
				new Timestamp(0x0192_f3a4_b5c6_0007L, 0x8899_aabb), new Timestamp(0x0192_f3a4_b5c7_0008L, 0x0102_0304),
				0x0000_0193_1122_3344L, 24, 25, Map.of(31L, 32L, 33L, 34L));
		List<TableMeta> added = List.of(new TableMeta(11, 12, 13, summary));
		return new VersionEdit(added, List.of(41L, 42L), 43L, List.of(44L, 45L), List.of(46L), (version > 1) ? 47 : 0,
				(version > 1) ? List.of(48L, 49L) : List.of(), (version > 1) ? List.of(50L) : List.of(),
				(version > 2) ? Map.of(51L, 52L, 53L, 54L) : Map.of(), (version > 3) ? 55L : null,
				(version > 3) ? Map.of(56L, 57L, 58L, 59L) : Map.of());
	}

}
