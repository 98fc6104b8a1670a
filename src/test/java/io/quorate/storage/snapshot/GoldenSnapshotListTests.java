package io.quorate.storage.snapshot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

import io.quorate.golden.GoldenFiles;
import io.quorate.storage.snapshot.SnapshotList.Listed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lists of a snapshot's files: that in {@code small-1} is by commit {@code 3ec080e}, that
 * in {@code small-2} by {@code 3c21943}. Whole backups are in the golden directories.
 */
class GoldenSnapshotListTests {

	private static final SnapshotList LIST = new SnapshotList(1_763_800_000_004L, 99,
			Map.of("MANIFEST", new Listed(375, "0123abcd"), "tables/000003.sst", new Listed(65_843, null)));

	@TempDir
	Path home;

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void aListIsRead(int version) throws IOException {
		GoldenFiles.copy("small-%d/SNAPSHOT".formatted(version), this.home, "SNAPSHOT");
		assertThat(SnapshotList.read(this.home)).isEqualTo(LIST);
	}

	@Test
	void aListIsWritten() throws IOException {
		LIST.write(this.home);
		assertThat(this.home.resolve("SNAPSHOT")).as(GoldenFiles.OTHER_BYTES)
			.hasBinaryContent(GoldenFiles.bytes("small-2/SNAPSHOT"));
	}

}
