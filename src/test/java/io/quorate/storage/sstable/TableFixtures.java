package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.RandomContentTypes;
import io.quorate.entry.RandomLineages;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.Compression;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Extras;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Payload;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;

/** Entries and files for the tests of this package. */
final class TableFixtures {

	private TableFixtures() {
	}

	/** A table of these entries at a file, compressed as is the default. */
	static TableSummary write(TableFormat format, Path file, NavigableMap<Key, StoredEntry> entries)
			throws IOException {
		return write(format, file, entries, Compression.LZ4);
	}

	/** A table of these entries at a file. */
	static TableSummary write(TableFormat format, Path file, NavigableMap<Key, StoredEntry> entries,
			Compression compression) throws IOException {
		try (TableBuilder builder = format.create(file, entries.size(), compression)) {
			for (var entry : entries.entrySet()) {
				builder.add(entry.getKey(), entry.getValue());
			}
			return builder.finish();
		}
	}

	/** Keys of few distinct bytes, so that prefixes, neighbours and sign bits abound. */
	static Key randomKey(RandomGenerator random) {
		byte[] alphabet = { 0x00, 0x01, 0x61, 0x7f, (byte) 0x80, (byte) 0xff };
		int size = (random.nextInt(50) == 0) ? random.nextInt(1, Key.MAX_SIZE_BYTES + 1) : random.nextInt(1, 24);
		byte[] bytes = new byte[size];
		for (int i = 0; i < size; i++) {
			bytes[i] = alphabet[random.nextInt(alphabet.length)];
		}
		return Key.wrap(bytes);
	}

	static NavigableMap<Key, StoredEntry> randomEntries(RandomGenerator random, int number) {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		while (entries.size() < number) {
			entries.put(randomKey(random), randomEntry(random));
		}
		return entries;
	}

	static StoredEntry randomEntry(RandomGenerator random) {
		Payload payload = switch (random.nextInt(10)) {
			case 0 -> Deleted.INSTANCE;
			case 1 -> new Reference(random.nextLong(1, 4), random.nextLong(1L << 40), random.nextInt(1 << 24),
					random.nextInt());
			case 2 -> randomValue(random, random.nextInt(MapDbTableBuilder.MAX_INLINE_VALUE_SIZE_BYTES + 1));
			default -> randomValue(random, random.nextInt(200));
		};
		boolean expires = payload != Deleted.INSTANCE && random.nextInt(5) == 0;
		Timestamp timestamp = new Timestamp(random.nextLong(), random.nextInt());
		return new StoredEntry(random.nextLong(1L << 50), timestamp,
				expires ? random.nextLong(1L << 45) : Versioned.NEVER, random.nextInt(1, 6), payload,
				Extras.of((payload == Deleted.INSTANCE) ? null : RandomContentTypes.next(random),
						RandomLineages.next(random, timestamp)));
	}

	static StoredEntry entry(Payload payload) {
		return new StoredEntry(1, Timestamp.ofMillis(1), Versioned.NEVER, 1, payload);
	}

	static Inline value(int size) {
		byte[] bytes = new byte[size];
		for (int i = 0; i < size; i++) {
			bytes[i] = (byte) i;
		}
		return new Inline(Value.wrap(bytes));
	}

	/** Turns one bit of a file around, in place. */
	static void flip(Path file, long bit) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			ByteBuffer one = ByteBuffer.allocate(1);
			channel.read(one, bit / Byte.SIZE);
			one.put(0, (byte) (one.get(0) ^ (1 << (bit % Byte.SIZE))));
			channel.write(one.flip(), bit / Byte.SIZE);
		}
	}

	private static Inline randomValue(RandomGenerator random, int size) {
		byte[] bytes = new byte[size];
		random.nextBytes(bytes);
		if (random.nextInt(3) == 0) {
			for (int i = 1; i < size; i++) {
				bytes[i] = (byte) (bytes[0] + i % 7);
			}
		}
		return new Inline(Value.wrap(bytes));
	}

}
