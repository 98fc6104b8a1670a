package io.quorate.storage.inspect;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.storage.FileProgress;
import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.directory.CeilingFile;
import io.quorate.storage.file.ChecksummedFile;
import io.quorate.storage.file.ReadPace;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.floor.SharesFile;
import io.quorate.storage.inspect.Inspect.Report;
import io.quorate.storage.log.Batches;
import io.quorate.storage.manifest.LiveFiles;
import io.quorate.storage.manifest.ManifestScan;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.record.StoredEntry.Promised;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.sstable.MapDbTableFormat;
import io.quorate.storage.sstable.SortedTable;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.sstable.TableSummary;
import io.quorate.storage.values.ValueFile;
import io.quorate.storage.wal.LogReplay;
import io.quorate.storage.wal.SegmentScan;

/** Reads a node's directory, and reports its files, their contents and their damage. */
final class DirectoryReport {

	private static final List<String> SMALL = List.of("NODE", "PEERS", "HORIZON", "LINEAGE", "REBUILD", "SCRUB",
			"SALVAGED");

	private static final int SHOWN_EDITS = 20;

	private final DirectoryLayout directoryLayout;

	private final boolean verify;

	private final List<String> notes = new ArrayList<>();

	private final List<String> damages = new ArrayList<>();

	private final FileProgress progress;

	private final UncachedReader tableReader;

	private final UncachedReader valueReader = new UncachedReader(ReadPace.NONE);

