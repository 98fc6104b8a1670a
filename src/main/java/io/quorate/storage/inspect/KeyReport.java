package io.quorate.storage.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.file.ReadPace;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.inspect.Inspect.Report;
import io.quorate.storage.log.Batches;
import io.quorate.storage.manifest.LiveFiles;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Promised;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.MapDbTableFormat;
import io.quorate.storage.sstable.SortedTable;
import io.quorate.storage.values.ValueFile;
import io.quorate.storage.wal.LogReplay;

/** The report on all entries of one key in a directory, the winning entry first. */
final class KeyReport {

	private final DirectoryLayout directoryLayout;

	private final Key key;

	private final List<Found> found = new ArrayList<>();

	private final List<String> damages = new ArrayList<>();

	private final MapDbTableFormat format = new MapDbTableFormat(PageVerification.EVERY_READ);

	private Floors floors = Floors.NONE;

	KeyReport(Path directory, Key key) {
		this.directoryLayout = new DirectoryLayout(directory);
		this.key = key;
	}

	/**
	 * An entry and its location.
	 *
	 * @param state whether the node reads that file
	 */
	private record Found(String file, String state, StoredEntry entry) {
	}

	Report report() throws IOException {
		LiveFiles live = this.directoryLayout.manifest().live();
		this.floors = this.directoryLayout.floors(this.damages);
		lookIntoLog(this.directoryLayout.log(), live.log().first(), "log");
		for (long number : live.tables().keySet()) {
			lookIntoTable(this.directoryLayout.table(number),
					live.quarantined().containsKey(number) ? "quarantined" : "live");
		}
		for (long number : live.aside().keySet()) {
			lookIntoTable(this.directoryLayout.table(number), "set aside");
		}
		for (Path aside : this.directoryLayout.putAside()) {
			lookIntoLog(aside, 0, "put aside");
			for (Path table : files(aside)) {
				lookIntoTable(table, "put aside");
			}
		}
		for (Path leftover : this.directoryLayout.leftover()) {
			for (Path table : files(leftover)) {
				lookIntoTable(table, "left over");
			}
		}
		Section section = new Section("entries", "file", "state", "sequence", "written", "counter", "node", "version",
				"parent", "kind", "from", "expires", "bytes", "type", "value");
		this.found.sort(Comparator.comparing((Found each) -> each.entry().timestamp())
			.thenComparingLong((each) -> each.entry().sequence())
			.reversed());
		this.found.forEach((each) -> add(section, each));
		return new Report(List.of(section), List
			.of("The node answers with the first value or tombstone that it reads (log or live, neither quarantined nor"
					+ " aside nor below the floor), unless that is deleted or expired."),
				this.damages);
	}

	private static List<Path> files(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.filter((file) -> DirectoryLayout.TABLES.numberOf(file).isPresent()).sorted().toList();
		}
	}

	private void lookIntoLog(Path directory, long first, String state) throws IOException {
		LogReplay replay = new LogReplay(directory, (_) -> true);
		for (long number : LogReplay.segments(directory)) {
			String file = this.directoryLayout.name(LogReplay.file(directory, number));
			if (number < first) {
				continue;
			}
			replay.look(number, (content, scan) -> {
				List<Integer> batches = new ArrayList<>(scan.batches());
				batches.addAll(scan.behind());
				batches.forEach((at) -> Batches.read(content, at, (name, entry) -> {
					if (name.equals(this.key)) {
						this.found.add(new Found(file, stateOf(entry, state), entry));
					}
				}));
				if (scan.isLossy()) {
					this.damages.add("%s: bytes %s cannot be read".formatted(file, scan.gaps()));
				}
				return scan;
			});
		}
	}

	private void lookIntoTable(Path file, String state) throws IOException {
		if (!Files.exists(file)) {
			this.damages.add(this.directoryLayout.name(file) + " is missing");
			return;
		}
		try (SortedTable table = this.format.open(file)) {
			StoredEntry entry = table.mayContain(this.key, this.key.hash64()) ? table.get(this.key) : null;
			if (entry != null) {
				this.found.add(new Found(this.directoryLayout.name(file), stateOf(entry, state), entry));
			}
		}
		catch (StorageCorruptedException damage) {
			this.damages.add(String.valueOf(damage.getMessage()));
		}
	}

	private String stateOf(StoredEntry entry, String state) {
		return this.floors.hides(this.key.hash64(), entry.sequence()) ? "below the floor" : state;
	}

	private void add(Section section, Found each) {
		StoredEntry entry = each.entry();
		long hybrid = entry.timestamp().hybrid();
		section.add(each.file(), each.state(), entry.sequence(), DirectoryLayout.instant(entry.timestamp()),
				hybrid & 0xffff, "%08x".formatted(entry.timestamp().node()), entry.version().toString(), parent(entry),
				kind(entry), (entry.from() == Entry.ALL) ? "all" : entry.from(),
				(entry.expiryMillis() == Versioned.NEVER) ? "never"
						: Instant.ofEpochMilli(entry.expiryMillis()).toString(),
				entry.valueSizeBytes(), (entry.contentType() != null) ? entry.contentType().toString() : "none",
				value(entry));
	}

	private static String kind(StoredEntry entry) {
		return switch (entry.payload()) {
			case Deleted _ -> "tombstone";
			case Inline _, Reference _ -> "value";
			case Promised(var isReleased) -> isReleased ? "release" : "promise";
		};
	}

	private static String parent(StoredEntry entry) {
		Timestamp parent = entry.parent();
		return (parent != null) ? parent.toString() : "unknown";
	}

	private String value(StoredEntry entry) {
		return switch (entry.payload()) {
			case Inline _ -> "in place";
			case Deleted _, Promised _ -> "none";
			case Reference reference -> valueAt(reference);
		};
	}

	private String valueAt(Reference reference) {
		Path file = ValueFile.FILES.path(this.directoryLayout.values(), reference.file());
		String place = "%s at %d".formatted(this.directoryLayout.name(file), reference.offset());
		try {
			ValueFile.verify(file, reference, new UncachedReader(ReadPace.NONE));
			return place + ", intact";
		}
		catch (IOException | StorageCorruptedException damage) {
			this.damages.add(String.valueOf(damage.getMessage()));
			return place + ", damaged";
		}
	}

}
