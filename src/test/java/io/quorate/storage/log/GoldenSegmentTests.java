package io.quorate.storage.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.Value;
import io.quorate.golden.GoldenFiles;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Extras;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Reference;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Segments of the log with a batch of entries of every kind; in {@code segment-1-typed}
 * the entries have content types, in {@code segment-1-descended} lineages.
 */
class GoldenSegmentTests {

	private static final String PLAIN = "segment-1";

	private static final String TYPED = "segment-1-typed";

	private static final String DESCENDED = "segment-1-descended";

	private static final Map<String, byte[]> GOLDEN = GoldenFiles.hex("storage.txt");

	private static final SegmentHeader HEADER = new SegmentHeader(0x0102_0304_0506_0708L, 0x1112_1314_1516_1718L, true,
			0x2122_2324_2526_2728L);

	private static final int KNOWN_ON_DISK = 1000;

	private static final Map<Key, StoredEntry> ENTRIES = entries();

	private static Map<Key, StoredEntry> entries() {
		Timestamp stamp = new Timestamp(0x0192_f3a4_b5c6_0007L, 0x8899_aabb);
		Map<Key, StoredEntry> entries = new LinkedHashMap<>();
		entries.put(Key.of("in place"), new StoredEntry(0x3132_3334_3536_3738L, stamp, Entry.NEVER, 3,
				new Inline(Value.wrap("value".getBytes(StandardCharsets.UTF_8)))));
		entries.put(Key.of("expiring"), new StoredEntry(2, stamp, 0x0000_0193_1122_3344L, 255,
				new Inline(Value.wrap("soon".getBytes(StandardCharsets.UTF_8)))));
		entries.put(Key.of("large"), new StoredEntry(3, stamp, 0x0000_0193_1122_3344L, 1,
				new Reference(0x4142_4344_4546_4748L, 0x5152_5354_5556_5758L, 0x6162_6364, 0x7172_7374)));
		entries.put(Key.of("ä"), new StoredEntry(4, stamp, Entry.NEVER, 2, Deleted.INSTANCE));
		return entries;
	}

	private static byte[] golden(String name) {
		return GOLDEN.getOrDefault(name, new byte[0]);
	}

	private static Map<Key, StoredEntry> typedEntries() {
		Map<Key, StoredEntry> entries = new LinkedHashMap<>();
		ENTRIES.forEach((key, entry) -> {
			ContentType type = entry.isTombstone() ? null : ContentType.of("text/plain; of=\"" + key + '"');
			entries.put(key, with(Extras.of(type, null), entry));
		});
		return entries;
	}

	private static Map<Key, StoredEntry> descendedEntries() {
		Timestamp version = new Timestamp(0x0192_f3a4_b5c6_0006L, 0x0102_0304);
		Timestamp parent = new Timestamp(0x0192_f3a4_b5c6_0005L, 0x0506_0708);
		Map<Key, StoredEntry> entries = new LinkedHashMap<>();
		ENTRIES.forEach((key, entry) -> {
			Lineage lineage = switch (key.toString()) {
				case "in place" -> new Lineage(version, null);
				case "expiring" -> new Lineage(entry.timestamp(), Timestamp.ZERO);
				case "large" -> new Lineage(entry.timestamp(), parent);
				default -> new Lineage(version, parent);
			};
			ContentType type = "large".equals(key.toString()) ? ContentType.of("text/plain") : null;
			entries.put(key, with(Extras.of(type, lineage), entry));
		});
		return entries;
	}

	private static StoredEntry with(Extras extras, StoredEntry entry) {
		return new StoredEntry(entry.sequence(), entry.timestamp(), entry.expiryMillis(), entry.from(), entry.payload(),
				extras);
	}

	@Test
	void theSegmentIsRead() {
		requireRead(golden(PLAIN), ENTRIES);
		requireRead(golden(TYPED), typedEntries());
		requireRead(golden(DESCENDED), descendedEntries());
		assertThat(SegmentHeader.of(ByteBuffer.wrap(golden(PLAIN).clone()).put(0, new byte[512]), HEADER.number()))
			.as("the second copy")
			.isEqualTo(HEADER);
	}

	private static void requireRead(byte[] golden, Map<Key, StoredEntry> entries) {
		ByteBuffer segment = ByteBuffer.wrap(golden);
		assertThat(SegmentHeader.of(segment, HEADER.number())).isEqualTo(HEADER);
		int begin = SegmentHeader.SIZE;
		assertThat(Batches.of(HEADER, LogFormat.MAX_BATCH).isIntact(segment, begin, begin)).isTrue();
		assertThat(Batches.forcedOffset(segment, begin)).isEqualTo(KNOWN_ON_DISK);
		Map<Key, StoredEntry> read = new LinkedHashMap<>();
		Batches.read(segment, begin, read::put);
		assertThat(read).containsExactlyEntriesOf(entries);
		assertThat(begin + Batches.size(segment, begin)).isEqualTo(golden.length);
	}

	@Test
	void theSegmentIsWritten() {
		requireWritten(ENTRIES, golden(PLAIN));
		requireWritten(typedEntries(), golden(TYPED));
		requireWritten(descendedEntries(), golden(DESCENDED));
	}

	private static void requireWritten(Map<Key, StoredEntry> entries, byte[] golden) {
		ByteBuffer segment = ByteBuffer.allocate(2 * SegmentHeader.SIZE);
		HEADER.write(segment);
		segment.position(SegmentHeader.SIZE + Batches.HEADER);
		entries.forEach((key, entry) -> LogFormat.writeRecord(key, entry, segment));
		Batches.of(HEADER, LogFormat.MAX_BATCH).finish(segment, SegmentHeader.SIZE, entries.size(), KNOWN_ON_DISK);
		byte[] written = new byte[segment.flip().remaining()];
		segment.get(written);
		assertThat(HexFormat.of().formatHex(written)).as(GoldenFiles.OTHER_BYTES)
			.isEqualTo(HexFormat.of().formatHex(golden));
	}

}
