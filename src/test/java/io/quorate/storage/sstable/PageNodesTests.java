package io.quorate.storage.sstable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;

import io.quorate.entry.Key;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mapdb.SortedTableMap;

import static org.assertj.core.api.Assertions.assertThat;

/** Lookups read the pages that MapDB has written as MapDB does. */
class PageNodesTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@CsvSource({ "1, NONE, 1", "2, NONE, 3000", "3, LZ4, 1", "4, LZ4, 3000", "5, ZSTD, 1000" })
	void findWhatMapDbFinds(long seed, Compression compression, int number) throws IOException {
		Random random = new Random(seed);
		NavigableMap<Key, StoredEntry> entries = TableFixtures.randomEntries(random, number);
		Path file = this.directory.resolve("nodes.sst");
		TableFixtures.write(new MapDbTableFormat(32 * 1024, 512, PageVerification.FIRST_TOUCH), file, entries,
				compression);
		try (Arena arena = Arena.ofConfined(); FileChannel channel = FileChannel.open(file)) {
			TableFooter footer = TableFooter.read(channel, file, arena);
			MemorySegment pages = channel.map(FileChannel.MapMode.READ_ONLY, 0, footer.pages().sizeBytes(), arena);
			MappedVolume volume = new MappedVolume(file, pages, arena, footer.pages(), PageVerification.EVERY_READ);
			KeyNodeSerializer keys = new KeyNodeSerializer();
			EntryNodeSerializer values = footer.entries(BlockCache.NONE.open(TableListener.NONE));
			SortedTableMap<byte[], StoredEntry> map = SortedTableMap.open(volume, keys, values);
			PageIndex index = new PageIndex(map, keys);
			volume.opening();
			PageNodes nodes = new PageNodes(volume, keys, values);

			Map<Long, Key> places = new HashMap<>();
			entries.forEach((key, entry) -> {
				long place = nodes.find(key.array(), index.pageOf(key.array()));
				assertThat(places.put(place, key)).as("seed %d, %s and %s lie at the same place", seed, key, place)
					.isNull();
				assertThat(nodes.entry(key.array(), place)).as("seed %d, %s", seed, key).isEqualTo(entry);
				assertThat(EntryPosition.page(place)).isEqualTo(index.pageOf(key.array()));
			});
			for (int i = 0; i < 20_000; i++) {
				byte[] key = TableFixtures.randomKey(random).array();
				long place = nodes.find(key, index.pageOf(key));
				StoredEntry found = (place != EntryPosition.NONE) ? nodes.entry(key, place) : null;
				assertThat(found).as("seed %d, key %s", seed, Arrays.toString(key)).isEqualTo(map.get(key));
			}
			for (int i = 0; i < 20_000; i++) {
				Key key = entries.ceilingKey(TableFixtures.randomKey(random));
				key = (key != null) ? key : entries.firstKey();
				long place = EntryPosition.of(random.nextInt(index.pages()), anyNumber(random), anyNumber(random));
				StoredEntry expected = key.equals(places.get(place)) ? entries.get(key) : null;
				assertThat(nodes.entry(key.array(), place)).as("seed %d, %s at %d", seed, key, place)
					.isEqualTo(expected);
			}
		}
	}

	/** Often one that there is. */
	private static int anyNumber(Random random) {
		return random.nextInt(1 << random.nextInt(17));
	}

}
