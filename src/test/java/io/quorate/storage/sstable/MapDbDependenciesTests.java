package io.quorate.storage.sstable;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.luben.zstd.Zstd;
import io.quorate.entry.Key;
import kotlin.Unit;
import net.jpountz.xxhash.XXHashFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mapdb.SortedTableMap;
import org.mapdb.elsa.ElsaMaker;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sorted tables need MapDB, Kotlin, Elsa, LZ4, Zstandard and Caffeine, and none of the
 * other libraries that MapDB asks for: these are not on the class path of a node.
 */
class MapDbDependenciesTests {

	@TempDir
	private Path directory;

	@Test
	void tablesAreWrittenAndReadWithSixLibrariesOnly() throws Exception {
		URL[] locations = Stream
			.of(Key.class, TableRoundTrip.class, SortedTableMap.class, Unit.class, ElsaMaker.class, XXHashFactory.class,
					Zstd.class, Caffeine.class)
			.map((type) -> type.getProtectionDomain().getCodeSource().getLocation())
			.toArray(URL[]::new);
		Path file = this.directory.resolve("000001.sst");
		try (URLClassLoader alone = new URLClassLoader(locations, ClassLoader.getPlatformClassLoader())) {
			Class<?> type = alone.loadClass(TableRoundTrip.class.getName());
			assertThat(type).isNotEqualTo(TableRoundTrip.class);
			@SuppressWarnings("unchecked") // the interface is the JDK's, its argument too
			Consumer<Path> roundTrip = (Consumer<Path>) type.getDeclaredConstructor().newInstance();
			roundTrip.accept(file);
		}
		assertThat(this.directory).isDirectoryContaining((table) -> table.endsWith("ZSTD-000001.sst"));
	}

}
