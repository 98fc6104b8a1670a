package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Arrivals;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.FileProgress;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.Promise;
import io.quorate.storage.PromiseResult;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.Scrub;
import io.quorate.storage.SetAsideData;
import io.quorate.storage.ShareChange;
import io.quorate.storage.Snapshot;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageMeters;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.Store;
import io.quorate.storage.StoreStatus;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.MapDbTableFormat;
import io.quorate.storage.values.ValueFiles;
import io.quorate.storage.values.ValueWriter;
import io.quorate.storage.wal.LogWrite;
import io.quorate.storage.wal.SegmentRegister;
import io.quorate.storage.wal.WriteAheadLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store: a log-structured merge tree.
 *
 * <pre>
 * apply: [value file ->] log -> memtable          flush: memtable -> table
 * read:  memtables -> tables [-> value file]      compaction: tables -> tables
 * </pre>
 *
 * Invariants: (1) an entry is in a memtable only when it is in the log; (2) a segment and
 * its memtable live until a table that the manifest names holds their entries; (3) each
 * reader holds a reference to a {@link View}, and so to every file that it may read.
 */
public final class LsmStore implements Store {

	private static final Logger log = LoggerFactory.getLogger(LsmStore.class);

	private static final double NANOS = 1e9;

	private final StorageProperties properties;

	private final OpenFiles files;

	private final Manifest manifest;

	private final Views views;

	private final ValueFiles values;

	private final LargeValues largeValues;

	private final WriteAheadLog writeAheadLog;

	private final EntryReader reader;

	private final Flusher flusher;

	private final Compactor compactor;

	private final SetAsideStore setAsideStore;

	private final Quarantine quarantine;

	private final Scrubber scrubber;

	private final DiskSpace disk;

	private final WriteAdmission writeAdmission;

	private final StoreMetrics metrics;

	private final Housekeeping housekeeping;

	private final ValueWriter valueWriter;

	private final SnapshotWriter snapshots;

	private final MemtableWriter memtableWriter;

	private final Rotations rotations;

	private final Shares shares;

	private volatile boolean closed;

	/**
	 * A store that serves as soon as it is made.
	 * @see StoreOpening
	 */
	LsmStore(Recovered recovered, StorageProperties properties, PurgePolicy purge, FutureStamps future,
			StoreMetrics metrics, DiskSpace disk) throws IOException {
		MapDbTableFormat.require(properties.compression());
		this.metrics = metrics;
		this.properties = properties;
		this.files = recovered.files();
		this.manifest = this.files.manifest();
		this.views = this.files.views();
		this.values = this.files.values();
		this.disk = disk;
		this.disk.reserve(DiskSpace.reserveBytes(properties));
		StoreEvents events = new StoreEvents(metrics, this::metDamage);
		this.reader = new EntryReader(this.files, purge, properties, ReadBudget.ofHeap(), events);
		BackgroundWork work = new BackgroundWork(properties);
		this.writeAdmission = new WriteAdmission(this.views, this.disk, properties, work::debtBytes);
		this.compactor = new Compactor(this.files, properties, purge, this.disk, work, events);
		this.flusher = new Flusher(this.files, this::recycleSegment, this.compactor::wake, properties, work, metrics);
		this.quarantine = new Quarantine(this.views, this.manifest, this.flusher);
		this.setAsideStore = new SetAsideStore(this.files,
				new AsideDirectory(properties.directory(), TimeSource.SYSTEM), this.reader, this.flusher,
				this.compactor);
		this.valueWriter = new ValueWriter(this.values, properties.valueFileSize().toBytes(),
				(number) -> this.manifest.append(VersionEdit.valueFileBegun(number)));
		this.memtableWriter = new MemtableWriter(recovered, this.valueWriter, this.disk, this.writeAdmission,
				properties, this.flusher::wake);
		this.largeValues = new LargeValues(this.valueWriter, properties.wal().sync() == Sync.ALWAYS,
				new AfterValue(this::submitted, this.memtableWriter, this.disk, this::fail, this::closedException),
				metrics);
		this.writeAheadLog = new WriteAheadLog(recovered.log(), properties.wal(), new ManifestSegments(this.manifest),
				this.memtableWriter, metrics, RandomGenerator.getDefault());
		this.snapshots = new SnapshotWriter(properties.directory(), this.files, this.valueWriter, this.disk,
				this.writeAheadLog::fail);
		this.scrubber = new Scrubber(this.files, properties, this::metDamage,
				() -> this.reader.queued() > 0 || this.writeAheadLog.queue().size() > 0, TimeSource.SYSTEM);
		this.housekeeping = new Housekeeping(new DirectoryWatch(properties.directory()), this.disk, this.files,
				this.writeAheadLog, this.compactor, this::reclaimRoom);
		this.rotations = new Rotations(this.views, this::askForRotation, this.housekeeping::soon, this::endOfRotations);
		this.shares = new Shares(properties.directory(), this.files, this::sealArrived, this.flusher, this.compactor);
		if (future.areDropped()) {
			leaveOut(future);
		}
		if (recovered.salvage().hasLost()) {
			finishSalvage(recovered.salvage());
		}
		begin();
	}

