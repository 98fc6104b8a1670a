package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class LogSegmentTests {

	@TempDir
	Path directory;

	/**
	 * Else a machine that stops finds no header in it, but records in the next one, and
	 * takes it to be missing.
	 */
	@Test
	void segmentWithoutRecordsIsNotTakenToBeForced() throws IOException {
		LogSegment.prepare(this.directory, 1, 256 * 1024);
		try (LogSegment segment = LogSegment.begin(this.directory, 1, 0)) {
			assertThat(segment.isForced()).isFalse();
			segment.force();
			assertThat(segment.isForced()).isTrue();
		}
	}

}
