package io.quorate.storage.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.quorate.clock.Timestamp;
import io.quorate.storage.Compression;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.compaction.CompactionLimits;
import io.quorate.storage.compaction.CompactionPicker;
import io.quorate.storage.compaction.CompactionState;
import io.quorate.storage.compaction.CompactionTask.Reason;
import io.quorate.storage.compaction.CompactionTask;
import io.quorate.storage.compaction.FittedTask;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.thread.RepeatedWarnings;
import io.quorate.storage.thread.Uninterrupted;
import io.quorate.storage.values.ValueFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when to compact which tables, and runs the compactions on a small pool. Its
 * state is guarded by its monitor; compactions run outside it.
 */
final class Compactor implements CompactionJob.Haste, AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Compactor.class);

	private static final long RETRY_MILLIS = 5000;

	private final RepeatedWarnings failing = new RepeatedWarnings();

	/* Divisor of the bound on tables of level 0. */
	private static final int HURRY_PART = 3;

	private final CompactionPicker picker = new CompactionPicker(CompactionLimits.DEFAULT);

	private final Views views;

	private final ValueFiles values;

	private final PurgePolicy purge;

	private final DiskSpace disk;

	private final CompactionJob.Context context;

	private final int threads;

	private final Consumer<StorageCorruptedException> met;

	private final BackgroundWork work;

	private final int hurryFrom;

	private final long tableBytes;

	private final ScheduledThreadPoolExecutor executor;

	private final Set<Long> busy = new HashSet<>();

	private final Set<Long> damaged = new HashSet<>();

	/*
	 * Value files with an unreadable value: each is deleted once no entry refers to it.
	 */
	private final Set<Long> uncollectable = new HashSet<>();

	private CompletableFuture<Void> quiet = CompletableFuture.completedFuture(null);

	private CompletableFuture<Void> halted = CompletableFuture.completedFuture(null);

	private int running;

	private volatile int pauses;

	private volatile boolean waitingForRoom;

	private volatile boolean endAwaited;

	private volatile boolean closed;

	Compactor(OpenFiles files, StorageProperties properties, PurgePolicy purge, DiskSpace disk, BackgroundWork work,
			StoreEvents events) {
		this.met = events.damage();
		this.views = files.views();
		this.disk = disk;
		this.values = files.values();
		this.purge = purge;
		this.threads = properties.compaction().threads();
		this.work = work;
		this.tableBytes = properties.tableSize().toBytes();
		this.hurryFrom = Math.max(1, properties.maxLevelZeroTables() / HURRY_PART);
		this.context = new CompactionJob.Context(files, properties, purge, work, events.metrics(), this);
		this.executor = new ScheduledThreadPoolExecutor(this.threads + 1,
				Thread.ofPlatform().daemon().name("storage-compaction-", 0).factory());
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/**
	 * Rewrites, on the calling thread, each run that holds an entry to be left out. Only
	 * before any compaction is begun.
	 */
	void leaveOut(FutureStamps future) throws IOException {
		Map<Long, List<TableMeta>> runs = new TreeMap<>();
		this.views.peek()
			.tableMetas()
			.stream()
			.sorted(Comparator.comparingLong(TableMeta::number))
			.forEach((meta) -> runs.computeIfAbsent(meta.run(), (_) -> new ArrayList<>()).add(meta));
		this.endAwaited = true;
		for (List<TableMeta> run : runs.values()) {
			if (run.stream().anyMatch((meta) -> future.isBeyond(meta.summary().times().newest()))) {
				CompactionTask task = new CompactionTask(run, Math.max(1, run.getFirst().level()), Reason.FUTURE);
				new CompactionJob(this.context, new FittedTask(task, false, 0), Set.of(), future, (_) -> {
				}).run();
			}
		}
	}

	/** Begins the compactions that are due and not under way. */
	synchronized void wake() {
		Optional<Planned> planned = next();
		while (planned.isPresent()) {
			begin(planned.get());
			planned = next();
		}
		if (this.running == 0) {
			this.endAwaited = false;
			this.quiet.complete(null);
		}
		this.work.owe(this.waitingForRoom ? 0 : debtBytes());
	}

	/**
	 * Begins no compaction until it is resumed as often, and makes those under way give
	 * up.
	 * @return completes when no compaction is left
	 */
	@SuppressWarnings("NonAtomicVolatileUpdate") // changed under the monitor
	synchronized CompletableFuture<Void> pause() {
		this.pauses++;
		if (this.running > 0 && this.halted.isDone()) {
			this.halted = new CompletableFuture<>();
		}
		return this.halted;
	}

	@SuppressWarnings("NonAtomicVolatileUpdate") // changed under the monitor
	synchronized void resume() {
		this.pauses--;
		wake();
	}

	/**
	 * Whether a caller waits for the end, the disk is nearly full, or the compaction
	 * reads level 0 while it has so many tables that writes will be delayed before long.
	 */
	@Override
	public boolean isAwaited(CompactionTask task) {
		return isStopped() || this.endAwaited || this.disk.isLow()
				|| (task.readsLevelZero() && this.views.peek().levelZeroTables() >= this.hurryFrom);
	}

	@Override
	public boolean isStopped() {
		return this.closed || this.pauses > 0;
	}

	/**
	 * The compaction to begin next. There is one thread more than configured, which takes
	 * level 0 only, so that flushes do not back up behind a long compaction.
	 */
	private Optional<Planned> next() {
		if (isStopped() || this.running > this.threads) {
			return Optional.empty();
		}
		boolean onlyLevelZero = this.running == this.threads;
		return this.views.with((view) -> {
			CompactionState state = state(view, untouchable());
			return onlyLevelZero ? this.picker.pickLevelZero(state) : this.picker.pick(state);
		}).flatMap(this::planned);
	}

	/**
	 * The plan of a task that fits the free space. A compaction that filled the disk
	 * would make the log and the manifest fail.
	 */
	private Optional<Planned> planned(CompactionTask task) {
		long room = this.disk.roomBytes();
		Optional<Planned> planned = planned(task, room);
		// For room claimed by other compactions it waits until they end and call wake().
		boolean waits = planned.isEmpty() && planned(task, room + this.disk.claimedBytes()).isEmpty();
		if (waits && !this.waitingForRoom) {
			log.warn("A compaction of {} bytes waits for room on the disk, of which {} bytes are free",
					task.inputBytes(), this.disk.freeBytes());
		}
		this.waitingForRoom = waits;
		return planned;
	}

	private Optional<Planned> planned(CompactionTask task, long room) {
		return FittedTask.of(task, outputBytes(task), room, this.tableBytes)
			.map((fittedTask) -> withValues(fittedTask, room))
			.filter((possible) -> task.reason() != Reason.VALUES || !possible.collected.isEmpty());
	}

	/**
	 * A plan with the value files due for collection to which the task's tables refer,
	 * and whose values have room elsewhere.
	 */
	private Planned withValues(FittedTask fittedTask, long room) {
		Set<Long> ofInputs = fittedTask.task()
			.inputs()
			.stream()
			.flatMap((meta) -> meta.summary().valueBytes().keySet().stream())
			.collect(Collectors.toSet());
		return this.views.with((view) -> {
			Map<Long, Long> referred = view.valueBytes();
			List<Long> due = dueValueFiles(view).stream()
				.filter(ofInputs::contains)
				.sorted(Comparator.comparingLong((number) -> referred.getOrDefault(number, 0L)))
				.toList();
			long taken = fittedTask.neededBytes();
			Set<Long> collectable = new HashSet<>();
			for (Long number : due) {
				long copied = referred.getOrDefault(number, 0L);
				if (taken + copied <= room) {
					taken += copied;
					collectable.add(number);
				}
			}
			return new Planned(fittedTask, collectable, taken);
		});
	}

	/** Whether a compaction is due that finds no room on the disk. */
	boolean isWaitingForRoom() {
		return this.waitingForRoom;
	}

	/** Looks again if a compaction waits for room. */
	synchronized void wakeForRoom() {
		if (this.waitingForRoom) {
			wake();
		}
	}

	/** Estimated size of the output; compressed entries may become uncompressed. */
	private long outputBytes(CompactionTask task) {
		if (this.context.properties().compression() != Compression.NONE) {
			return task.inputBytes();
		}
		Set<TableMeta> inputs = new HashSet<>(task.inputs());
		return this.views.with((view) -> view.tables()
			.stream()
			.filter((handle) -> inputs.contains(handle.meta()))
			.mapToLong((handle) -> handle.table().uncompressedBytes())
			.sum());
	}

	/** Completes when no compaction is due or under way. */
	synchronized CompletableFuture<Void> quiet() {
		wake();
		this.endAwaited = this.running > 0;
		return (this.running == 0) ? CompletableFuture.completedFuture(null) : this.quiet;
	}

	/** Bytes that the compactions which are due and not under way would read. */
	long debtBytes() {
		Set<Long> untouchable = untouchable();
		return this.picker.debtBytes(state(this.views.peek(), untouchable));
	}

	/** Number of compactions under way, including those that wait to be tried again. */
	synchronized int running() {
		return this.running;
	}

	private synchronized Set<Long> untouchable() {
		Set<Long> untouchable = new HashSet<>(this.busy);
		untouchable.addAll(this.damaged);
		return untouchable;
	}

	private CompactionState state(View view, Set<Long> untouchable) {
		Set<Long> quarantined = view.tables()
			.stream()
			.filter((handle) -> handle.damage() != null)
			.map((handle) -> handle.meta().number())
			.collect(Collectors.toSet());
		Timestamp purgeBefore = view.memtables()
			.stream()
			.map(Memtable::oldest)
			.min(Comparator.naturalOrder())
			.orElse(Timestamp.MAX);
		if (purgeBefore.isAfter(this.purge.purgeBefore())) {
			purgeBefore = this.purge.purgeBefore();
		}
		Set<Long> unclean = view.uncleanTables().stream().map(TableMeta::number).collect(Collectors.toSet());
		return new CompactionState(view.tableMetas(), untouchable, quarantined, unclean, dueValueFiles(view),
				new CompactionState.PurgeBounds(purgeBefore, this.purge.purgeThrough(),
						this.purge.expiredBeforeMillis()));
	}

	/**
	 * Value files of which entries refer to less than half, and to which nothing in
	 * memory may refer.
	 */
	private Set<Long> dueValueFiles(View view) {
		Set<Long> due = new HashSet<>();
		Map<Long, Long> referred = view.valueBytes();
		this.values.closedSizes().forEach((number, size) -> {
			long live = referred.getOrDefault(number, 0L);
			if (!view.refersFromMemory(number) && live > 0 && live < size / 2 && isCollectable(number)) {
				due.add(number);
			}
		});
		return due;
	}

	private void begin(Planned planned) {
		CompactionTask task = planned.fittedTask.task();
		this.running++;
		if (this.quiet.isDone()) {
			this.quiet = new CompletableFuture<>();
		}
		Set<Long> inputs = new HashSet<>();
		task.inputs().forEach((meta) -> inputs.add(meta.number()));
		this.busy.addAll(inputs);
		DiskSpace.Claim claim = this.disk.claim(planned.neededBytes);
		this.executor.execute(() -> run(planned, inputs, claim));
	}

	private void run(Planned planned, Set<Long> inputs, DiskSpace.Claim claim) {
		CompactionTask task = planned.fittedTask.task();
		boolean again = true;
		try (claim) {
			CompactionJob job = new CompactionJob(this.context, planned.fittedTask, planned.collected, (_) -> false,
					claim::written);
			job.run();
			markUncollectable(job.uncollected());
		}
		catch (StorageCorruptedException damage) {
			log.error("A compaction has stopped and keeps its inputs, because {}", damage.getMessage());
			this.met.accept(damage);
			quarantine(task, damage);
		}
		catch (IOException | StorageException failure) {
			this.disk.causedBy(failure);
			again = isStopped();
			if (!again) {
				String end = this.failing.due(System.nanoTime());
				if (end != null) {
					log.error("A compaction of {} bytes has failed and is tried again in {} ms: {}{}",
							task.inputBytes(), RETRY_MILLIS, failure.toString(), end);
				}
				var _ = this.executor.schedule(() -> finished(inputs), RETRY_MILLIS, TimeUnit.MILLISECONDS);
			}
		}
		catch (RuntimeException | Error bug) {
			log.error("Internal error in a compaction; its {} inputs are merged no more until a restart", inputs.size(),
					bug);
			markDamaged(inputs);
		}
		if (again || this.closed) {
			finished(inputs);
		}
	}

	private synchronized void finished(Set<Long> inputs) {
		this.busy.removeAll(inputs);
		this.running--;
		if (this.running == 0) {
			this.halted.complete(null);
		}
		wake();
	}

	/**
	 * Excludes the damaged table of a task from compactions. If the damage names no
	 * table, all inputs are excluded; reads find out which one is damaged.
	 */
	private synchronized void quarantine(CompactionTask task, StorageCorruptedException damage) {
		List<Long> named = task.inputs()
			.stream()
			.map(TableMeta::number)
			.filter((number) -> Tables.isNamed(damage.file(), number))
			.toList();
		this.damaged.addAll(named.isEmpty() ? task.inputs().stream().map(TableMeta::number).toList() : named);
	}

	private synchronized void markUncollectable(Set<Long> valueFiles) {
		this.uncollectable.addAll(valueFiles);
	}

	private synchronized boolean isCollectable(long valueFile) {
		return !this.uncollectable.contains(valueFile);
	}

	private synchronized void markDamaged(Set<Long> numbers) {
		this.damaged.addAll(numbers);
	}

	/** Numbers of the tables that are not compacted any more because they are damaged. */
	synchronized Set<Long> damaged() {
		return Set.copyOf(this.damaged);
	}

	/**
	 * A compaction to be begun, with the room that it needs.
	 *
	 * @param collected numbers of the value files whose values are to be copied elsewhere
	 * @param neededBytes room on the disk, including these values
	 */
	private record Planned(FittedTask fittedTask, Set<Long> collected, long neededBytes) {
	}

	@Override
	public void close() {
		this.closed = true;
		Uninterrupted.shutDown(this.executor);
		synchronized (this) {
			this.quiet.complete(null);
			this.halted.complete(null);
		}
	}

}
