package io.quorate.storage.snapshot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

import io.quorate.golden.GoldenFiles;
import io.quorate.storage.snapshot.SnapshotList.Listed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The list of a snapshot's files. A whole backup is in the golden directory. */
class GoldenSnapshotListTests {

	private static final SnapshotList LIST = new SnapshotList(1_763_800_000_004L, 99,
			Map.of("MANIFEST", new Listed(375, "0123abcd"), "tables/000003.sst", new Listed(65_843, null)));

	@TempDir
	Path home;

	@Test
	void aListIsRead() throws IOException {
		GoldenFiles.copy("small-1/SNAPSHOT", this.home, "SNAPSHOT");
		assertThat(SnapshotList.read(this.home)).isEqualTo(LIST);
	}

	@Test
	void aListIsWritten() throws IOException {
		LIST.write(this.home);
		assertThat(this.home.resolve("SNAPSHOT")).as(GoldenFiles.OTHER_BYTES)
			.hasBinaryContent(GoldenFiles.bytes("small-1/SNAPSHOT"));
	}

}
