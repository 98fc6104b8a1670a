package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

import io.quorate.clock.Timestamp;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Promised;
import io.quorate.storage.thread.Uninterrupted;
import io.quorate.storage.wal.SyncRequests.Pass;
import org.jspecify.annotations.Nullable;

/**
 * The log that makes writes durable, and its one thread: it gathers queued writes, writes
 * them with one call, fsyncs them, hands them to the memtable, and completes their
 * futures.
 * <p>
 * Invariants: (1) a write is handed to the {@link LogTarget} only when it is as durable
 * as {@code wal.sync} promises; (2) writes reach the target in the order of their
 * sequence numbers; (3) every write that was submitted gets its outcome exactly once; (4)
 * after a failed write or fsync nothing is written any more: a kernel may have dropped
 * the pages, so a second fsync would prove nothing; (5) each segment begins with the
 * promises that stand, fsynced before an older one can be given back.
 */
public final class WriteAheadLog implements AutoCloseable {

	private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	/*
	 * Idle time after which a mark is written. Between two batches under load there is
	 * less: a mark each time would be a write for nothing.
	 */
	private static final long MARK_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/* The kernel does not wake a thread much sooner. */
	private static final long SHORTEST_PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

	private final LogTarget target;

	private final LogListener listener;

	private final SegmentSupply segments;

	private final Sync sync;

	private final long syncIntervalNanos;

	private final GroupCommit groupCommit;

	private final Path directory;

	private final LogQueue queue;

	private final AtomicBoolean asleep = new AtomicBoolean();

	/* With so many waiting writes there is nothing to gather any more. */
	private volatile int enough = Integer.MAX_VALUE;

	private final SyncRequests requests = new SyncRequests();

	private final LogBatch batch;

	private final Thread thread;

	private final LogTail tail;

	private final Promises promises;

	private long sequence;

	private volatile long durableSequence;

	private long lastForceNanos = System.nanoTime();

	/*
	 * Reason why acknowledged writes cannot be fsynced now. With sync=interval no write
	 * is acknowledged meanwhile.
	 */
	private @Nullable StorageException unforced;

	private final LogPacer pacer = new LogPacer();

	private volatile boolean closing;

	private volatile boolean ended;

	private volatile boolean endedForced;

	private volatile @Nullable StorageFailedException failure;

	/**
	 * A log that continues in a new segment.
	 * @param register records each segment before it is written
	 * @param random chooses the share of each segment that is used
	 */
	public WriteAheadLog(LogEnd end, StorageProperties.Wal properties, SegmentRegister register, LogTarget target,
			LogListener listener, RandomGenerator random) throws IOException {
		this.directory = end.directory();
		this.target = target;
		this.listener = listener;
		this.sync = properties.sync();
		this.syncIntervalNanos = properties.syncInterval().toNanos();
		this.groupCommit = new GroupCommit((this.sync == Sync.ALWAYS) ? properties.gather().toNanos() : 0,
				System.nanoTime());
		this.queue = new LogQueue(properties.queue(), listener);
		this.sequence = end.nextSequence();
		this.durableSequence = end.nextSequence() - 1;
		this.segments = new SegmentSupply(this.directory, properties.segmentSize().toBytes(), end.nextSegment(),
				register);
		this.tail = new LogTail(this.directory, this.segments, end.previousForced(), random);
		this.promises = end.promises();
		this.batch = new LogBatch(this.promises, listener);
		try {
			carryPromises();
		}
		catch (IOException | RuntimeException | Error failed) {
			this.tail.closeQuietly();
			throw failed;
		}
		this.thread = new Thread(this::run, "storage-log");
		this.thread.setDaemon(true);
	}

	/** Number of the segment that is written first. */
	public long firstSegment() {
		return this.tail.number();
	}

	/** Starts the threads of the log. */
	public void start() {
		this.segments.start();
		this.thread.start();
	}

