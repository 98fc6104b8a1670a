package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.thread.Uninterrupted;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log that makes writes durable, and its one thread: it gathers what has queued,
 * writes it with one call, forces it, hands it to the memtable, and tells the waiters.
 * <p>
 * Invariants: (1) a write is handed to the {@link Target} only when it is as durable as
 * {@code wal.sync} promises; (2) writes reach the target in the order of their sequence
 * numbers; (3) every write that was submitted is told its outcome exactly once; (4) after
 * a failed write or force nothing is written any more: a kernel may have dropped the
 * pages, so a second force would prove nothing.
 */
public final class WriteAheadLog implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(WriteAheadLog.class);

	/* Of a segment, and of a memtable, at least. */
	private static final double LEAST_SHARE = 0.75;

	/* From then on the next segment is made of whatever there is. */
	private static final double HURRY_SHARE = 0.5;

	private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	/*
	 * Between two batches under load there is less: a mark each time would be a write for
	 * nothing.
	 */
	private static final long MARK_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/* The kernel does not wake a thread much sooner. */
	private static final long SHORTEST_PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

	private final Target target;

	private final LogListener listener;

	private final SegmentSupply segments;

	private final Sync sync;

	private final long syncIntervalNanos;

	private final GroupCommit groupCommit;

	private final int capacity;

	private final Path directory;

	private final ConcurrentLinkedQueue<LogWrite> queue = new ConcurrentLinkedQueue<>();

	private final AtomicInteger queued = new AtomicInteger();

	private final AtomicLong queuedBytes = new AtomicLong();

	private final AtomicBoolean asleep = new AtomicBoolean();

	/* With so many writes that wait there is nothing to gather any more. */
	private volatile int enough = Integer.MAX_VALUE;

	/* All who have asked for the next force wait for the same. */
	private final AtomicReference<@Nullable CompletableFuture<Void>> forceAsked = new AtomicReference<>();

	/* Bounded by those who ask, and wait. */
	private final ConcurrentLinkedQueue<Passing> passings = new ConcurrentLinkedQueue<>();

	private final ByteBuffer buffer = ByteBuffer.allocateDirect(LogFormat.MAX_BATCH);

	private final List<LogWrite> batch = new ArrayList<>();

	private final Thread thread;

	private final RandomGenerator random;

	private LogSegment segment;

	/* By number, up to where the segment before and this one are known to be forced. */
	private final Map<Long, Long> lengths = new TreeMap<>();

	private double share;

	private long sequence;

	private volatile long durableSequence;

	private long lastForceNanos = System.nanoTime();

	private long forceBegunNanos = System.nanoTime();

	private long lastBatchNanos = System.nanoTime();

	/*
	 * Why what was acknowledged cannot be forced now. With an interval nothing more is
	 * acknowledged meanwhile.
	 */
	private @Nullable StorageException unforced;

	private volatile LogThrottle pace = LogThrottle.FULL;

	private volatile boolean closing;

	private volatile boolean ended;

	private volatile boolean endedForced;

	private volatile @Nullable StorageFailedException failure;

	private record Passing(long sequence, CompletableFuture<Void> done) {
	}

	/**
	 * A log that continues in a new segment.
	 * @param directory where the segments lie
	 * @param nextSegment number of the first segment to write
	 * @param nextSequence number of the next write
	 * @param previousForced length of the segment before, all of it on the disk
	 * @param register records each segment before it is written
	 * @param random how much of each segment is used
	 */
	public WriteAheadLog(Path directory, StorageProperties.Wal properties, long nextSegment, long nextSequence,
			long previousForced, SegmentRegister register, Target target, LogListener listener, RandomGenerator random)
			throws IOException {
		this.directory = directory;
		this.target = target;
		this.listener = listener;
		this.sync = properties.sync();
		this.syncIntervalNanos = properties.syncInterval().toNanos();
		this.groupCommit = new GroupCommit((this.sync == Sync.ALWAYS) ? properties.gather().toNanos() : 0);
		this.capacity = properties.queue();
		this.sequence = nextSequence;
		this.durableSequence = nextSequence - 1;
		this.segments = new SegmentSupply(directory, properties.segmentSize().toBytes(), nextSegment, register);
		this.segment = LogSegment.begin(directory, this.segments.takeNow(), previousForced);
		this.random = random;
		this.share = nextShare();
		this.thread = new Thread(this::run, "storage-log");
		this.thread.setDaemon(true);
	}

	/** Number of the segment that is written first. */
	public long firstSegment() {
		return this.segment.number();
	}

	/**
	 * Replicas take the same writes: with other shares they do not flush and compact all
	 * at once.
	 */
	private double nextShare() {
		return this.random.nextDouble(LEAST_SHARE, 1);
	}

	/** Begins to write. */
	public void start() {
		this.segments.start();
		this.thread.start();
	}

	/**
	 * Queues a write.
	 * @throws StorageOverloadedException when too many wait already
	 * @throws StorageFailedException when the log has failed or is closed
	 */
	public void submit(LogWrite write) {
		StorageFailedException failed = this.failure;
		if (failed != null) {
			throw failed;
		}
		if (this.closing) {
			throw new StorageFailedException("the store is closed", null);
		}
		long most = this.pace.queueBytes();
		if (this.queuedBytes.get() > most) {
			throw new StorageOverloadedException(Bound.SLOWED, most);
		}
		int waiting = this.queued.incrementAndGet();
		if (waiting > this.capacity) {
			this.queued.decrementAndGet();
			throw new StorageOverloadedException(Bound.WRITES, this.capacity);
		}
		this.queuedBytes.addAndGet(LogFormat.recordSize(write.key(), write.entry()));
		this.queue.add(write);
		if (this.ended) {
			failTheRest();
			return;
		}
		if (waiting >= this.enough) {
			LockSupport.unpark(this.thread);
		}
		wake();
	}

	/** Wakes the log's thread, so that it looks whether a rotation is wanted. */
	public void wake() {
		if (this.asleep.get() && this.asleep.compareAndSet(true, false)) {
			LockSupport.unpark(this.thread);
		}
	}

	/**
	 * Takes a segment whose records are in a table, and so needed no more.
	 * @throws IOException when its file can be neither kept nor deleted; the next start
	 * deletes it
	 */
	public void giveBack(long segmentNumber) throws IOException {
		this.segments.giveBack(segmentNumber);
	}

	/** Writes that wait. */
	public int queued() {
		return this.queued.get();
	}

	/**
	 * The highest sequence number up to which every write is on the disk and was brought
	 * to the target, for good. With {@code wal.sync} other than {@code always} it stays
	 * behind what was acknowledged.
	 */
	public long durableSequence() {
		return this.durableSequence;
	}

	/**
	 * Forces what was acknowledged before, whatever {@code wal.sync} says.
	 * @return completes when it is on the disk, at once when it is there already
	 */
	public CompletableFuture<Void> force() {
		StorageFailedException failed = this.failure;
		if (failed != null) {
			return CompletableFuture.failedFuture(failed);
		}
		if (this.sync == Sync.ALWAYS) {
			return CompletableFuture.completedFuture(null);
		}
		CompletableFuture<Void> asked = Objects.requireNonNull(
				this.forceAsked.updateAndGet((before) -> (before != null) ? before : new CompletableFuture<>()));
		if (this.ended) {
			failTheRest();
		}
		else {
			wake();
		}
		return asked;
	}

	/**
	 * Numbers no write that is taken up from now on with this or a lower number, and
	 * forces what was. The next start does not know of it from the log.
	 * @return completes when that is so
	 */
	public CompletableFuture<Void> pass(long number) {
		Passing asked = new Passing(number, new CompletableFuture<>());
		this.passings.add(asked);
		if (this.ended) {
			failTheRest();
		}
		else {
			wake();
		}
		return asked.done();
	}

	/** What ended the log, if something did. */
	public @Nullable StorageFailedException failure() {
		return this.failure;
	}

	/**
	 * Whether it was closed with all on the disk that was written, and all that this
	 * refers to.
	 */
	public boolean hasEndedForced() {
		return this.endedForced;
	}

	/** Ends the log, because something that its records rely on has failed. */
	public void fail(StorageFailedException cause) {
		this.failure = cause;
		wake();
	}

	/** Writes what was submitted, forces it, and stops. Waits until done. */
	@Override
	public void close() {
		this.closing = true;
		wake();
		LockSupport.unpark(this.thread);
		Uninterrupted.join(this.thread);
		this.segments.close();
	}

	private void run() {
		try {
			while (!this.closing || !this.queue.isEmpty()) {
				turn();
			}
			this.endedForced = forceSegment();
			noteDurable();
			this.segment.mark();
			this.segment.close();
		}
		catch (IOException | RuntimeException | Error broken) {
			failed(broken);
		}
		this.ended = true;
		failTheRest();
	}

	private void turn() throws IOException {
		StorageFailedException elsewhere = this.failure;
		if (elsewhere != null) {
			throw elsewhere;
		}
		rotateIfWanted();
		long pause = pauseNanos();
		StorageException held = this.unforced;
		if (held != null && this.sync == Sync.INTERVAL) {
			refuseQueued(held);
			idle();
		}
		else if (pause > 0) {
			pause(pause);
		}
		else {
			writeOrIdle();
		}
		if (this.sync == Sync.INTERVAL && System.nanoTime() - this.lastForceNanos >= this.syncIntervalNanos) {
			var _ = forceSegment();
			noteDurable();
		}
		forceIfAsked();
		passIfAsked();
	}

	/**
	 * Lets writes that come soon after a force share the next one: each force, and the
	 * answers that wake somebody after it, costs much more than a write. The first of
	 * them wakes nobody.
	 */
	private void awaitCompany() {
		long left = this.groupCommit.patienceNanos(System.nanoTime() - this.forceBegunNanos);
		if (left <= SHORTEST_PARK_NANOS) {
			return;
		}
		int most = Math.min(this.groupCommit.expected(), this.capacity / 2);
		long begun = System.nanoTime();
		this.enough = most;
		while (left > SHORTEST_PARK_NANOS && !this.closing && this.queued.get() < most) {
			LockSupport.parkNanos(this, left);
			left = this.groupCommit.patienceNanos(System.nanoTime() - this.forceBegunNanos);
		}
		this.enough = Integer.MAX_VALUE;
		this.groupCommit.waited(System.nanoTime() - begun);
	}

	private void writeOrIdle() throws IOException {
		awaitCompany();
		gather();
		if (this.batch.isEmpty()) {
			this.groupCommit.nobodyCame();
			idle();
			return;
		}
		this.groupCommit.came(this.batch.size(), System.nanoTime() - this.batch.getLast().submittedNanos());
		write();
		noteDurable();
		tell(this.batch);
		this.batch.clear();
		this.lastBatchNanos = System.nanoTime();
	}

	/** How long the next batch has to wait yet, if there is one. */
	private long pauseNanos() {
		LogThrottle current = this.target.pace();
		this.pace = current;
		if (current.pauseNanos() == 0 || this.queue.isEmpty() || this.closing) {
			return 0;
		}
		return current.pauseNanos() - (System.nanoTime() - this.lastBatchNanos);
	}

	/** Other work of the log is done in time meanwhile. */
	private void pause(long nanos) {
		long begun = System.nanoTime();
		long forceDue = this.lastForceNanos + this.syncIntervalNanos - begun;
		LockSupport.parkNanos(this, (this.sync == Sync.INTERVAL) ? Math.min(nanos, forceDue) : nanos);
		this.listener.paused(System.nanoTime() - begun);
	}

	private void passIfAsked() throws IOException {
		for (Passing asked = this.passings.peek(); asked != null; asked = this.passings.peek()) {
			this.sequence = Math.max(this.sequence, asked.sequence() + 1);
			boolean forced = forceSegment();
			noteDurable();
			this.passings.remove();
			complete(asked.done(), forced);
		}
	}

	private void forceIfAsked() throws IOException {
		CompletableFuture<Void> asked = this.forceAsked.get();
		if (asked == null || !this.forceAsked.compareAndSet(asked, null)) {
			return;
		}
		boolean forced;
		try {
			forced = forceSegment();
		}
		catch (IOException failed) {
			asked.completeExceptionally(new StorageFailedException("the log could not be forced", failed));
			throw failed;
		}
		noteDurable();
		complete(asked, forced);
	}

	private static void complete(CompletableFuture<Void> asked, boolean forced) {
		if (forced) {
			asked.complete(null);
		}
		else {
			asked.completeExceptionally(
					new StorageFailedException("there is no room on the disk to force large values", null));
		}
	}

	/** Between two batches all that have a number are with the target. */
	private void noteDurable() {
		if (this.segment.isForced()) {
			this.durableSequence = this.sequence - 1;
		}
	}

	private void idle() throws IOException {
		long begun = System.nanoTime();
		boolean markDue = this.sync != Sync.NEVER && !this.segment.isMarked();
		this.asleep.set(true);
		if (this.queue.isEmpty() && this.passings.isEmpty() && this.forceAsked.get() == null && !this.closing) {
			LockSupport.parkNanos(this, patience(markDue));
		}
		this.asleep.set(false);
		if (markDue && this.queue.isEmpty() && System.nanoTime() - begun >= MARK_AFTER_NANOS) {
			this.segment.mark();
		}
	}

	private long patience(boolean markDue) {
		long limit = markDue ? MARK_AFTER_NANOS : IDLE_NANOS;
		boolean forceDue = this.sync == Sync.INTERVAL && !this.segment.isForced();
		return forceDue ? Math.min(limit, this.syncIntervalNanos) : limit;
	}

	private void gather() {
		this.buffer.clear().position(Batches.HEADER);
		while (true) {
			LogWrite next = this.queue.peek();
			if (next == null || !fits(next) || this.buffer.position() > this.pace.batchBytes()) {
				return;
			}
			this.queue.remove();
			removed(next);
			next.number(this.sequence++);
			LogFormat.writeRecord(next.key(), next.entry(), this.buffer);
			this.batch.add(next);
		}
	}

	private void removed(LogWrite write) {
		this.queued.decrementAndGet();
		this.queuedBytes.addAndGet(-LogFormat.recordSize(write.key(), write.entry()));
	}

	private boolean fits(LogWrite next) {
		int size = LogFormat.recordSize(next.key(), next.entry()) + Batches.ALIGNMENT;
		return this.buffer.remaining() >= size && this.segment.hasRoomFor(this.buffer.position() + size);
	}

	private void write() throws IOException {
		long begun = System.nanoTime();
		for (LogWrite write : this.batch) {
			this.listener.waited(begun - write.submittedNanos());
		}
		this.segment.finish(this.buffer, this.batch.size());
		int sizeBytes = this.buffer.flip().remaining();
		this.segment.append(this.buffer);
		this.listener.appended(this.batch.size(), sizeBytes);
		if (this.sync == Sync.ALWAYS) {
			var _ = forceSegment();
		}
		this.target.written(this.batch);
	}

	/**
	 * Forces values and segment; says whether it has: not while the values find no room
	 * on the disk, which heals by itself.
	 */
	private boolean forceSegment() throws IOException {
		long begun = System.nanoTime();
		this.lastForceNanos = begun;
		if (this.segment.isForced()) {
			return true;
		}
		this.unforced = (this.sync != Sync.ALWAYS) ? this.target.forceValues() : null;
		if (this.unforced != null) {
			return false;
		}
		this.forceBegunNanos = begun;
		this.segment.force();
		if (!this.lengths.containsKey(this.segment.number())) {
			// Once for each segment: from then on a start knows that it was written.
			this.lengths.put(this.segment.number(), this.segment.forced());
			this.segments.forced(this.lengths);
		}
		this.lastForceNanos = System.nanoTime();
		this.listener.forced(this.lastForceNanos - begun);
		return true;
	}

	private void rotateIfWanted() throws IOException {
		LogWrite next = this.queue.peek();
		boolean noRoom = next != null && !this.segment
			.hasRoomFor(Batches.HEADER + LogFormat.recordSize(next.key(), next.entry()) + Batches.ALIGNMENT);
		if (!noRoom && !this.segment.isFull(this.share) && !this.target.wantsRotation(this.share)) {
			if (this.segment.isFull(HURRY_SHARE)) {
				this.segments.hurry();
			}
			return;
		}
		if (!this.target.mayRotate()) {
			if (noRoom) {
				refuseQueued(new StorageOverloadedException(Bound.MEMTABLES, this.target.maxMemtables()));
			}
			return;
		}
		// Into a table goes only what is on the disk.
		if (!forceSegment()) {
			if (noRoom) {
				refuseQueued(Objects.requireNonNull(this.unforced));
			}
			return;
		}
		SegmentSupply.Next prepared = noRoom ? this.segments.await() : this.segments.poll();
		switch (prepared) {
			case SegmentSupply.Ready(long number) -> rotate(number);
			case SegmentSupply.NotYet() -> {
			}
			case SegmentSupply.Impossible(StorageException cause) -> {
				if (noRoom) {
					refuseQueued(cause);
				}
			}
		}
	}

	private void rotate(long number) throws IOException {
		noteDurable();
		LogSegment full = this.segment;
		this.lengths.clear();
		this.lengths.put(full.number(), full.forced());
		this.segment = LogSegment.begin(this.directory, number, full.forced());
		this.share = nextShare();
		full.close();
		this.target.rotated(number);
	}

	private void refuseQueued(RuntimeException cause) {
		List<LogWrite> refused = new ArrayList<>();
		for (int i = this.queued.get(); i > 0; i--) {
			LogWrite write = this.queue.poll();
			if (write == null) {
				break;
			}
			removed(write);
			refuse(write, cause);
			refused.add(write);
		}
		tell(refused);
	}

	private void failed(Throwable cause) {
		String message = "the write-ahead log in %s has failed and takes no more writes; restart the node to replay it: %s"
			.formatted(this.directory, cause);
		log.error(message, cause);
		StorageFailedException failed = (cause instanceof StorageFailedException known) ? known
				: new StorageFailedException(message, cause);
		this.failure = failed;
		this.batch.forEach((write) -> refuse(write, failed));
		tell(this.batch);
		this.batch.clear();
		closeSegment();
		this.target.failed(failed);
	}

	private void refuse(LogWrite write, RuntimeException cause) {
		write.fail(cause);
		this.listener.refused(cause);
	}

	private void closeSegment() {
		try {
			this.segment.close();
		}
		catch (IOException failure) {
			log.warn("Segment {} of the log in {} could not be closed", this.segment.number(), this.directory, failure);
		}
	}

	private void failTheRest() {
		StorageFailedException failed = this.failure;
		StorageFailedException cause = (failed != null) ? failed
				: new StorageFailedException("the store is closed", null);
		refuseQueued(cause);
		CompletableFuture<Void> asked = this.forceAsked.getAndSet(null);
		if (asked != null) {
			asked.completeExceptionally(cause);
		}
		for (Passing left = this.passings.poll(); left != null; left = this.passings.poll()) {
			left.done().completeExceptionally(cause);
		}
	}

	/** One task per executor tells all of a batch that wait on it. */
	private static void tell(List<LogWrite> writes) {
		if (writes.isEmpty()) {
			return;
		}
		IdentityHashMap<Executor, List<LogWrite>> byExecutor = new IdentityHashMap<>();
		writes.forEach((write) -> byExecutor.computeIfAbsent(write.callbacks(), (_) -> new ArrayList<>()).add(write));
		byExecutor.forEach((executor, told) -> {
			Runnable task = () -> told.forEach(LogWrite::tell);
			try {
				executor.execute(task);
			}
			catch (RejectedExecutionException gone) {
				task.run();
			}
		});
	}

	/** Where the log brings what it has written; called on the log's thread alone. */
	public interface Target {

		/** How fast the log may go now. */
		LogThrottle pace();

		/**
		 * Whether the memtable is full.
		 * @param share of its size that may be used
		 */
		boolean wantsRotation(double share);

		/** Whether another memtable may be begun. */
		boolean mayRotate();

		/** How many memtables may wait for their flush. */
		int maxMemtables();

		/** Another segment, and so another memtable, has begun. */
		void rotated(long segment);

		/**
		 * Forces values to which records of the log refer.
		 * @return {@code null} when it has; else what writes are told: there is no room
		 * on the disk, and the values are not lost
		 */
		@Nullable StorageException forceValues() throws IOException;

		/** Makes a durable batch visible and resolves each of its writes. */
		void written(List<LogWrite> batch);

		/** The log has failed. */
		void failed(StorageFailedException cause);

	}

}
