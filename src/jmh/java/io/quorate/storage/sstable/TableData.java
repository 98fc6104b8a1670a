package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;

import io.quorate.bench.Samples;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Value;
import io.quorate.storage.Compression;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry;

/** The contents of the tables that are measured. */
public enum TableData {

	/** Records of JSON as applications have them, of 200 bytes or so. */
	JSON {

		@Override
		byte[] value(int number) {
			Random random = new Random(number);
			String text = String.format(Locale.ROOT,
					"{\"id\":%d,\"customer\":\"%08x\",\"status\":\"%s\",\"amount\":%d.%02d,\"currency\":\"EUR\","
							+ "\"created\":\"2026-11-%02dT%02d:%02d:%02dZ\",\"items\":[{\"sku\":\"%06d\",\"count\":%d}]}",
					number, random.nextInt(), STATES[random.nextInt(STATES.length)], random.nextInt(1000),
					random.nextInt(100), 1 + random.nextInt(28), random.nextInt(24), random.nextInt(60),
					random.nextInt(60), random.nextInt(1_000_000), 1 + random.nextInt(5));
			return text.getBytes(StandardCharsets.UTF_8);
		}

	},

	/** 200 bytes that do not compress. */
	RANDOM {

		@Override
		byte[] value(int number) {
			byte[] bytes = new byte[200];
			new Random(number).nextBytes(bytes);
			return bytes;
		}

	};

	private static final String[] STATES = { "open", "paid", "shipped", "cancelled", "returned" };

	abstract byte[] value(int number);

	StoredEntry entry(int number) {
		Timestamp timestamp = new Timestamp(Timestamp.hybridOfMillis(1_700_000_000_000L + number), 1);
		return new StoredEntry(number, timestamp, Entry.NEVER, 3, new Inline(Value.wrap(value(number))));
	}

	/** Writes a table of so many, and returns its size. */
	long write(TableFormat format, Path file, StoredEntry[] entries, Compression compression) throws IOException {
		try (TableBuilder builder = format.create(file, entries.length, compression)) {
			for (int i = 0; i < entries.length; i++) {
				builder.add(Samples.key(i), entries[i]);
			}
			builder.finish();
		}
		return Files.size(file);
	}

	StoredEntry[] entries(int count) {
		StoredEntry[] entries = new StoredEntry[count];
		for (int i = 0; i < count; i++) {
			entries[i] = entry(i);
		}
		return entries;
	}

}
