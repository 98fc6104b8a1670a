package io.quorate.storage.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.security.LoggedKey;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.compaction.CompactionTask;
import io.quorate.storage.compaction.FittedTask;
import io.quorate.storage.file.ReadPace;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.floor.FlooredCursor;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.merge.MergingCursor;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.PageCacheShare;
import io.quorate.storage.sstable.TableBuilder;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.sstable.TableSummary;
import io.quorate.storage.values.ValueWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One compaction: the merge of tables into a new run. Used by one thread. */
final class CompactionJob {

	private static final Logger log = LoggerFactory.getLogger(CompactionJob.class);

	private final Context context;

	private final OpenFiles files;

	private final CompactionTask task;

	private final Set<Long> collected;

	private final Predicate<StoredEntry> leftOut;

	private final LongConsumer written;

	private final ValueWriter copies;

	private final List<Long> heldFiles = new ArrayList<>();

	private final Set<Long> uncollected = new HashSet<>();

	private final PageCacheShare share = new PageCacheShare();

	private @Nullable TableBuilder builder;

	private long number;

	private long run;

	private long movedBytes;

	/* Size of the tables that are complete. */
	private long finishedBytes;

	/* Tables that the next edit makes live, and inputs that are not replaced yet. */
	private final List<TableMeta> unpublished = new ArrayList<>();

	private final List<TableMeta> remaining;

	/* Handles of the inputs that are not replaced yet, with a reference to each. */
	private final Map<TableMeta, TableHandle> inputs = new LinkedHashMap<>();

	private Floors floors = Floors.NONE;

	private final boolean inPieces;

	private int outputTables;

	/**
	 * A compaction, as a whole or in pieces.
	 * @param collected numbers of the value files whose values are to be copied elsewhere
	 * @param leftOut entries to be dropped, even if they hide older ones
	 * @param written receives, for a compaction as a whole, the size of its complete
	 * output
	 */
	CompactionJob(Context context, FittedTask fittedTask, Set<Long> collected, Predicate<StoredEntry> leftOut,
			LongConsumer written) {
		this.context = context;
		this.files = context.files;
		this.task = fittedTask.task();
		this.inPieces = fittedTask.inPieces();
		this.remaining = new ArrayList<>(this.task.inputs());
		this.collected = collected;
		this.leftOut = leftOut;
		this.written = written;
		this.copies = new ValueWriter(this.files.values(), context.properties.valueFileSize().toBytes(),
				(file) -> this.files.manifest().append(VersionEdit.valueFileBegun(file)));
	}

	/**
	 * Merges the inputs, and makes the result live. If it fails, the inputs stay live and
	 * the output is removed; of a compaction in pieces, the pieces that were live before
	 * the failure stay.
	 */
	void run() throws IOException {
		long begun = System.nanoTime();
		boolean done = false;
		try {
			mergeAndPublish();
			done = true;
		}
		finally {
			if (!done && !this.context.haste.isStopped()) {
				this.context.metrics.compactionFailed(System.nanoTime() - begun);
			}
		}
		long nanos = System.nanoTime() - begun;
		long outputBytes = this.finishedBytes;
		this.context.metrics.compacted(nanos, this.task.inputBytes() + this.movedBytes, outputBytes + this.movedBytes);
		log.info("Compacted {} tables of {} bytes into {} of {} in {} ms ({})", this.task.inputs().size(),
				this.task.inputBytes(), this.outputTables, outputBytes, nanos / 1_000_000, this.task.reason());
	}

	private void mergeAndPublish() throws IOException {
		this.files.manifest().requireUsable();
		holdInputs();
		try {
			merge();
			this.copies.finish();
			publish(List.copyOf(this.remaining));
		}
		finally {
			try {
				closeBuilder();
			}
			finally {
				// Values without a reference need no fsync, and must not be kept.
				this.copies.abandon();
				dispose();
				this.inputs.values().forEach(RefCounted::release);
			}
		}
	}

	private void dispose() {
		this.unpublished.forEach((meta) -> this.files.tables().delete(meta.number()));
		this.files.values().release(this.heldFiles);
	}

