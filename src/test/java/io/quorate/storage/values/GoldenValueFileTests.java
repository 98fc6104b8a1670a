package io.quorate.storage.values;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import io.quorate.entry.Value;
import io.quorate.golden.GoldenFiles;
import io.quorate.storage.record.StoredEntry.Reference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A file of two values. */
class GoldenValueFileTests {

	private static final Map<String, byte[]> GOLDEN = GoldenFiles.hex("storage.txt");

	private static final Value FIRST = value("the first value");

	private static final Value SECOND = value("the second");

	private static final Reference TO_FIRST = new Reference(1, 24, 15, 0xd435_9064);

	private static final Reference TO_SECOND = new Reference(1, 47, 10, 0x8286_eaf1);

	@TempDir
	Path directory;

	@Test
	void theFileIsRead() throws IOException {
		Files.write(this.directory.resolve("000001.vlog"), golden());
		try (ValueFiles files = open(List.of(1L))) {
			assertThat(files.read(TO_FIRST)).isEqualTo(FIRST);
			assertThat(files.read(TO_SECOND)).isEqualTo(SECOND);
		}
	}

	private static byte[] golden() {
		return GOLDEN.getOrDefault("values-1", new byte[0]);
	}

	@Test
	void theFileIsWritten() throws IOException {
		try (ValueFiles files = open(List.of()); ValueWriter writer = new ValueWriter(files, 1 << 20, (_) -> {
		})) {
			assertThat(writer.append(FIRST)).isEqualTo(TO_FIRST);
			assertThat(writer.append(SECOND)).isEqualTo(TO_SECOND);
		}
		assertThat(HexFormat.of().formatHex(Files.readAllBytes(this.directory.resolve("000001.vlog"))))
			.as(GoldenFiles.OTHER_BYTES)
			.isEqualTo(HexFormat.of().formatHex(golden()));
	}

	private ValueFiles open(List<Long> live) throws IOException {
		return new ValueFiles(this.directory, live, 1, (_, _) -> {
		}, (_) -> {
		});
	}

	private static Value value(String text) {
		return Value.wrap(text.getBytes(StandardCharsets.UTF_8));
	}

}