	/**
	 * Queues a write.
	 * @throws StorageOverloadedException when too many wait already
	 * @throws StorageFailedException when the log has failed or is closed: a refusal
	 */
	public void submit(LogWrite write) {
		StorageFailedException failed = this.failure;
		if (failed != null) {
			throw failed.refusing();
		}
		if (this.closing) {
			throw new StorageFailedException("the store is closed", null).refusing();
		}
		int waiting = this.queue.add(write, this.pacer.throttle().queueBytes());
		if (this.ended) {
			failTheRest();
			return;
		}
		if (waiting >= this.enough) {
			LockSupport.unpark(this.thread);
		}
		wake();
	}

	/** Wakes the log's thread, so that it checks whether a rotation is wanted. */
	public void wake() {
		if (this.asleep.get() && this.asleep.compareAndSet(true, false)) {
			LockSupport.unpark(this.thread);
		}
	}

	/**
	 * Takes back a segment that is not needed any more, since its records are in a table.
	 * @throws IOException when its file can be neither kept nor deleted; the next start
	 * deletes it
	 */
	public void recycle(long segmentNumber) throws IOException {
		this.segments.recycle(segmentNumber);
	}

	/** The writes that wait. */
	public LogQueue queue() {
		return this.queue;
	}

	/**
	 * The highest sequence number up to which every write is on the disk and was brought
	 * to the target, for good. With {@code wal.sync} other than {@code always} it is
	 * behind the acknowledged writes.
	 */
	public long durableSequence() {
		return this.durableSequence;
	}

	/**
	 * Fsyncs all writes that were acknowledged before, whatever {@code wal.sync} says.
	 * @return completes when they are on the disk, at once when they are there already
	 */
	public CompletableFuture<Void> force() {
		StorageFailedException failed = this.failure;
		if (failed != null) {
			return CompletableFuture.failedFuture(failed);
		}
		if (this.sync == Sync.ALWAYS) {
			return CompletableFuture.completedFuture(null);
		}
		return served(this.requests.add());
	}

	/**
	 * Gives no write that is taken up from now on this or a lower number, and fsyncs the
	 * earlier ones. The log does not record the number for the next start.
	 * @return completes when that is so
	 */
	public CompletableFuture<Void> pass(long number) {
		return served(this.requests.addPass(number));
	}

	private CompletableFuture<Void> served(CompletableFuture<Void> asked) {
		if (this.ended) {
			failTheRest();
		}
		else {
			wake();
		}
		return asked;
	}

	/** The promises, of which any thread may ask for those that are published. */
	public Promises promises() {
		return this.promises;
	}

	/** The failure that ended the log, or {@code null}. */
	public @Nullable StorageFailedException failure() {
		return this.failure;
	}

	/**
	 * Whether the log was closed with all its records on the disk, and all values that
	 * they refer to.
	 */
	public boolean hasEndedForced() {
		return this.endedForced;
	}

	/** Ends the log, because a part that its records rely on has failed. */
	public void fail(StorageFailedException cause) {
		this.failure = cause;
		wake();
	}