	/**
	 * Flushes the salvaged entries, and gives up all older segments: of those that are
	 * damaged or missing only the entries in tables stay.
	 */
	private void finishSalvage(Salvage salvage) throws IOException {
		try {
			this.flusher.flushed().join();
			this.manifest.append(VersionEdit.flush(List.of(), this.writeAheadLog.firstSegment(), 0));
			salvage.finish();
		}
		catch (CompletionException failure) {
			throw new IOException("the salvaged part of the log cannot be flushed: " + failure.getMessage(), failure);
		}
	}

	/**
	 * Frees the room of large values that were overwritten. The open value file and the
	 * memtable keep such values, and while no write is taken nothing would end the file
	 * or fill the memtable. So the file is ended, and the memtable flushed if it refers
	 * to large values.
	 */
	private void reclaimRoom() {
		if (this.writeAheadLog.failure() != null) {
			return;
		}
		try {
			this.valueWriter.finish();
		}
		catch (IOException failure) {
			if (!this.disk.causedBy(failure)) {
				this.writeAheadLog.fail(new StorageFailedException(
						"a value file cannot be fsynced; restart the node: " + failure, failure));
			}
			return;
		}
		if (this.views.peek().active().memtable().valueBytes() > 0) {
			askForRotation();
		}
	}

	private void askForRotation() {
		this.memtableWriter.askForRotation();
		this.writeAheadLog.wake();
	}

	/**
	 * Seals all that has arrived until now, values on the way to their file included.
	 * @return completes with the highest sequence number of it
	 */
	private CompletableFuture<Long> sealArrived() {
		long mark = this.largeValues.mark();
		return this.rotations.until(() -> this.largeValues.hasPassed(mark))
			.thenApply((_) -> System.nanoTime())
			.thenCompose((now) -> this.rotations.until(() -> this.writeAheadLog.queue().hasPassed(now)))
			.thenCompose((_) -> this.rotations.next())
			.thenApply((_) -> this.memtableWriter.sealedThrough());
	}

	private void metDamage(StorageCorruptedException damage) {
		this.quarantine.met(damage);
	}

	/** Ends the log. No value is written before the log exists. */
	private void fail(StorageFailedException cause) {
		this.writeAheadLog.fail(cause);
	}

	/** Returns a segment to the log. No flush runs before the log exists. */
	private void recycleSegment(long number) throws IOException {
		this.writeAheadLog.recycle(number);
	}

	/**
	 * Drops entries from the future. Those in tables go with a compaction, those that the
	 * replay has left out with the log's segments. The first flush wakes the compactor.
	 */
	private void leaveOut(FutureStamps future) throws IOException {
		try {
			this.compactor.leaveOut(future);
			this.flusher.flushed().join();
			future.report();
		}
		catch (CompletionException | StorageException failure) {
			throw new IOException("entries from the future cannot be left out: " + failure.getMessage(), failure);
		}
	}

