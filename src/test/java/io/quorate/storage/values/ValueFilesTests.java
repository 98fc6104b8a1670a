package io.quorate.storage.values;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

import io.quorate.entry.Value;
import io.quorate.storage.file.ReadPace;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.record.StoredEntry.Reference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ValueFilesTests {

	private static final Value VALUE = Value.wrap("value".repeat(4000).getBytes(StandardCharsets.UTF_8));

	@TempDir
	Path directory;

	private final UncachedReader reader = new UncachedReader(ReadPace.NONE);

	/** What the file has on the disk is another thing than what its channel reads. */
	@Test
	void whetherAValueIsOnTheDiskIsNotAskedOfTheChannelThatReadsIt() throws IOException {
		Reference reference = write();
		Path file = this.directory.resolve("000001.vlog");
		try (ValueFiles files = open(List.of(1L))) {
			assertThat(files.isOnDisk(reference, this.reader)).isTrue();
			Path other = Files.write(this.directory.resolve("other"), new byte[(int) Files.size(file)]);
			Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
			assertThat(files.read(reference)).isEqualTo(VALUE);
			assertThat(files.isOnDisk(reference, this.reader)).isFalse();
		}
	}

	@Test
	void valueOfAFileThatIsMissingOrNoneOfTheseIsNotThere() throws IOException {
		Reference reference = write();
		try (ValueFiles files = open(List.of())) {
			assertThat(files.isOnDisk(reference, this.reader)).isFalse();
			assertThat(files.isOnDisk(new Reference(2, reference.offset(), reference.length(), reference.crc()),
					this.reader))
				.isFalse();
		}
	}

	private Reference write() throws IOException {
		try (ValueFiles files = open(List.of()); ValueWriter writer = new ValueWriter(files, 1 << 20, (_) -> {
		})) {
			return writer.append(VALUE);
		}
	}

	private ValueFiles open(List<Long> live) throws IOException {
		return new ValueFiles(this.directory, live, 1, (_, _) -> {
		}, (_) -> {
		});
	}

}