	/** Writes the submitted writes, fsyncs them, and stops. Waits until done. */
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
			this.tail.mark();
			this.tail.close();
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
		long pause = this.pacer.pauseNanos(this.target.pace(), !this.queue.isEmpty() && !this.closing);
		StorageException held = this.unforced;
		if (held != null && this.sync == Sync.INTERVAL) {
			this.queue.refuseAll(held);
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
	 * Waits so that writes that come soon after an fsync share the next one: each fsync,
	 * and the answers that wake threads after it, costs much more than a write. The first
	 * of these writes does not wake the log's thread.
	 */
	private void awaitGroup() {
		long left = this.groupCommit.patienceNanos(System.nanoTime());
		if (left <= SHORTEST_PARK_NANOS) {
			return;
		}
		int most = Math.min(this.groupCommit.expected(), this.queue.half());
		long begun = System.nanoTime();
		this.enough = most;
		while (left > SHORTEST_PARK_NANOS && !this.closing && this.queue.size() < most) {
			LockSupport.parkNanos(this, left);
			left = this.groupCommit.patienceNanos(System.nanoTime());
		}
		this.enough = Integer.MAX_VALUE;
		this.groupCommit.waited(System.nanoTime() - begun);
	}

	private void writeOrIdle() throws IOException {
		awaitGroup();
		this.sequence = this.batch.fill(this.queue, this.tail, this.sequence, this.pacer.throttle().batchBytes());
		List<LogWrite> writes = this.batch.writes();
		if (writes.isEmpty() && this.batch.refused().isEmpty()) {
			this.groupCommit.noneCame();
			idle();
			return;
		}
		if (!writes.isEmpty()) {
			this.groupCommit.came(writes.size(), System.nanoTime() - writes.getLast().submittedNanos());
			write(writes);
			noteDurable();
			LogQueue.tell(writes);
		}
		LogQueue.tell(this.batch.refused());
		this.batch.clear();
		this.pacer.batchWritten();
	}

	/** Pauses before a batch. Fsyncs that fall due meanwhile are done in time. */
	private void pause(long nanos) {
		long forceDue = this.lastForceNanos + this.syncIntervalNanos - System.nanoTime();
		LockSupport.parkNanos(this, (this.sync == Sync.INTERVAL) ? Math.min(nanos, forceDue) : nanos);
	}

	private void passIfAsked() throws IOException {
		for (Pass asked = this.requests.peekPass(); asked != null; asked = this.requests.peekPass()) {
			this.sequence = Math.max(this.sequence, asked.sequence() + 1);
			boolean forced = forceSegment();
			noteDurable();
			this.requests.removePass();
			SyncRequests.complete(asked.done(), forced);
		}
	}

	private void forceIfAsked() throws IOException {
		CompletableFuture<Void> asked = this.requests.take();
		if (asked == null) {
			return;
		}
		boolean forced;
		try {
			forced = forceSegment();
		}
		catch (IOException | RuntimeException | Error failed) {
			asked.completeExceptionally(new StorageFailedException("the log could not be fsynced", failed));
			throw failed;
		}
		noteDurable();
		SyncRequests.complete(asked, forced);
	}

	/**
	 * Advances the durable sequence number. Between two batches the target has all writes
	 * that have a number.
	 */
	private void noteDurable() {
		if (this.tail.isForced()) {
			this.durableSequence = this.sequence - 1;
		}
	}

	private void idle() throws IOException {
		long begun = System.nanoTime();
		boolean markDue = this.sync != Sync.NEVER && !this.tail.isMarked();
		this.asleep.set(true);
		if (this.queue.isEmpty() && this.requests.isEmpty() && !this.closing) {
			LockSupport.parkNanos(this, patience(markDue));
		}
		this.asleep.set(false);
		if (markDue && this.queue.isEmpty() && System.nanoTime() - begun >= MARK_AFTER_NANOS) {
			this.tail.mark();
		}
	}

	private long patience(boolean markDue) {
		long limit = markDue ? MARK_AFTER_NANOS : IDLE_NANOS;
		boolean forceDue = this.sync == Sync.INTERVAL && !this.tail.isForced();
		return forceDue ? Math.min(limit, this.syncIntervalNanos) : limit;
	}

	private void write(List<LogWrite> writes) throws IOException {
		this.listener.appended(this.batch.appendTo(this.tail));
		boolean isForced = (this.sync == Sync.ALWAYS || this.batch.isForced()) && forceSegment();
		this.target.written(writes);
		// A reader that sees no promise finds the entry that has ended it.
		this.promises.publish();
		if (!isForced && this.batch.isForced()) {
			// No refusal: the records stay in the log.
			StorageFailedException cause = new StorageFailedException("the log could not be fsynced", this.unforced);
			writes.stream().filter(LogWrite::isForced).forEach((write) -> write.fail(cause));
		}
	}

	/**
	 * Fsyncs values and segment.
	 * @return whether they are on the disk: {@code false} while the values find no room
	 * there, which is tried again
	 */
	private boolean forceSegment() throws IOException {
		long begun = System.nanoTime();
		this.lastForceNanos = begun;
		if (this.tail.isForced()) {
			return true;
		}
		this.unforced = (this.sync != Sync.ALWAYS) ? this.target.forceValues() : null;
		if (this.unforced != null) {
			return false;
		}
		this.groupCommit.forceBegins(begun);
		this.tail.force();
		this.lastForceNanos = System.nanoTime();
		this.listener.forced(this.lastForceNanos - begun);
		return true;
	}

	private void rotateIfWanted() throws IOException {
		LogWrite next = this.queue.peek();
		boolean noRoom = next != null && !this.tail.hasRoomFor(LogBatch.sizeOf(next));
		if (!noRoom && !this.tail.isFull() && !this.target.wantsRotation(this.tail.share())) {
			this.tail.hurry();
			return;
		}
		if (!this.target.mayRotate()) {
			if (noRoom) {
				this.queue.refuseAll(new StorageOverloadedException(Bound.MEMTABLES, this.target.maxMemtables()));
			}
			return;
		}
		// Only entries that are on the disk go into a table.
		if (!forceSegment()) {
			if (noRoom) {
				this.queue.refuseAll(Objects.requireNonNull(this.unforced));
			}
			return;
		}
		switch (this.tail.next(noRoom)) {
			case SegmentSupply.Ready(long number) -> rotate(number);
			case SegmentSupply.NotYet() -> {
			}
			case SegmentSupply.Impossible(StorageException cause) -> {
				if (noRoom) {
					this.queue.refuseAll(cause);
				}
			}
		}
	}

	private void rotate(long number) throws IOException {
		noteDurable();
		this.tail.rotate(number);
		this.promises.drop(this.target::hasLost);
		carryPromises();
		this.target.rotated(number);
	}

	/**
	 * Begins a segment with the promises that stand, in batches of their own. They keep
	 * the numbers of their arrival.
	 */
	private void carryPromises() throws IOException {
		if (this.promises.isEmpty()) {
			return;
		}
		this.listener.appended(this.batch.carry(this.promises, this.tail));
		this.tail.carried();
		// They refer to no values, which may find no room.
		this.tail.force();
	}

	private void failed(Throwable cause) {
		StorageFailedException failed = (cause instanceof StorageFailedException known) ? known
				: new StorageFailedException(
						"the write-ahead log in %s has failed and takes no more writes; restart the node to replay it: %s"
							.formatted(this.directory, cause),
						cause);
		this.failure = failed;
		this.queue.refuse(this.batch.writes(), failed);
		LogQueue.tell(this.batch.refused());
		this.batch.clear();
		this.tail.closeQuietly();
		this.target.failed(failed);
	}

	private void failTheRest() {
		StorageFailedException failed = this.failure;
		StorageFailedException cause = (failed != null) ? failed
				: new StorageFailedException("the store is closed", null);
		// None of these was in a batch.
		this.queue.refuseAll(cause.refusing());
		this.requests.failAll(cause);
	}

	/** The throttle of the log at present, and the pause before its next batch. */
	private static final class LogPacer {

		private volatile LogThrottle throttle = LogThrottle.FULL;

		private long lastBatchNanos = System.nanoTime();

		/** The throttle as of the last turn of the log; for any thread. */
		LogThrottle throttle() {
			return this.throttle;
		}

		/**
		 * Takes over a throttle.
		 * @param isWorkWaiting whether there is a batch to write
		 * @return time that the next batch still has to wait, if there is one
		 */
		long pauseNanos(LogThrottle current, boolean isWorkWaiting) {
			this.throttle = current;
			if (current.pauseNanos() == 0 || !isWorkWaiting) {
				return 0;
			}
			return current.pauseNanos() - (System.nanoTime() - this.lastBatchNanos);
		}

		/** Counts the next pause from now on. */
		void batchWritten() {
			this.lastBatchNanos = System.nanoTime();
		}

	}

	/**
	 * The writes of one batch with their bytes. Used again for each batch, by the log's
	 * thread.
	 */
	private static final class LogBatch {

		private final ByteBuffer buffer = ByteBuffer.allocateDirect(LogFormat.MAX_BATCH);

		private final Promises promises;

		private final LogListener listener;

		private final List<LogWrite> writes = new ArrayList<>();

		private final List<LogWrite> refused = new ArrayList<>();

		private boolean forced;

		/**
		 * An empty batch.
		 * @param promises judge of what it takes
		 * @param listener receives each promise for which there is no room
		 */
		LogBatch(Promises promises, LogListener listener) {
			this.promises = promises;
			this.listener = listener;
		}

		/**
		 * Takes writes out of a queue, as many as fit into the segment. What a promise
		 * refuses gets no number.
		 * @param sequence number of the first write
		 * @param mostBytes number of bytes beyond which no further write is taken
		 * @return number of the next write
		 */
		long fill(LogQueue queue, LogTail tail, long sequence, long mostBytes) {
			long next = sequence;
			this.buffer.clear().position(Batches.HEADER);
			LogWrite write = queue.peek();
			while (write != null && fits(write, tail) && this.buffer.position() <= mostBytes) {
				queue.poll();
				if (isTaken(write, next)) {
					write.number(next++);
					LogFormat.writeRecord(write.key(), write.entry(), this.buffer);
					this.writes.add(write);
					this.forced |= write.isForced();
				}
				else {
					this.refused.add(write);
				}
				write = queue.peek();
			}
			return next;
		}

		private boolean isTaken(LogWrite write, long sequence) {
			if (write.entry().payload() instanceof Promised(var isReleased)) {
				return isReleased ? isReleased(write) : isPromised(write, sequence);
			}
			if (this.promises.isEmpty()) {
				return true;
			}
			return isUnrefused(write, this.promises.refusalOfEntry(write.key(), write.entry().timestamp()));
		}

		private static boolean isUnrefused(LogWrite write, @Nullable Timestamp refusedBy) {
			if (refusedBy == null) {
				return true;
			}
			write.resolve(new ApplyResult.Promised(refusedBy));
			return false;
		}

		private boolean isPromised(LogWrite write, long sequence) {
			Timestamp ballot = write.entry().timestamp();
			if (!isUnrefused(write, this.promises.refusalOfPromise(write.key(), ballot))) {
				return false;
			}
			if (!this.promises.stands(write.key(), ballot) && !this.promises.hasRoomFor(write.key())) {
				StorageOverloadedException full = new StorageOverloadedException(Bound.PROMISES, this.promises.most());
				write.fail(full);
				this.listener.refused(full);
				return false;
			}
			this.promises.make(write.toPromise(), sequence);
			return true;
		}

		private boolean isReleased(LogWrite write) {
			if (!this.promises.stands(write.key(), write.entry().timestamp())) {
				write.resolve(new ApplyResult.Applied(0));
				return false;
			}
			this.promises.release(write.key(), write.entry().timestamp());
			return true;
		}

		/**
		 * Appends batches with the promises that stand.
		 * @return number of bytes
		 */
		int carry(Promises standing, LogTail tail) throws IOException {
			List<KeyedEntry> records = new ArrayList<>();
			standing.forEach((key, entry) -> records.add(new KeyedEntry(key, entry)));
			int sizeBytes = 0;
			int inBatch = 0;
			this.buffer.clear().position(Batches.HEADER);
			for (KeyedEntry each : records) {
				if (this.buffer.remaining() < LogFormat.recordSize(each.key(), each.entry()) + Batches.ALIGNMENT) {
					sizeBytes += tail.append(this.buffer, inBatch);
					this.buffer.clear().position(Batches.HEADER);
					inBatch = 0;
				}
				LogFormat.writeRecord(each.key(), each.entry(), this.buffer);
				inBatch++;
			}
			return sizeBytes + tail.append(this.buffer, inBatch);
		}

		private boolean fits(LogWrite next, LogTail tail) {
			int size = LogFormat.recordSize(next.key(), next.entry()) + Batches.ALIGNMENT;
			return this.buffer.remaining() >= size && tail.hasRoomFor(this.buffer.position() + size);
		}

		/** Size of the smallest batch with a write. */
		static int sizeOf(LogWrite write) {
			return Batches.HEADER + LogFormat.recordSize(write.key(), write.entry()) + Batches.ALIGNMENT;
		}

		/**
		 * Appends the batch to the log.
		 * @return number of bytes
		 */
		int appendTo(LogTail tail) throws IOException {
			return tail.append(this.buffer, this.writes.size());
		}

		List<LogWrite> writes() {
			return this.writes;
		}

		/** The writes that have left the queue and are not in the log. */
		List<LogWrite> refused() {
			return this.refused;
		}

		/** Whether a write of it is fsynced whatever {@code wal.sync} is. */
		boolean isForced() {
			return this.forced;
		}

		void clear() {
			this.writes.clear();
			this.refused.clear();
			this.forced = false;
		}

	}

}
