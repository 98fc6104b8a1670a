package io.quorate.storage.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import io.quorate.entry.Key;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.compaction.CompactionTask;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.merge.MergingCursor;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.sstable.TableBuilder;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.sstable.TableSummary;
import io.quorate.storage.values.ValueFiles;
import io.quorate.storage.values.ValueWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One merge of tables into a new run. Used by one thread. */
final class CompactionJob {

	private static final Logger log = LoggerFactory.getLogger(CompactionJob.class);

	private final Context context;

	private final CompactionTask task;

	private final Set<Long> collected;

	private final Predicate<StoredEntry> leftOut;

	private final ValueWriter copies;

	private final List<Long> heldFiles = new ArrayList<>();

	private final List<TableMeta> outputs = new ArrayList<>();

	private @Nullable TableBuilder builder;

	private long number;

	private long run;

	private long movedBytes;

	/* Size of the tables that are complete. */
	private long finishedBytes;

	/** Whether the manifest may name the outputs, which must stay from then on. */
	private boolean recorded;

	/**
	 * A merge.
	 * @param collected numbers of the value files whose values are to be copied elsewhere
	 * @param leftOut entries that are to be dropped, whatever they hide
	 */
	CompactionJob(Context context, CompactionTask task, Set<Long> collected, Predicate<StoredEntry> leftOut) {
		this.context = context;
		this.task = task;
		this.collected = collected;
		this.leftOut = leftOut;
		this.copies = new ValueWriter(context.values, context.properties.valueFileSize().toBytes(),
				(file) -> context.manifest.append(VersionEdit.valueFileBegun(file)));
	}

	/**
	 * Merges, and makes the result live. When it fails the inputs stay live and what was
	 * written is removed.
	 */
	void run() throws IOException {
		long begun = System.nanoTime();
		boolean done = false;
		try {
			mergeAndPublish();
			done = true;
		}
		finally {
			if (!done && !this.context.stopped.getAsBoolean()) {
				this.context.metrics.compactionFailed(System.nanoTime() - begun);
			}
		}
		long nanos = System.nanoTime() - begun;
		long outputBytes = this.finishedBytes;
		this.context.metrics.compacted(nanos, this.task.inputBytes() + this.movedBytes, outputBytes + this.movedBytes);
		log.info("Compacted {} tables of {} bytes into {} of {} in {} ms ({})", this.task.inputs().size(),
				this.task.inputBytes(), this.outputs.size(), outputBytes, nanos / 1_000_000, this.task.reason());
	}

	private void mergeAndPublish() throws IOException {
		this.context.manifest.requireUsable();
		View view = this.context.views.hold();
		try (this.copies) {
			merge(inputs(view));
			this.copies.finish();
			publish(view);
		}
		finally {
			try {
				closeBuilder();
			}
			finally {
				giveBack();
				view.letGo();
			}
		}
	}

	private void giveBack() {
		if (!this.recorded) {
			this.outputs.forEach((meta) -> this.context.tables.delete(meta.number()));
		}
		this.context.values.letGo(this.heldFiles);
	}

	private List<TableHandle> inputs(View view) {
		Set<TableMeta> wanted = new HashSet<>(this.task.inputs());
		List<TableHandle> handles = view.tables().stream().filter((handle) -> wanted.contains(handle.meta())).toList();
		if (handles.size() != wanted.size()) {
			throw new IllegalStateException("a compaction of tables that are not live any more");
		}
		return handles;
	}

	private void merge(List<TableHandle> inputs) throws IOException {
		List<TableCursor> cursors = inputs.stream().map((handle) -> handle.table().cursor(null)).toList();
		MergingCursor cursor = new MergingCursor(cursors, this.context.byValue);
		try (BackgroundPace pace = this.context.work.merge(this.task.inputBytes(), this::writtenBytes,
				this::isAwaited)) {
			KeyedEntry next = cursor.next();
			while (next != null) {
				if (this.context.stopped.getAsBoolean()) {
					throw new StorageFailedException("the merge was told to stop", null);
				}
				merge(next, pace);
				next = cursor.next();
			}
		}
		finishTable();
	}

