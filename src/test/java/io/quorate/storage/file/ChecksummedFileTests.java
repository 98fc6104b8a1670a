package io.quorate.storage.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

import io.quorate.storage.file.ChecksummedFile.Content;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ChecksummedFileTests {

	@TempDir
	Path directory;

	/** Names of records come into it: what was lost is told by them. */
	@ParameterizedTest
	@ValueSource(strings = { "k\rformat=99\rz", "k\r#", "crc32c=00000000", "k\u2028format=99\u0085format=99" })
	void aNameChosenByAClientIsNeverReadAsALine(String name) throws IOException {
		ChecksummedFile file = new ChecksummedFile(this.directory.resolve("SALVAGED"), "What was lost.");
		file.write(Map.of("lost.1", name, "other", "1"));
		assertThat(file.read()).isEqualTo(new Content.Values(Map.of("format", "1", "lost.1", name, "other", "1")));
	}

	@Test
	void anAbsentFileIsReadAsMissing() {
		assertThat(new ChecksummedFile(this.directory.resolve("NODE"), "").read()).isEqualTo(new Content.Missing());
	}

}