	/*
	 * Takes a reference to each input, so that each can be released before the merge
	 * ends.
	 */
	private void holdInputs() {
		Set<TableMeta> wanted = new HashSet<>(this.task.inputs());
		View view = this.files.views().retain();
		try {
			this.floors = view.floors();
			for (TableHandle handle : view.tables()) {
				if (wanted.contains(handle.meta())) {
					handle.retain();
					this.inputs.put(handle.meta(), handle);
				}
			}
		}
		finally {
			view.release();
		}
		if (this.inputs.size() != wanted.size()) {
			this.inputs.values().forEach(RefCounted::release);
			throw new IllegalStateException("a compaction of tables that are not live any more");
		}
	}

	private void merge() throws IOException {
		UncachedReader reader = new UncachedReader(ReadPace.NONE);
		List<TableCursor> cursors = this.inputs.values()
			.stream()
			.map((handle) -> aboveFloors(handle, handle.table().wholeOnce(reader, this.share)))
			.toList();
		// An intact copy is never given up for a damaged one.
		MergingCursor cursor = new MergingCursor(cursors, this.files.values()::compareIntact);
		try (BackgroundThrottle pace = this.context.work.merge(this.task.inputBytes(), this::writtenBytes,
				this::isAwaited)) {
			KeyedEntry next = cursor.next();
			while (next != null) {
				if (this.context.haste.isStopped()) {
					throw new StorageFailedException("the compaction was stopped", null);
				}
				merge(next, pace);
				publishPiece();
				next = cursor.next();
			}
		}
		finishTable();
	}

	private TableCursor aboveFloors(TableHandle handle, TableCursor entries) {
		return this.floors.isCleanTable(handle.meta().number()) ? entries : new FlooredCursor(entries, this.floors);
	}

	private void merge(KeyedEntry next, BackgroundThrottle pace) throws IOException {
		long movedBefore = this.movedBytes;
		if (!FlooredCursor.isHidden(next) && !this.leftOut.test(next.entry()) && !mayDrop(next.key(), next.entry())) {
			add(next.key(), moved(next.key(), next.entry()));
		}
		if (this.movedBytes > movedBefore) {
			pace.largeEntryDone();
		}
		else {
			pace.entryDone();
		}
	}

	/**
	 * Numbers of the files that were to be collected and hold a value that cannot be
	 * read.
	 */
	Set<Long> uncollected() {
		return this.uncollected;
	}

	private boolean isAwaited() {
		return this.context.haste.isAwaited(this.task);
	}

	private long writtenBytes() {
		TableBuilder current = this.builder;
		return this.finishedBytes + this.movedBytes + ((current != null) ? current.sizeBytes() : 0);
	}

	/**
	 * Whether a tombstone or expired entry may be dropped: no older entry that it hides
	 * can be anywhere else, and repair does not need it.
	 */
	private boolean mayDrop(Key key, StoredEntry entry) {
		return this.context.purge.isPurgeable(key, entry, entry.sequence()) && (!this.inPieces || isInOneInput(key))
				&& !this.files.views()
					.<Boolean>with((view) -> view.mayHoldOlder(key, entry.timestamp(), this.remaining));
	}

	/**
	 * In a compaction in pieces, one input may be replaced before another one that holds
	 * an entry that it hides.
	 */
	private boolean isInOneInput(Key key) {
		return this.files.views().<Boolean>with((view) -> view.mayHold(key, this.remaining) < 2);
	}

	/**
	 * Copies the value of an entry in a collected file. If the value cannot be read, it
	 * stays where it is, and its file with it.
	 */
	private StoredEntry moved(Key key, StoredEntry entry) throws IOException {
		if (!(entry.payload() instanceof Reference reference) || !this.collected.contains(reference.file())) {
			return entry;
		}
		Value value;
		try {
			value = this.files.values().read(reference);
		}
		catch (StorageCorruptedException | StorageFailedException unreadable) {
			log.warn("The value of {} is not moved, and its file kept, because {}", LoggedKey.of(key),
					unreadable.getMessage());
			this.uncollected.add(reference.file());
			return entry;
		}
		Reference copy = this.copies.append(value);
		this.heldFiles.add(copy.file());
		this.movedBytes += copy.length();
		return entry.withPayload(copy);
	}