	private void merge(KeyedEntry next, BackgroundPace pace) throws IOException {
		long movedBefore = this.movedBytes;
		if (!this.leftOut.test(next.entry()) && !mayDrop(next.key(), next.entry())) {
			add(next.key(), moved(next.entry()));
		}
		if (this.movedBytes > movedBefore) {
			pace.largeEntryDone();
		}
		else {
			pace.entryDone();
		}
	}

	private boolean isAwaited() {
		return this.context.awaited.test(this.task);
	}

	private long writtenBytes() {
		TableBuilder current = this.builder;
		return this.finishedBytes + this.movedBytes + ((current != null) ? current.sizeBytes() : 0);
	}

	/**
	 * A deletion or expired entry goes when nothing older that it hides can be anywhere
	 * else, and repair does not need it.
	 */
	private boolean mayDrop(Key key, StoredEntry entry) {
		return this.context.purge.isPurgeable(key, entry, entry.sequence()) && !this.context.views
			.<Boolean>with((view) -> view.mayHoldOlder(key, entry.timestamp(), this.task.inputs()));
	}

	private StoredEntry moved(StoredEntry entry) throws IOException {
		if (!(entry.payload() instanceof Reference reference) || !this.collected.contains(reference.file())) {
			return entry;
		}
		Reference copy = this.copies.append(this.context.values.read(reference));
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
		this.number = this.context.tables.reserve();
		if (this.outputs.isEmpty()) {
			this.run = this.number;
		}
		long expected = this.task.inputs().stream().mapToLong((meta) -> meta.summary().entries()).sum();
		TableBuilder next = this.context.tables.create(this.number, expected);
		this.builder = next;
		return next;
	}

	private void finishTable() throws IOException {
		TableBuilder current = this.builder;
		if (current != null) {
			this.copies.force();
			TableSummary summary = current.finish();
			this.outputs.add(new TableMeta(this.number, this.task.outputLevel(), this.run, summary));
			this.finishedBytes += summary.sizeBytes();
			closeBuilder();
		}
	}

	private void closeBuilder() throws IOException {
		TableBuilder current = this.builder;
		this.builder = null;
		if (current != null) {
			current.close();
		}
	}

	private void publish(View merged) throws IOException {
		List<TableHandle> opened = new ArrayList<>();
		try {
			for (TableMeta meta : this.outputs) {
				opened.add(this.context.tables.openWritten(meta));
			}
			this.recorded = true;
			this.context.manifest.append(VersionEdit.compaction(this.task.inputs(), this.outputs));
			this.context.views.replace((view) -> withOutputs(view, opened));
			inputs(merged).forEach(TableHandle::markObsolete);
		}
		finally {
			opened.forEach(Shared::letGo);
		}
	}

	private View withOutputs(View view, List<TableHandle> opened) {
		Set<TableMeta> merged = new HashSet<>(this.task.inputs());
		List<TableHandle> tables = new ArrayList<>(opened);
		view.tables().stream().filter((handle) -> !merged.contains(handle.meta())).forEach(tables::add);
		return new View(view.active(), view.sealed(), tables);
	}

	/**
	 * What all merges of a store have in common.
	 *
	 * @param byValue compares the values of two entries that nothing else tells apart
	 * @param metrics told of each merge
	 * @param stopped whether merges are to be given up
	 * @param work all flushes and merges under way
	 * @param awaited whether a merge is not to rest now
	 */
	record Context(Views views, Manifest manifest, Tables tables, ValueFiles values, StorageProperties properties,
			PurgePolicy purge, Comparator<StoredEntry> byValue, StoreMetrics metrics, BooleanSupplier stopped,
			BackgroundWork work, Predicate<CompactionTask> awaited) {
	}

}
