package io.quorate.storage.values;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.quorate.entry.Value;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.FaultyDisk.Fault;
import io.quorate.storage.file.FaultyDisk;
import io.quorate.storage.record.StoredEntry.Reference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Values on a disk that has no room for them when they are forced. */
class ValueWriterTests {

	private static final Value VALUE = Value.wrap(new byte[] { 1, 2, 3 });

	@TempDir
	Path directory;

	private FaultyDisk disk;

	private ValueFiles files;

	private ValueWriter writer;

	@BeforeEach
	void prepare() throws IOException {
		this.disk = new FaultyDisk(this.directory, 1);
		this.disk.failForces((_) -> true);
		this.files = new ValueFiles(this.directory, List.of(), 1, (_, _) -> {
		}, (_) -> {
		});
		this.writer = new ValueWriter(this.files, 1 << 20, (_) -> {
		});
	}

	@AfterEach
	void close() throws IOException {
		this.disk.close();
		this.files.close();
	}

	@Test
	void aValueCopyIsTriedRarelyOnAFullDiskAndSoonOnceThereIsSpace() throws IOException {
		Reference reference = this.writer.append(VALUE);
		this.disk.set(Fault.FULL_FOR_FORCES, 1);
		for (int i = 0; i < 1000; i++) {
			assertThatThrownBy(this.writer::force).isInstanceOf(IOException.class)
				.satisfies((failure) -> assertThat(Channels.isFull(failure)).isTrue());
		}
		assertThat(this.disk.failures()).isBetween(2L, 8L);
		this.disk.set(Fault.NONE, 0);
		Awaitility.await().until(this::isForced);
		assertThat(this.files.read(reference)).isEqualTo(VALUE);
		assertThat(names()).containsExactly("000001.vlog");
	}

	@Test
	void theEndTriesWhateverFailedAMomentAgo() throws IOException {
		Reference reference = this.writer.append(VALUE);
		this.disk.set(Fault.FULL_FOR_FORCES, 1);
		for (int i = 0; i < 5; i++) {
			assertThatThrownBy(this.writer::force).isInstanceOf(IOException.class);
		}
		this.disk.set(Fault.NONE, 0);
		this.writer.close();
		assertThat(this.files.closedSizes()).containsKey(1L);
		assertThat(this.files.read(reference)).isEqualTo(VALUE);
	}

	private boolean isForced() {
		try {
			this.writer.force();
			return true;
		}
		catch (IOException waiting) {
			return false;
		}
	}

	private List<String> names() throws IOException {
		try (Stream<Path> paths = Files.list(this.directory)) {
			return paths.map((path) -> path.getFileName().toString()).toList();
		}
	}

}