	private void add(Key key, StoredEntry entry) throws IOException {
		TableBuilder current = this.builder;
		if (current != null && current.sizeBytes() >= this.context.properties.tableSize().toBytes()) {
			finishTable();
			current = null;
		}
		if (current == null) {
			current = begin();
		}
		current.add(key, entry);
	}

	private TableBuilder begin() throws IOException {
		this.number = this.files.tables().reserve();
		if (this.outputTables == 0) {
			this.run = this.task.keepsRun() ? this.task.inputs().getFirst().run() : this.number;
		}
		long expected = this.task.inputs().stream().mapToLong((meta) -> meta.summary().counts().entries()).sum();
		TableBuilder next = this.files.tables()
			.create(this.number, expected, this.context.properties.compression(), this.share);
		this.builder = next;
		return next;
	}

	private void finishTable() throws IOException {
		TableBuilder current = this.builder;
		if (current != null) {
			this.copies.force();
			TableSummary summary = current.finish();
			this.unpublished.add(new TableMeta(this.number, this.task.outputLevel(), this.run, summary));
			this.outputTables++;
			this.finishedBytes += summary.sizeBytes();
			closeBuilder();
			if (!this.inPieces) {
				this.written.accept(this.finishedBytes + this.movedBytes);
			}
		}
	}

	private void closeBuilder() throws IOException {
		TableBuilder current = this.builder;
		this.builder = null;
		if (current != null) {
			current.close();
		}
	}

	/**
	 * Makes the complete tables live, and removes the inputs that end before they do. The
	 * remaining inputs hold some of these entries a second time, which changes nothing:
	 * the same entries win.
	 */
	private void publishPiece() throws IOException {
		if (!this.inPieces || this.unpublished.isEmpty()) {
			return;
		}
		// A snapshot must find only value files that do not grow any more.
		this.copies.finish();
		Key end = this.unpublished.getLast().summary().keys().largest();
		publish(this.remaining.stream().filter((meta) -> meta.summary().keys().largest().compareTo(end) <= 0).toList());
	}

	private void publish(List<TableMeta> replaced) throws IOException {
		List<TableMeta> outputs = List.copyOf(this.unpublished);
		List<TableHandle> opened = new ArrayList<>();
		try {
			for (TableMeta meta : outputs) {
				opened.add(this.files.tables().openWritten(meta));
			}
			append(VersionEdit.compaction(replaced, outputs));
			this.files.views().replace((view) -> withOutputs(view, opened, replaced));
			this.remaining.removeAll(replaced);
			replaced.stream().map(this.inputs::remove).forEach((input) -> {
				input.markObsolete();
				input.release();
			});
		}
		finally {
			opened.forEach(RefCounted::release);
		}
	}

	/**
	 * Appends the edit. From then on the manifest may name the outputs, unless the disk
	 * was full.
	 */
	private void append(VersionEdit edit) {
		List<TableMeta> outputs = List.copyOf(this.unpublished);
		this.unpublished.clear();
		try {
			this.files.manifest().append(edit);
		}
		catch (DiskFullException notNamed) {
			this.unpublished.addAll(outputs);
			throw notNamed;
		}
	}

	private static View withOutputs(View view, List<TableHandle> opened, List<TableMeta> replaced) {
		Set<TableMeta> merged = new HashSet<>(replaced);
		List<TableHandle> tables = new ArrayList<>(opened);
		view.tables().stream().filter((handle) -> !merged.contains(handle.meta())).forEach(tables::add);
		return new View(view.active(), view.sealed(), tables, view.floors());
	}

	/**
	 * The parts of a store that all its compactions share.
	 *
	 * @param work all flushes and compactions under way
	 * @param metrics counts each compaction
	 */
	record Context(OpenFiles files, StorageProperties properties, PurgePolicy purge, BackgroundWork work,
			StoreMetrics metrics, Haste haste) {
	}

	/** The haste that a compaction under way must make. */
	interface Haste {

		/** Whether compactions are to be given up. */
		boolean isStopped();

		/** Whether a compaction is awaited and must not rest now. */
		boolean isAwaited(CompactionTask task);

	}

}
