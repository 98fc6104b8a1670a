package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.file.NumberedFiles;
import io.quorate.storage.file.ReadPace;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.log.Batches;
import io.quorate.storage.manifest.LiveFiles;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.ManifestScan;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.sstable.SortedTable;
import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.values.ValueFile;
import io.quorate.storage.wal.LogReplay;
import io.quorate.storage.wal.SegmentScan;
import org.jspecify.annotations.Nullable;

/** Verifies all files of a directory that no process uses, and changes nothing. */
public final class DirectoryCheck {

	private final Path directory;

	private final TableFormat format;

	private final UncachedReader reader = new UncachedReader(ReadPace.NONE);

	private final Map<Long, Finding> tables = new TreeMap<>();

	private final Map<Long, String> segments = new TreeMap<>();

	private final List<String> lost = new ArrayList<>();

	private final ManifestScan manifest;

	private final Set<Long> referredByLog = new TreeSet<>();

	private final Set<Long> missingValues = new TreeSet<>();

	private final LiveFiles live;

	private boolean editsMissing;

	/**
	 * Verifies everything.
	 * @throws io.quorate.storage.StorageStartException when a newer program wrote any
	 * file
	 */
	public DirectoryCheck(Path directory, TableFormat format) throws IOException {
		this.directory = directory;
		this.format = format;
		LogReplay.requireReadable(logs());
		for (long number : numbers(directory.resolve("values"), ValueFile.FILES)) {
			ValueFile.version(ValueFile.FILES.path(directory.resolve("values"), number));
		}
		this.manifest = scan();
		for (ManifestScan.Damage damage : this.manifest.damages()) {
			this.lost.add("%s, bytes %d..%d: %s; the live files are derived from the edits and files that verify"
				.formatted(directory.resolve(Manifest.FILE_NAME), damage.from(), damage.to(), damage.why()));
		}
		examineLog(this.manifest.live());
		requireEdits(this.manifest.live());
		this.live = isManifestWhole() ? this.manifest.live() : adopted();
		examineValues();
		for (TableMeta meta : this.live.tables().values()) {
			examine(meta);
		}
	}

	/**
	 * The fault of a live table.
	 *
	 * @param missing whether there is no file
	 * @param readable whether it can be opened, and has entries on intact pages
	 * @param damages its damages
	 */
	public record Finding(TableMeta meta, boolean missing, boolean readable, List<StorageCorruptedException> damages) {
	}

	private ManifestScan scan() throws IOException {
		Path file = this.directory.resolve(Manifest.FILE_NAME);
		if (Files.exists(file)) {
			return ManifestScan.of(file);
		}
		return hasData() ? ManifestScan.nothing() : ManifestScan.empty();
	}

