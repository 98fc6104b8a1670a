package io.quorate.storage.sstable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@DisabledOnOs(OS.WINDOWS)
class ResidencyTests {

	private static final int SIZE = 1 << 20;

	private static final int PART = 64 * 1024;

	@TempDir
	private Path directory;

	@Test
	void partIsResidentOnceAllOfItWasTouched() throws IOException {
		try (Arena arena = Arena.ofShared()) {
			MemorySegment mapping = mapping(arena);
			PagingAdvice.random(mapping);
			assertThat(Residency.isResident(mapping.asSlice(PART, PART))).as("of a file without blocks").isFalse();
			touch(mapping, PART, PART - 4096);
			touch(mapping, 2 * PART - 4096, 4096);
			assertThat(Residency.isResident(mapping.asSlice(PART, PART))).isTrue();
			assertThat(Residency.isResident(mapping.asSlice(4 * PART, PART))).isFalse();
		}
	}

	@Test
	void partThatIsTouchedInPartIsNot() throws IOException {
		try (Arena arena = Arena.ofShared()) {
			MemorySegment mapping = mapping(arena);
			PagingAdvice.random(mapping);
			touch(mapping, 0, 1);
			touch(mapping, PART - 1, 1);
			assertThat(Residency.isResident(mapping.asSlice(0, PART))).isFalse();
		}
	}

	@Test
	void lastPartMayBeSmaller() throws IOException {
		try (Arena arena = Arena.ofShared()) {
			MemorySegment mapping = mapping(arena);
			touch(mapping, SIZE - PART / 2, PART / 2);
			assertThat(Residency.isResident(mapping.asSlice(SIZE - PART / 2))).isTrue();
		}
	}

	@Test
	void nothingIsSaidOfALargerPart() throws IOException {
		try (Arena arena = Arena.ofShared()) {
			MemorySegment mapping = mapping(arena);
			touch(mapping, 0, SIZE);
			assertThat(Residency.isResident(mapping.asSlice(0, PART))).isTrue();
			assertThat(Residency.isResident(mapping.asSlice(0, PART + 1))).isFalse();
		}
	}

	@Test
	void aClosedMappingIsRefused() throws IOException {
		Arena arena = Arena.ofShared();
		MemorySegment mapping = mapping(arena);
		arena.close();
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> Residency.isResident(mapping.asSlice(0, PART)));
	}

	private static void touch(MemorySegment mapping, long from, int size) {
		for (long at = from; at < from + size; at += 4096) {
			assertThat(mapping.get(ValueLayout.JAVA_BYTE, at)).isZero();
		}
	}

	/** All of it is a hole, which the kernel has never read. */
	private MemorySegment mapping(Arena arena) throws IOException {
		try (FileChannel channel = FileChannel.open(this.directory.resolve("mapped"), StandardOpenOption.CREATE,
				StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			return channel.map(MapMode.READ_WRITE, 0, SIZE, arena);
		}
	}

}