	private void begin() {
		MemtableHandle first = new MemtableHandle(
				new Memtable(this.writeAheadLog.firstSegment(), this.reader.byValue()), this.values);
		this.views.replace((view) -> new View(first, view.sealed(), view.tables(), view.floors()));
		this.writeAheadLog.start();
		this.housekeeping.begin();
		this.quarantine.recordAll();
		this.scrubber.start();
		this.flusher.wake();
		this.compactor.wake();
		StoreGauges.register(this, this.metrics.registry());
	}

	@Override
	public CompletableFuture<ApplyResult> apply(Key key, Entry entry, Executor callbacks) {
		try {
			requireOpen();
			this.writeAdmission.requireRoom();
			return switch (entry) {
				case Entry.Tombstone _ -> submitted(key, StoredEntry.of(entry, Deleted.INSTANCE), callbacks);
				case Entry.Live live -> applyValue(key, live, callbacks);
			};
		}
		catch (StorageException refused) {
			return refused(refused);
		}
	}

	private <T> CompletableFuture<T> refused(StorageException cause) {
		this.metrics.refused(cause);
		return CompletableFuture.failedFuture(cause);
	}

	private CompletableFuture<ApplyResult> applyValue(Key key, Entry.Live live, Executor callbacks) {
		Value value = live.value();
		StoredEntry stored = StoredEntry.of(live, new Inline(value));
		if (value.size() <= this.properties.inlineValueSize().toBytes()) {
			return submitted(key, stored, callbacks);
		}
		return this.largeValues.submit(key, stored, value, callbacks);
	}

	private CompletableFuture<ApplyResult> submitted(Key key, StoredEntry entry, Executor callbacks) {
		try {
			LogWrite write = new LogWrite(key, entry, callbacks);
			this.writeAheadLog.submit(write);
			return write.waiter();
		}
		catch (StorageException refused) {
			return refused(refused);
		}
	}

	@Override
	public CompletableFuture<PromiseResult> promise(Key key, Timestamp ballot, Deadline deadline, Executor callbacks) {
		try {
			requireOpen();
			this.writeAdmission.requireRoom();
			LogWrite write = LogWrite.promise(key, ballot, deadline.nanos(), callbacks);
			this.writeAheadLog.submit(write);
			return write.waiter()
				.thenApply((result) -> (result instanceof ApplyResult.Promised(var by)) ? new PromiseResult.Refused(by)
						: new PromiseResult.Made());
		}
		catch (StorageException refused) {
			return refused(refused);
		}
	}

	@Override
	public void release(Key key, Timestamp ballot) {
		try {
			this.writeAheadLog.submit(LogWrite.release(key, ballot));
		}
		catch (StorageException refused) {
			// The promise stays, which is only stricter.
			this.metrics.refused(refused);
		}
	}

	@Override
	public @Nullable Promise promiseOf(Key key) {
		return this.writeAheadLog.promises().of(key);
	}

	@Override
	public Collection<Promise> promises() {
		return this.writeAheadLog.promises().all();
	}

	private void requireOpen() {
		if (this.closed) {
			throw closedException().refusing();
		}
	}

	@Override
	public CompletableFuture<ReadResult> read(Key key, int maxValueBytes, Deadline deadline, Executor callbacks) {
		return unlessClosed(() -> this.reader.read(key, maxValueBytes, deadline, callbacks));
	}

	@Override
	public CompletableFuture<ScanPage> page(ScanRange range, PageLimit limit, Deadline deadline, Executor callbacks) {
		return unlessClosed(() -> this.reader.page(range, limit, deadline, callbacks));
	}

	@Override
	public CompletableFuture<HeaderPage> headers(ScanRange range, long above, PageLimit limit, Deadline deadline,
			Executor callbacks) {
		return unlessClosed(() -> this.reader.headers(range, above, limit, deadline, callbacks));
	}

	@Override
	public Arrivals arrivals() {
		return this.memtableWriter.arrivals();
	}

	@Override
	public long durableSequence() {
		return this.writeAheadLog.durableSequence();
	}

	@Override
	public CompletableFuture<Void> passSequence(long sequence) {
		return unlessClosed(() -> this.flusher.<@Nullable Void>meanwhile(() -> {
			this.manifest.append(VersionEdit.passed(sequence));
			return null;
		}).thenCompose((_) -> this.writeAheadLog.pass(sequence)));
	}

