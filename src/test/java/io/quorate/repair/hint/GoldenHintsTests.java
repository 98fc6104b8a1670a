package io.quorate.repair.hint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.golden.GoldenEntry;
import io.quorate.golden.GoldenFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The hints of the golden directory, and a position.
 */
class GoldenHintsTests {

	/* The writes while c was away. */
	private static final Set<String> MISSED = Set.of("overwritten/twice", "overwritten/once", "deleted/later",
			"large/tail", "tail/short", "expires/tail", "tail/last");

	@TempDir
	Path home;

	@Test
	void hintsAreGivenOut() throws IOException {
		Path directory = GoldenFiles.unpack(1, this.home).resolve("hints").resolve("c");
		List<Hint> expected = GoldenEntry.of(1)
			.stream()
			.filter((entry) -> MISSED.contains(entry.key().toString()))
			.sorted(Comparator.comparingLong(GoldenEntry::sequence))
			.map((entry) -> Hint.of(entry.key(), entry.entry()))
			.toList();
		assertThat(expected).hasSameSizeAs(MISSED);
		for (int start = 1; start <= 2; start++) {
			assertThat(given(directory)).as("start %d", start).isEqualTo(expected);
		}
	}

	private static List<Hint> given(Path directory) throws IOException {
		List<Hint> hints = new ArrayList<>();
		HintMetrics metrics = new HintMetrics(new SimpleMeterRegistry());
		try (HintLog log = HintLog.open(directory, 1 << 20, metrics.peer("c"))) {
			for (StoredHint next = log.next(); next != null; next = log.next()) {
				hints.add(next.hint());
			}
		}
		return hints;
	}

	@Test
	void aPositionIsReadAndWritten() throws IOException {
		Position position = new Position(0x0102_0304_0506_0708L, 0x1112_1314_1516_1718L);
		GoldenFiles.copy("POSITION", this.home, "POSITION");
		assertThat(Position.load(this.home)).isEqualTo(position);
		Path written = this.home.resolve("written");
		GoldenFiles.copy("POSITION", written, "POSITION");
		Position.START.save(written);
		position.save(written);
		assertThat(written.resolve("POSITION")).as(GoldenFiles.OTHER_BYTES)
			.hasBinaryContent(GoldenFiles.bytes("POSITION"));
	}

}