	private boolean hasData() throws IOException {
		for (Path files : List.of(logs(), tables(), this.directory.resolve("values"))) {
			try (Stream<Path> found = Files.list(files)) {
				if (found.findAny().isPresent()) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Finds out from the files whether the manifest has lost edits at its end. The signs
	 * are value files that it does not know and that are referred to, and tables that it
	 * does not know while files that it names are missing.
	 */
	private void requireEdits(LiveFiles known) throws IOException {
		Set<Long> unnamed = referred(known);
		unnamed.removeAll(known.valueFiles());
		boolean replaced = isMissing(known) && !unknownTables(known).isEmpty();
		if (this.manifest.isIntact() && (this.editsMissing || replaced || !unnamed.isEmpty())) {
			this.editsMissing = true;
			this.lost
				.add("%s, from byte %d on: edits; the live files are derived from those before and files that verify"
					.formatted(this.directory.resolve(Manifest.FILE_NAME), this.manifest.sizeBytes()));
		}
	}

	private boolean isMissing(LiveFiles known) throws IOException {
		return !known.log().missing(LogReplay.segments(logs())).isEmpty()
				|| known.tables().keySet().stream().anyMatch((number) -> !Files.exists(file(number)));
	}

	private Set<Long> unknownTables(LiveFiles known) throws IOException {
		Set<Long> unknown = numbers(tables(), TableFormat.FILES);
		unknown.removeIf((number) -> known.tables().containsKey(number) || known.aside().containsKey(number)
				|| this.manifest.isGone(number));
		return unknown;
	}

	private Set<Long> referred(LiveFiles known) {
		Set<Long> referred = new TreeSet<>(this.referredByLog);
		known.tables().values().forEach((meta) -> referred.addAll(meta.summary().valueBytes().keySet()));
		return referred;
	}

	private void examineValues() {
		for (long number : referred(this.live)) {
			Path file = ValueFile.FILES.path(this.directory.resolve("values"), number);
			if (!Files.exists(file)) {
				this.missingValues.add(number);
				this.lost.add("%s: it is missing, and the entries whose large values were in it are left out"
					.formatted(file));
			}
		}
	}

	/** The live files with the tables and value files that no verified edit knows. */
	private LiveFiles adopted() throws IOException {
		LiveFiles known = this.manifest.live();
		Map<Long, TableMeta> all = new TreeMap<>(known.tables());
		for (long number : unknownTables(known)) {
			TableMeta meta = metaOf(number);
			if (meta != null) {
				all.put(number, meta);
			}
		}
		Set<Long> values = new TreeSet<>(known.valueFiles());
		values.addAll(numbers(this.directory.resolve("values"), ValueFile.FILES));
		return new LiveFiles(all, known.aside(), known.quarantined(), values, known.log(), known.highestSequence());
	}

	private @Nullable TableMeta metaOf(long number) throws IOException {
		try (SortedTable table = this.format.open(file(number))) {
			return new TableMeta(number, 0, number, table.summary());
		}
		catch (StorageCorruptedException damage) {
			this.lost.add("%s, of which no edit is left: %s".formatted(file(number), damage.getMessage()));
			return null;
		}
	}

	private void examine(TableMeta meta) throws IOException {
		Path file = file(meta.number());
		if (!Files.exists(file)) {
			this.tables.put(meta.number(), new Finding(meta, true, false, List.of()));
			return;
		}
		List<StorageCorruptedException> damages = new ArrayList<>();
		boolean readable = false;
		try (SortedTable table = this.format.open(file)) {
			readable = true;
			table.verify(this.reader, damages::add);
		}
		catch (StorageCorruptedException damage) {
			damages.add(damage);
		}
		boolean lacksValues = meta.summary().valueBytes().keySet().stream().anyMatch(this.missingValues::contains);
		if (!damages.isEmpty() || lacksValues || this.live.quarantined().containsKey(meta.number())) {
			this.tables.put(meta.number(), new Finding(meta, false, readable, damages));
		}
	}

	private void examineLog(LiveFiles known) throws IOException {
		LogReplay replay = new LogReplay(logs(), (_) -> true, known.log().forcedLengths());
		List<Long> found = LogReplay.segments(logs());
		Set<Long> missing = new TreeSet<>(known.log().missing(found));
		boolean firstIsKnown = this.manifest.isIntact();
		long expected = Math.max(1, known.log().first());
		for (long number : found) {
			if (number < known.log().first()) {
				continue;
			}
			boolean used = replay.look(number, (content, scan) -> examine(number, content, scan));
			this.editsMissing |= known.log().lacks(number, used);
			if (used) {
				if (firstIsKnown && number != expected) {
					missing.add(expected);
				}
				expected = number + 1;
				firstIsKnown = true;
			}
		}
		missing.forEach((number) -> this.lost.add("%s is missing: the writes in it that were not flushed are lost"
			.formatted(LogReplay.file(logs(), number))));
		this.lost.addAll(this.segments.values());
	}

	/** Examines one segment; returns whether it was written to. */
	private boolean examine(long number, ByteBuffer content, SegmentScan scan) {
		if (scan.isLossy()) {
			this.segments.put(number, loss(LogReplay.file(logs(), number), content, scan));
		}
		List<Integer> batches = new ArrayList<>(scan.batches());
		batches.addAll(scan.behind());
		batches.forEach((at) -> Batches.read(content, at, (_, entry) -> {
			if (entry.payload() instanceof Reference reference) {
				this.referredByLog.add(reference.file());
			}
		}));
		return !scan.isUnused();
	}

	private static String loss(Path file, ByteBuffer content, SegmentScan scan) {
		long[] last = { 0 };
		long[] next = { Long.MAX_VALUE };
		scan.batches()
			.forEach((at) -> Batches.read(content, at, (_, entry) -> last[0] = Math.max(last[0], entry.sequence())));
		scan.behind()
			.forEach((at) -> Batches.read(content, at, (_, entry) -> next[0] = Math.min(next[0], entry.sequence())));
		String entries = (next[0] == Long.MAX_VALUE || last[0] == 0) ? "an unknown number of entries"
				: "at most %d entries, with the numbers %d to %d".formatted(next[0] - last[0] - 1, last[0] + 1,
						next[0] - 1);
		return "%s, bytes %s: %s; %d intact batches before and %d behind are taken".formatted(file,
				scan.gaps().stream().map(Object::toString).toList(), entries, scan.batches().size(),
				scan.behind().size());
	}

	private static Set<Long> numbers(Path files, NumberedFiles names) throws IOException {
		Set<Long> numbers = new TreeSet<>();
		try (Stream<Path> found = Files.list(files)) {
			found.forEach((file) -> names.numberOf(file).ifPresent(numbers::add));
		}
		return numbers;
	}

	/** Whether everything verifies. */
	public boolean isClean() {
		return this.lost.isEmpty() && this.tables.isEmpty();
	}

	/** Descriptions, for people, of the losses besides tables. */
	public List<String> lost() {
		return this.lost;
	}

	/** Live tables that do not verify. */
	public List<Finding> damagedTables() {
		return List.copyOf(this.tables.values());
	}

	/** Segments with damage to records that were fsynced. */
	public Set<Long> damagedSegments() {
		return this.segments.keySet();
	}

	/** Whether the manifest names all live files. */
	public boolean isManifestWhole() {
		return this.manifest.isIntact() && !this.editsMissing;
	}

	/** Numbers of value files that are missing and are referred to. */
	public Set<Long> missingValues() {
		return this.missingValues;
	}

	/** The live files, as far as they can be determined. */
	public LiveFiles live() {
		return this.live;
	}

	/**
	 * The highest number of a table of which a file or a name in the manifest is left.
	 */
	public long highestTable() throws IOException {
		Set<Long> all = numbers(tables(), TableFormat.FILES);
		all.addAll(this.live.tables().keySet());
		all.addAll(this.live.aside().keySet());
		return all.stream().mapToLong(Long::longValue).max().orElse(0);
	}

	private Path file(long table) {
		return TableFormat.FILES.path(tables(), table);
	}

	private Path tables() {
		return this.directory.resolve("tables");
	}

	private Path logs() {
		return this.directory.resolve("wal");
	}

}
