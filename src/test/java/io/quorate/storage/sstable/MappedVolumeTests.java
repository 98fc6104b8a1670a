package io.quorate.storage.sstable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests of the times at which pages are verified. */
class MappedVolumeTests {

	private static final int PAGE_SIZE_BYTES = 32 * 1024;

	private final Set<Integer> inMemory = new TreeSet<>();

	private final Arena arena = Arena.ofShared();

	@TempDir
	private Path directory;

	private Path file;

	private MappedVolume volume;

	private int pages;

	@BeforeEach
	void open() throws IOException {
		this.file = this.directory.resolve("000001.sst");
		TableFixtures.write(new MapDbTableFormat(PAGE_SIZE_BYTES, 512, PageVerification.FIRST_TOUCH), this.file,
				TableFixtures.randomEntries(new Random(5), 1500));
		try (FileChannel channel = FileChannel.open(this.file)) {
			TableFooter footer = TableFooter.read(channel, this.file, this.arena);
			MemorySegment mapping = channel.map(FileChannel.MapMode.READ_ONLY, 0, footer.pages().sizeBytes(),
					this.arena);
			this.pages = footer.pages().pages();
			this.volume = new MappedVolume(this.file, mapping, this.arena, footer.pages(), PageVerification.FIRST_TOUCH,
					this.inMemory::contains);
			this.volume.opening();
		}
		assertThat(this.pages).isGreaterThan(6);
	}

	@AfterEach
	void close() {
		this.volume.close();
	}

	@Test
	void aPageThatHasLeftMemoryIsVerifiedAgain() throws Exception {
		this.inMemory.add(3);
		this.volume.read(3);
		assertThat(this.volume.isInMemory(3)).isTrue();
		flip(3);
		this.volume.read(3);
		this.inMemory.clear();
		Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> !this.volume.isInMemory(3));
		this.inMemory.add(3);
		assertThat(this.volume.isInMemory(3)).as("not before it is verified").isFalse();
		assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(() -> this.volume.read(3))
			.satisfies((ex) -> assertThat(ex.offset()).isEqualTo(3L * PAGE_SIZE_BYTES));
		flip(3);
		this.volume.read(3);
		assertThat(this.volume.isInMemory(3)).isTrue();
	}

	@Test
	void aPageReadAheadIsVerifiedAgain() throws IOException {
		for (int page = 0; page < this.pages; page++) {
			this.volume.read(page);
		}
		flip(4);
		byte[] copy = new byte[PAGE_SIZE_BYTES];
		this.volume.copy(2, copy);
		// Announces the next ones.
		this.volume.copy(3, copy);
		this.inMemory.addAll(Set.of(2, 3, 4, 5, 6));
		assertThat(this.volume.isInMemory(4)).isFalse();
		assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(() -> this.volume.read(4));
	}

	@Test
	void aCopyIsVerifiedWhateverIsKnownOfThePage() throws IOException {
		this.inMemory.add(3);
		this.volume.read(3);
		flip(3);
		byte[] copy = new byte[PAGE_SIZE_BYTES];
		assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(() -> this.volume.copy(3, copy));
		assertThatExceptionOfType(StorageCorruptedException.class).as("nor is it read any more")
			.isThrownBy(() -> this.volume.read(3));
		assertThat(this.volume.isInMemory(3)).isFalse();
	}

	private void flip(int page) throws IOException {
		TableFixtures.flip(this.file, Byte.SIZE * (long) page * PAGE_SIZE_BYTES + 4321);
	}

}
