package io.quorate.storage.sstable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests of the advice on a mapping that the kernel gets. */
class PagingAdviceTests {

	private static final int SIZE = 1 << 20;

	@TempDir
	Path directory;

	@Test
	void aMappingWithAdviceIsReadAsBefore() throws IOException {
		try (Arena arena = Arena.ofShared()) {
			MemorySegment mapping = mapping(arena);
			PagingAdvice.random(mapping);
			PagingAdvice.willNeed(mapping.asSlice(SIZE / 2, SIZE / 2));
			assertThat(mapping.get(ValueLayout.JAVA_BYTE, SIZE - 1)).isEqualTo((byte) 42);
		}
	}

	/** The kernel shows it as "rr", for random read. */
	@Test
	@EnabledOnOs(OS.LINUX)
	void kernelTakesTheAdvice() throws IOException {
		try (Arena arena = Arena.ofShared()) {
			MemorySegment mapping = mapping(arena);
			assertThat(flagsOfTheMapping()).doesNotContain("rr");
			PagingAdvice.random(mapping);
			assertThat(flagsOfTheMapping()).contains("rr");
		}
	}

	@Test
	void nothingIsToldOfWhatIsMappedNoMore() throws IOException {
		Arena arena = Arena.ofShared();
		MemorySegment mapping = mapping(arena);
		arena.close();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> PagingAdvice.random(mapping));
	}

	private MemorySegment mapping(Arena arena) throws IOException {
		byte[] content = new byte[SIZE];
		content[SIZE - 1] = 42;
		Path file = Files.write(file(), content);
		try (FileChannel channel = FileChannel.open(file)) {
			return channel.map(MapMode.READ_ONLY, 0, SIZE, arena);
		}
	}

	private Path file() {
		return this.directory.resolve("mapped");
	}

	private String[] flagsOfTheMapping() throws IOException {
		String maps = Files.readString(Path.of("/proc/self/smaps"));
		Matcher flags = Pattern
			.compile(Pattern.quote(file().toRealPath().toString()) + "\n(?:\\w+: .*\n)*?VmFlags: (.*)\n")
			.matcher(maps);
		assertThat(flags.find()).as("the mapping among those of this process").isTrue();
		return flags.group(1).trim().split(" ");
	}

}