	@Override
	public CompletableFuture<Void> force() {
		return unlessClosed(this.writeAheadLog::force);
	}

	/** Runs an operation. A refusal at once fails the future, like a later one. */
	private <T> CompletableFuture<T> unlessClosed(Supplier<CompletableFuture<T>> work) {
		try {
			return this.closed ? CompletableFuture.failedFuture(closedException()) : work.get();
		}
		catch (StorageException refused) {
			return CompletableFuture.failedFuture(refused);
		}
	}

	@Override
	public CompletableFuture<Void> flush() {
		return unlessClosed(() -> this.rotations.next().thenCompose((_) -> this.flusher.flushed()));
	}

	private @Nullable StorageFailedException endOfRotations() {
		StorageFailedException failed = this.writeAheadLog.failure();
		return (failed != null || !this.closed) ? failed : closedException();
	}

	@Override
	public CompletableFuture<SetAsideData> setAside() {
		return flush().thenCompose((_) -> this.setAsideStore.setAside()).whenComplete((_, _) -> arrivals().renew());
	}

	@Override
	public CompletableFuture<Void> assign(ShareChange change) {
		return unlessClosed(() -> this.shares.assign(change));
	}

	@Override
	public long assignedVersion() {
		return this.shares.version();
	}

	@Override
	public Optional<SetAsideData> aside() {
		return this.setAsideStore.aside();
	}

	@Override
	public CompletableFuture<Snapshot> backup(Path target, Collection<String> records, FileProgress progress,
			Executor worker) {
		return unlessClosed(() -> {
			this.disk.requireRoom();
			return flush().thenApplyAsync((_) -> this.snapshots.write(target, records, progress), worker);
		});
	}

	/** The scrub, which reads everything periodically. */
	public Scrub scrub() {
		return this.scrubber;
	}

	/** Completes when no compaction is due or under way. */
	public CompletableFuture<Void> compacted() {
		return this.compactor.quiet();
	}

	/**
	 * The highest timestamp of all entries and promises, without the tables that are set
	 * aside.
	 */
	public Timestamp newest() {
		Timestamp newest = this.views.with(View::newest);
		for (Promise promise : promises()) {
			newest = promise.ballot().isAfter(newest) ? promise.ballot() : newest;
		}
		return newest;
	}

	private double oldestPromiseSeconds() {
		long now = System.nanoTime();
		return promises().stream().mapToLong((promise) -> now - promise.madeNanos()).max().orElse(0) / NANOS;
	}

	@Override
	public @Nullable StorageException failure() {
		return this.writeAheadLog.failure();
	}

	@Override
	public StoreStatus status() {
		View view = this.views.peek();
		return new StoreStatus(new StoreStatus.Disk(this.disk.freeBytes(), this.disk.requiredBytes()),
				view.sealed().size(), new StoreStatus.Tables(view.tables().size(), view.levelZeroTables(),
						this.quarantine.tables(), StoreState.cleanupBytes(view)),
				new StoreStatus.Held(view.heldEntries(), view.heldBytes()));
	}

	private StorageFailedException closedException() {
		return new StorageFailedException("the store in %s is closed".formatted(this.properties.directory()), null);
	}

