package io.quorate.golden;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;

/**
 * An entry of a golden directory, as the program that wrote the directory has read it.
 *
 * @param sequence number of its first arrival
 */
public record GoldenEntry(Key key, Entry entry, long sequence) {

	/** All entries of the directory of a version, in the order of their keys. */
	public static List<GoldenEntry> of(int version) {
		return GoldenFiles.lines("directory-%d.txt".formatted(version)).stream().map(GoldenEntry::parse).toList();
	}

	private static GoldenEntry parse(String line) {
		List<String> parts = List.of(line.split("\t", -1));
		String stamp = parts.get(1);
		Timestamp timestamp = new Timestamp(HexFormat.fromHexDigitsToLong(stamp, 0, 16),
				HexFormat.fromHexDigits(stamp, 17, 25));
		int from = Integer.parseInt(parts.get(2));
		long expiry = parts.get(4).equals("-") ? Entry.NEVER : Long.parseLong(parts.get(4));
		Entry entry = parts.get(5).equals("tombstone") ? new Entry.Tombstone(timestamp, from)
				: new Entry.Live(timestamp, from, expiry, Value.wrap(value(parts.get(5).substring("value ".length()))));
		return new GoldenEntry(Key.of(parts.getFirst()), entry, Long.parseLong(parts.get(3)));
	}

	private static byte[] value(String text) {
		int repeated = text.indexOf("... ");
		if (repeated < 0) {
			return text.getBytes(StandardCharsets.UTF_8);
		}
		int size = Integer.parseInt(text.substring(repeated + 4));
		return Arrays.copyOf(text.substring(0, repeated).repeat(size).getBytes(StandardCharsets.UTF_8), size);
	}

}