	private final MapDbTableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH);

	private final Map<Long, Long> referred = new HashMap<>();

	private final Map<Long, Integer> damagedValues = new HashMap<>();

	DirectoryReport(Path directory, boolean verify, FileProgress progress) {
		this.directoryLayout = new DirectoryLayout(directory);
		this.verify = verify;
		this.progress = verify ? progress : FileProgress.NONE;
		this.tableReader = new UncachedReader(this.progress::done);
	}

	Report report() throws IOException {
		boolean inUse = noteUse();
		Section small = smallFiles();
		ManifestScan manifest = this.directoryLayout.manifest();
		Section summary = summary(manifest);
		Section edits = edits(manifest);
		Section tables = tables(manifest.live(), inUse);
		Section values = values(manifest.live());
		Section log = log(manifest.live());
		Section leftovers = leftovers();
		if (!this.verify) {
			this.notes.add("Of tables only the parts read to open them were compared with checksums, of large values"
					+ " nothing: --verify compares all.");
		}
		return new Report(List.of(small, summary, edits, tables, values, log, leftovers), this.notes, this.damages);
	}

	/**
	 * Reads the process id in the lock file, and does not try the lock: that would take
	 * it.
	 */
	private boolean noteUse() throws IOException {
		Path lock = this.directoryLayout.directory().resolve("LOCK");
		String pid = Files.exists(lock) ? Files.readString(lock).strip() : "";
		boolean inUse = pid.matches("\\d{1,9}")
				&& ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive).isPresent();
		if (inUse) {
			this.notes.add("LOCK names process %s, which runs: the files are of different moments.".formatted(pid));
		}
		return inUse;
	}

	private Section smallFiles() throws IOException {
		Section section = new Section("files", "file", "name", "value");
		for (String name : SMALL) {
			switch (new ChecksummedFile(this.directoryLayout.directory().resolve(name), "").read()) {
				case ChecksummedFile.Content.Values(var values) ->
					new TreeMap<>(values).forEach((field, value) -> section.add(name, field, value));
				case ChecksummedFile.Content.Missing _ -> section.add(name, "(none)", "");
				case ChecksummedFile.Content.Damaged(var why) -> {
					section.add(name, "(damaged)", why);
					this.damages.add("%s: %s".formatted(name, why));
				}
			}
		}
		section.add("CLOCK", "ceiling", clock());
		addFloors(section);
		return section;
	}

	private void addFloors(Section section) throws IOException {
		Floors floors = this.directoryLayout.floors(this.damages);
		if (floors.version() == 0) {
			section.add(SharesFile.FILE_NAME, "(none)", "");
			return;
		}
		section.add(SharesFile.FILE_NAME, "layout", Long.toString(floors.version()));
		section.add(SharesFile.FILE_NAME, "partitions",
				"%d gained, %d lost".formatted(floors.raised() - floors.lost(), floors.lost()));
		section.add(SharesFile.FILE_NAME, "highest-floor", Long.toString(floors.highest()));
		section.add(SharesFile.FILE_NAME, "first-clean-table", Long.toString(floors.firstCleanTable()));
	}

	private String clock() throws IOException {
		try {
			return Instant
				.ofEpochMilli(Timestamp.millisOfHybrid(CeilingFile.recordedHybrid(this.directoryLayout.directory())))
				.toString();
		}
		catch (NoSuchFileException missing) {
			return "(none)";
		}
	}

	private Section summary(ManifestScan manifest) {
		LiveFiles live = manifest.live();
		Section section = new Section("manifest", "version", "edits", "bytes", "torn", "tables", "aside", "values",
				"firstSegment", "lastSegment", "highestSequence", "state");
		section.add(manifest.version(), manifest.edits().size(), manifest.sizeBytes(), manifest.tornBytes(),
				live.tables().size(), live.aside().size(), live.valueFiles().size(), live.log().first(),
				live.log().last(), live.highestSequence(), manifest.isIntact() ? "intact" : "damaged");
		manifest.damages()
			.forEach((damage) -> this.damages
				.add("MANIFEST, bytes %d..%d: %s".formatted(damage.from(), damage.to(), damage.why())));
		return section;
	}

	private Section edits(ManifestScan manifest) {
		Section section = new Section("edits", "offset", "bytes", "what");
		List<ManifestScan.Edit> all = manifest.edits();
		for (ManifestScan.Edit each : all.subList(Math.max(0, all.size() - SHOWN_EDITS), all.size())) {
			section.add(each.offset(), each.sizeBytes(), describe(each.edit()));
		}
		if (all.size() > SHOWN_EDITS) {
			this.notes.add("Of %d edits the last %d are shown.".formatted(all.size(), SHOWN_EDITS));
		}
		return section;
	}

	private static String describe(VersionEdit edit) {
		List<String> parts = new ArrayList<>();
		describe(parts, "tables added", edit.tables().added().stream().map(TableMeta::number).toList());
		describe(parts, "removed", edit.tables().removed());
		describe(parts, "set aside", edit.tables().setAside());
		describe(parts, "discarded", edit.tables().discarded());
		describe(parts, "quarantined", List.copyOf(new TreeSet<>(edit.tables().quarantined().keySet())));
		describe(parts, "value files begun", edit.values().added());
		describe(parts, "value files gone", edit.values().removed());
		Optional.ofNullable(edit.log().first()).ifPresent((first) -> parts.add("log from " + first));
		Optional.ofNullable(edit.log().last()).ifPresent((last) -> parts.add("log to " + last));
		new TreeMap<>(edit.log().forcedLengths())
			.forEach((number, length) -> parts.add("segment %d fsynced to %d".formatted(number, length)));
		if (edit.highestSequence() > 0) {
			parts.add("sequence " + edit.highestSequence());
		}
		return String.join("; ", parts);
	}

	private static void describe(List<String> parts, String what, List<Long> numbers) {
		if (!numbers.isEmpty()) {
			parts.add(what + " " + numbers.toString().replaceAll("[\\[\\]]", ""));
		}
	}

	private Section tables(LiveFiles live, boolean inUse) throws IOException {
		Section section = new Section("tables", "table", "state", "level", "run", "entries", "tombstones", "expiring",
				"bytes", "oldest", "newest", "smallest", "largest", "check");
		this.progress.begin(FileProgress.Step.VERIFY,
				Stream.concat(live.tables().values().stream(), live.aside().values().stream())
					.mapToLong((meta) -> meta.summary().bytesWithValues())
					.sum());
		for (TableMeta meta : live.tables().values()) {
			boolean quarantined = live.quarantined().containsKey(meta.number());
			if (quarantined) {
				this.damages.add("%s is quarantined since damage was met in it at offset %d".formatted(name(meta),
						live.quarantined().get(meta.number())));
			}
			add(section, meta, quarantined ? "quarantined" : "live", inUse);
		}
		for (TableMeta meta : live.aside().values()) {
			add(section, meta, "aside", inUse);
		}
		this.progress.end();
		return section;
	}

	private void add(Section section, TableMeta meta, String state, boolean inUse) throws IOException {
		TableSummary summary = meta.summary();
		summary.valueBytes().forEach((file, bytes) -> this.referred.merge(file, bytes, Long::sum));
		section.add(meta.number(), state, meta.level(), meta.run(), summary.counts().entries(),
				summary.counts().tombstones(), summary.counts().expiring(), summary.sizeBytes(),
				DirectoryLayout.instant(summary.times().oldest()), DirectoryLayout.instant(summary.times().newest()),
				summary.keys().smallest().toString(), summary.keys().largest().toString(), check(meta, inUse));
	}

	private String check(TableMeta meta, boolean inUse) throws IOException {
		Path file = this.directoryLayout.table(meta.number());
		List<String> found = new ArrayList<>();
		try (SortedTable table = this.format.open(file)) {
			if (this.verify) {
				table.verify(this.tableReader, (damage) -> found.add(damage.getMessage()));
				verifyValues(table);
			}
		}
		catch (NoSuchFileException missing) {
			LiveFiles now = this.directoryLayout.manifest().live();
			if (inUse && !now.tables().containsKey(meta.number()) && !now.aside().containsKey(meta.number())) {
				return "gone meanwhile";
			}
			this.damages.add(name(meta) + " is missing");
			return "missing";
		}
		catch (StorageCorruptedException damage) {
			found.add(damage.getMessage());
		}
		this.damages.addAll(found);
		return found.isEmpty() ? (this.verify ? "verified" : "opens") : "damaged";
	}

	private void verifyValues(SortedTable table) throws IOException {
		if (table.summary().valueBytes().isEmpty()) {
			return;
		}
		TableCursor entries = table.intact((_) -> {
		});
		KeyedEntry next = entries.next();
		while (next != null) {
			if (next.entry().payload() instanceof Reference reference) {
				try {
					ValueFile.verify(ValueFile.FILES.path(this.directoryLayout.values(), reference.file()), reference,
							this.valueReader);
				}
				catch (StorageCorruptedException damage) {
					this.damagedValues.merge(reference.file(), 1, Integer::sum);
					this.damages.add("the value of %s: %s".formatted(next.key(), damage.getMessage()));
				}
				this.progress.done(reference.length());
			}
			next = entries.next();
		}
	}

	private String name(TableMeta meta) {
		return this.directoryLayout.name(this.directoryLayout.table(meta.number()));
	}

	private Section values(LiveFiles live) throws IOException {
		Section section = new Section("values", "file", "version", "bytes", "referred", "garbage", "check");
		for (long number : live.valueFiles()) {
			Path file = ValueFile.FILES.path(this.directoryLayout.values(), number);
			long used = this.referred.getOrDefault(number, 0L);
			if (!Files.exists(file)) {
				section.add(number, 0, 0, used, "", (used > 0) ? "missing" : "not begun");
				if (used > 0) {
					this.damages.add(this.directoryLayout.name(file) + " is missing");
				}
				continue;
			}
			long size = Files.size(file);
			int damaged = this.damagedValues.getOrDefault(number, 0);
			section.add(number, ValueFile.version(file), size, used,
					(size == 0) ? "" : "%d %%".formatted(Math.max(0, 100 * (size - used) / size)),
					(damaged > 0) ? damaged + " values damaged" : this.verify ? "verified" : "not read");
		}
		return section;
	}

	private Section log(LiveFiles live) throws IOException {
		Section section = new Section("log", "segment", "version", "state", "bytes", "used", "forced", "batches",
				"records", "promises", "firstSequence", "lastSequence", "tail");
		LogReplay.requireReadable(this.directoryLayout.log());
		LogReplay replay = new LogReplay(this.directoryLayout.log(), (_) -> true, live.log().forcedLengths());
		List<Long> found = LogReplay.segments(this.directoryLayout.log());
		for (long number : live.log().missing(found)) {
			section.add(number, 0, "missing", 0, 0L, 0L, 0, 0L, 0L, 0L, 0L, "");
			this.damages
				.add(this.directoryLayout.name(LogReplay.file(this.directoryLayout.log(), number)) + " is missing");
		}
		for (long number : found) {
			try {
				replay.look(number, (content, scan) -> {
					add(section, number, live, content, scan);
					return scan;
				});
			}
			catch (NoSuchFileException gone) {
				this.notes.add("Segment %d of the log was reused meanwhile.".formatted(number));
			}
		}
		return section;
	}

	private Section leftovers() throws IOException {
		Section section = new Section("leftovers", "file", "bytes");
		for (Path directory : this.directoryLayout.leftover()) {
			try (Stream<Path> files = Files.list(directory)) {
				for (Path file : files.sorted().toList()) {
					section.add(this.directoryLayout.name(file), Files.size(file));
				}
			}
		}
		return section;
	}

	private void add(Section section, long number, LiveFiles live, ByteBuffer content, SegmentScan scan) {
		boolean isLive = number >= live.log().first();
		List<Integer> all = new ArrayList<>(scan.batches());
		all.addAll(scan.behind());
		long[] sequences = { Long.MAX_VALUE, 0 };
		long[] promises = { 0 };
		long records = 0;
		for (int at : all) {
			records += Batches.records(content, at);
			Batches.read(content, at, (_, entry) -> {
				sequences[0] = Math.min(sequences[0], entry.sequence());
				sequences[1] = Math.max(sequences[1], entry.sequence());
				promises[0] += (entry.payload() instanceof Promised) ? 1 : 0;
			});
		}
		if (isLive && live.log().lacks(number, !scan.isUnused())) {
			this.damages.add("MANIFEST lacks edits at its end: it does not know %s"
				.formatted(this.directoryLayout.name(LogReplay.file(this.directoryLayout.log(), number))));
		}
		boolean lossy = isLive && scan.isLossy();
		if (lossy) {
			this.damages.add("%s, bytes %s: fsynced records are damaged"
				.formatted(this.directoryLayout.name(LogReplay.file(this.directoryLayout.log(), number)), scan.gaps()));
		}
		String tail = scan.isDirty() ? "torn at " + scan.end() : "clean";
		section.add(number, scan.version(), scan.isUnused() ? "ready" : isLive ? "live" : "flushed", content.limit(),
				scan.end(), scan.forced(), all.size(), records, promises[0], (sequences[1] > 0) ? sequences[0] : 0L,
				sequences[1], lossy ? "damaged at " + scan.end() : tail);
	}

}