	@Override
	public void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		finish("the snapshots", this.snapshots);
		finish("the scrub", this.scrubber);
		finish("the large values", this.largeValues);
		finish("the log", this.writeAheadLog);
		if (this.writeAheadLog.failure() == null && this.writeAheadLog.hasEndedForced()) {
			// The last segment is given back with its flush, and promises are in no
			// table.
			if (promises().isEmpty()) {
				sealActive();
			}
			flushAtClose();
		}
		else {
			// Only entries that are on the disk may go into a table.
			log.warn("The memtable was not flushed at the end; the next start replays the log");
		}
		finish("the flusher", this.flusher);
		finish("the compactor", this.compactor);
		finish("the readers", this.reader);
		finish("the housekeeping", this.housekeeping);
		// The housekeeping will not look at these any more.
		this.rotations.close();
		finish("the files", this.files);
		finish("the meters", this.metrics);
	}

	/** Closes one part. If that fails, the next part is closed all the same. */
	private void finish(String part, AutoCloseable resource) {
		try {
			resource.close();
		}
		catch (Exception failure) {
			log.error("The store in {} did not close {} cleanly; the next start replays the log",
					this.properties.directory(), part, failure);
		}
	}

	private void flushAtClose() {
		try {
			this.flusher.flushed().join();
		}
		catch (CompletionException failure) {
			log.warn("The memtable was not flushed at the end; the next start replays the log: {}",
					String.valueOf(failure.getCause()));
		}
	}

	private void sealActive() {
		this.views.seal(this.views.peek().active().memtable().segment() + 1, this.values);
	}

	/** The register of the log's segments, kept in the manifest. */
	private record ManifestSegments(Manifest manifest) implements SegmentRegister {

		@Override
		public void made(long number) {
			// A segment that the process before made and did not use is recorded already.
			if (number > this.manifest.live().log().last()) {
				this.manifest.append(VersionEdit.segmentMade(number));
			}
		}

		@Override
		public void forced(Map<Long, Long> lengths) {
			this.manifest.append(VersionEdit.segmentsForced(lengths));
		}

	}

	/** Registers gauges for the state of a store. */
	private static final class StoreGauges {

		/** Four runs of a level make one of the next: 4096 times a flush is level 6. */
		private static final int HIGHEST_LEVEL = 6;

		private StoreGauges() {
		}

		static void register(LsmStore store, MeterRegistry registry) {
			StorageMeters.WRITE_PRESSURE.gauge(registry, store.writeAdmission, WriteAdmission::pressure);
			StorageMeters.COMPACTION_DEBT.gauge(registry, store.compactor, Compactor::debtBytes);
			StorageMeters.COMPACTION_WAITS.gauge(registry, store.compactor,
					(compactor) -> compactor.isWaitingForRoom() ? 1 : 0);
			StorageMeters.QUARANTINED.gauge(registry, store.quarantine, Quarantine::tables);
			StorageMeters.SCRUB_AGE.gauge(registry, store.scrubber, (scrubber) -> scrubber.ageMillis() / 1000.0);
			StorageMeters.SCRUB_INTERVAL.gauge(registry, store.properties.scrub(),
					(scrub) -> scrub.interval().toMillis() / 1000.0);
			StorageMeters.PROMISES.gauge(registry, store, (each) -> each.promises().size());
			StorageMeters.PROMISE_AGE.gauge(registry, store, LsmStore::oldestPromiseSeconds);
			StorageMeters.FAILED.gauge(registry, store.writeAheadLog, (wal) -> (wal.failure() != null) ? 1 : 0);
			StorageMeters.DISK_FREE.gauge(registry, store.disk, DiskSpace::freeBytes);
			StorageMeters.DISK_TOTAL.gauge(registry, store.disk, DiskSpace::totalBytes);
			StorageMeters.DISK_THRESHOLD.gauge(registry, store.disk, DiskSpace::requiredBytes);
			StoreState state = new StoreState(store.files);
			StorageMeters.MEMTABLES_WAITING.gauge(registry, state, StoreState::waitingMemtables);
			StorageMeters.VALUE_BYTES.gauge(registry, state, StoreState::liveValueBytes, "live");
			StorageMeters.VALUE_BYTES.gauge(registry, state, StoreState::garbageValueBytes, "garbage");
			for (int level = 0; level < HIGHEST_LEVEL; level++) {
				registerLevel(state, registry, level, level);
			}
			registerLevel(state, registry, HIGHEST_LEVEL, Integer.MAX_VALUE);
		}

		private static void registerLevel(StoreState state, MeterRegistry registry, int lowest, int highest) {
			String level = Integer.toString(lowest);
			StorageMeters.TABLES.gauge(registry, state, (store) -> store.tables(lowest, highest), level);
			StorageMeters.TABLE_BYTES.gauge(registry, state, (store) -> store.tableBytes(lowest, highest), level);
		}

	}

	/** The next step for written large values: their references go to the log. */
	private static final class AfterValue implements LargeValues.Next {

		private final Submission submission;

		private final MemtableWriter memtableWriter;

		private final DiskSpace disk;

		private final Consumer<StorageFailedException> failed;

		private final Supplier<StorageFailedException> closed;

		/** The way of an entry to the log. */
		@FunctionalInterface
		interface Submission {

			CompletableFuture<ApplyResult> submit(Key key, StoredEntry entry, Executor callbacks);

		}

		/**
		 * A step before the log.
		 * @param failed receives the failure of a value file, after which nothing may be
		 * written any more
		 * @param closed makes the exception for writers after the store was closed
		 */
		AfterValue(Submission submission, MemtableWriter memtableWriter, DiskSpace disk,
				Consumer<StorageFailedException> failed, Supplier<StorageFailedException> closed) {
			this.submission = submission;
			this.memtableWriter = memtableWriter;
			this.disk = disk;
			this.failed = failed;
			this.closed = closed;
		}

		@Override
		public CompletableFuture<ApplyResult> written(Key key, StoredEntry entry, Executor callbacks) {
			return this.submission.submit(key, entry, callbacks).whenComplete((result, failure) -> {
				if (failure instanceof StorageOverloadedException || failure instanceof DiskFullException
						|| result instanceof ApplyResult.Promised) {
					this.memtableWriter.release(entry.payload());
				}
			});
		}

		@Override
		public RuntimeException failed(Throwable cause, List<Reference> written) {
			written.forEach(this.memtableWriter::release);
			if (this.disk.causedBy(cause)) {
				return this.disk.exception();
			}
			StorageFailedException failure = new StorageFailedException(
					"a value file cannot be written; restart the node: " + cause, cause);
			this.failed.accept(failure);
			// No record of the log refers to any of these values.
			return failure.refusing();
		}

		@Override
		public RuntimeException closed() {
			return this.closed.get().refusing();
		}

	}

	/**
	 * The callers that wait for the active memtable to be sealed, or for writes on their
	 * way to it. Bounded by their number.
	 */
	private static final class Rotations {

		private final Views views;

		private final Runnable ask;

		/* Runs a task soon; false when it never will. */
		private final Predicate<Runnable> later;

		private final Supplier<@Nullable StorageFailedException> failure;

		private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();

		/** A caller's wait for a condition. */
		private record Wait(BooleanSupplier reached, CompletableFuture<Void> over) {
		}

		/**
		 * None yet.
		 * @param ask has the active memtable sealed soon
		 * @param later runs a task soon, or reports that it never will
		 * @param failure reason why no memtable is sealed any more, or {@code null}
		 */
		Rotations(Views views, Runnable ask, Predicate<Runnable> later,
				Supplier<@Nullable StorageFailedException> failure) {
			this.views = views;
			this.ask = ask;
			this.later = later;
			this.failure = failure;
		}

		/** Has the memtable that is active now sealed, and waits for it. */
		CompletableFuture<Void> next() {
			long segment = this.views.peek().active().memtable().segment();
			CompletableFuture<Void> sealed = until(() -> this.views.peek().active().memtable().segment() > segment);
			this.ask.run();
			return sealed;
		}

		/**
		 * Waits for a condition that the threads of the write path bring about.
		 * @param reached whether it is so; asked each millisecond
		 */
		CompletableFuture<Void> until(BooleanSupplier reached) {
			Wait wait = new Wait(reached, new CompletableFuture<>());
			this.waiting.add(wait);
			check(wait);
			return wait.over().whenComplete((_, _) -> this.waiting.remove(wait));
		}

		private void check(Wait wait) {
			StorageFailedException failed = this.failure.get();
			if (failed != null) {
				wait.over().completeExceptionally(failed);
			}
			else if (wait.reached().getAsBoolean()) {
				wait.over().complete(null);
			}
			else if (!this.later.test(() -> check(wait))) {
				wait.over().completeExceptionally(closed());
			}
		}

		private static StorageFailedException closed() {
			return new StorageFailedException("the store is closed", null);
		}

		/** Fails all waits: no task runs any more. */
		void close() {
			this.waiting.forEach((wait) -> wait.over().completeExceptionally(closed()));
		}

	}

}
