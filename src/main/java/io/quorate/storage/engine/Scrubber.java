package io.quorate.storage.engine;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.quorate.clock.TimeSource;
import io.quorate.security.LoggedKey;
import io.quorate.storage.Scrub;
import io.quorate.storage.ScrubProgress;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.file.ReadPace;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.thread.Uninterrupted;
import io.quorate.storage.values.ValueFiles;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads every page of every live table, and every large value that a table refers to, at
 * a bounded rate on a thread of its own: a table at a time, in the order of their
 * numbers. Tables that are written during a pass are read in the next one. The bytes come
 * from the disk, not from the page cache, where the system permits that.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // by the scrub's own thread alone
final class Scrubber implements Scrub, ReadPace, AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Scrubber.class);

	private static final long LOOK_NANOS = 1_000_000_000L;

	private static final long YIELD_NANOS = 5_000_000;

	private static final int MOST_YIELDS = 40;

	private final Views views;

	private final ValueFiles values;

	private final StorageProperties.Scrub properties;

	private final Consumer<StorageCorruptedException> damaged;

	private final BooleanSupplier busy;

	private final TimeSource time;

	private final ScrubRecord record;

	private final UncachedReader reader = new UncachedReader(this);

	private final Thread thread = Thread.ofPlatform().daemon().name("storage-scrub").unstarted(this::work);

	private final AtomicLong bytes = new AtomicLong();

	private final AtomicLong valuesRead = new AtomicLong();

	private volatile ScrubRecord.State state;

	private volatile int tables;

	private volatile int tablesInAll;

	private volatile int unread;

	private volatile long found;

	private volatile boolean requested;

	private volatile boolean working;

	private volatile boolean closed;

	private long nextNanos;

	/**
	 * A scrub that has not begun.
	 * @param damaged receives each damage that is met
	 * @param busy whether clients wait for the disk
	 */
	Scrubber(OpenFiles files, StorageProperties properties, Consumer<StorageCorruptedException> damaged,
			BooleanSupplier busy, TimeSource time) {
		this.views = files.views();
		this.values = files.values();
		this.properties = properties.scrub();
		this.damaged = damaged;
		this.busy = busy;
		this.time = time;
		this.record = ScrubRecord.open(properties.directory(), time.millis());
		this.state = this.record.state();
		this.found = this.state.latest().damages();
	}

	void start() {
		this.thread.start();
	}

	@Override
	public boolean begin() {
		boolean isFirst = !this.requested && !this.working;
		this.requested = true;
		LockSupport.unpark(this.thread);
		return isFirst;
	}

	@Override
	public ScrubProgress progress() {
		ScrubRecord.State now = this.state;
		boolean running = this.working || this.requested;
		return new ScrubProgress(running,
				new ScrubProgress.Times(now.latest().beganMillis(), now.completedMillis(),
						running ? 0 : dueMillis(now)),
				new ScrubProgress.Reach(this.tables, this.tablesInAll, this.valuesRead.get(), this.bytes.get()),
				this.found, this.unread);
	}

	/** Time since the last complete pass, or since the first start with a scrub. */
	long ageMillis() {
		ScrubRecord.State now = this.state;
		return Math.max(0, this.time.millis() - Math.max(now.completedMillis(), now.sinceMillis()));
	}

	private long dueMillis(ScrubRecord.State now) {
		long interval = this.properties.interval().toMillis();
		return (interval == 0) ? 0 : Math.max(now.completedMillis(), now.sinceMillis()) + interval;
	}

	private boolean isDue() {
		ScrubRecord.State now = this.state;
		long due = dueMillis(now);
		boolean goesOn = now.latest().isRunning() && due != 0;
		return this.requested || goesOn || (due != 0 && this.time.millis() >= due);
	}

	private void work() {
		while (!this.closed) {
			LockSupport.parkNanos(this, LOOK_NANOS);
			if (!this.closed && isDue()) {
				tryPass();
			}
		}
	}

	private void tryPass() {
		this.working = true;
		try {
			pass();
		}
		catch (StorageFailedException stopped) {
			log.info("The scrub goes on behind table {} after the next start", this.state.latest().through());
		}
		catch (RuntimeException | Error bug) {
			log.error("Internal error in the scrub, which begins anew when it is due", bug);
			become(this.state.completed(this.time.millis()));
		}
		this.requested = false;
		this.working = false;
	}

	private void become(ScrubRecord.State next) {
		this.record.write(next);
		this.state = next;
	}

	private void pass() {
		if (!this.state.latest().isRunning()) {
			long last = this.views.peek().tableMetas().stream().mapToLong((meta) -> meta.number()).max().orElse(0);
			become(this.state.begun(this.time.millis(), last));
			this.found = 0;
			this.unread = 0;
		}
		this.tables = 0;
		this.tablesInAll = due().size();
		this.nextNanos = System.nanoTime();
		log.info("The scrub reads {} tables, from number {} on", this.tablesInAll, this.state.latest().through() + 1);
		TableHandle next = hold();
		while (next != null) {
			long before = this.found;
			try {
				read(next);
			}
			finally {
				next.release();
			}
			this.tables++;
			become(this.state.through(next.meta().number(), this.found - before));
			next = hold();
		}
		become(this.state.completed(this.time.millis()));
		log.info("The scrub has read {} tables and found {} places damaged; {} tables could not be read", this.tables,
				this.found, this.unread);
	}

	private List<TableHandle> due() {
		ScrubRecord.Pass pass = this.state.latest();
		return this.views.peek()
			.tables()
			.stream()
			.filter((handle) -> handle.meta().number() > pass.through() && handle.meta().number() <= pass.upTo())
			.sorted(Comparator.comparingLong((handle) -> handle.meta().number()))
			.toList();
	}

	/** The next table, with a reference to it, or {@code null} when there is none. */
	private @Nullable TableHandle hold() {
		while (true) {
			requireOpen();
			List<TableHandle> due = due();
			if (due.isEmpty()) {
				return null;
			}
			// A table that was disposed has left the view meanwhile.
			if (due.getFirst().tryRetain()) {
				return due.getFirst();
			}
			Thread.onSpinWait();
		}
	}

	private void read(TableHandle handle) {
		try {
			if (handle.damage() == null) {
				handle.pages().verify(this.reader, this::found);
			}
			if (handle.damage() == null && !handle.meta().summary().valueBytes().isEmpty()) {
				readValues(handle.pages().cursor(null));
			}
		}
		catch (StorageCorruptedException damage) {
			found(damage);
		}
		catch (StorageFailedException stopped) {
			throw stopped;
		}
		catch (IOException | StorageException failure) {
			this.unread++;
			log.warn("The scrub could not read table {} to its end: {}", handle.meta().number(), failure.toString());
		}
	}

	private void readValues(TableCursor cursor) throws IOException {
		KeyedEntry next = cursor.next();
		while (next != null) {
			requireOpen();
			if (next.entry().payload() instanceof Reference reference) {
				readValue(next, reference);
			}
			next = cursor.next();
		}
	}

	private void readValue(KeyedEntry entry, Reference reference) throws IOException {
		try {
			this.values.verify(reference, this.reader);
			this.valuesRead.incrementAndGet();
		}
		catch (StorageCorruptedException damage) {
			log.error("The value of {} is damaged, and reads of it fail: {}", LoggedKey.of(entry.key()),
					damage.getMessage());
			found(damage);
		}
	}

	private void found(StorageCorruptedException damage) {
		this.found++;
		this.damaged.accept(damage);
	}

	/**
	 * Waits so that the rate limit is kept, and longer while clients wait, but not for
	 * ever.
	 */
	@Override
	public void took(int read) {
		requireOpen();
		this.bytes.addAndGet(read);
		long nanos = (long) (read * 1e9 / this.properties.bytesPerSecond().toBytes());
		this.nextNanos = Math.max(this.nextNanos, System.nanoTime() - nanos) + nanos;
		long wait = this.nextNanos - System.nanoTime();
		while (wait > 0 && !this.closed) {
			LockSupport.parkNanos(this, wait);
			wait = this.nextNanos - System.nanoTime();
		}
		for (int i = 0; i < MOST_YIELDS && !this.closed && this.busy.getAsBoolean(); i++) {
			LockSupport.parkNanos(this, YIELD_NANOS);
		}
	}

	private void requireOpen() {
		if (this.closed) {
			throw new StorageFailedException("the store is closed", null);
		}
	}

	@Override
	public void close() {
		this.closed = true;
		LockSupport.unpark(this.thread);
		Uninterrupted.join(this.thread);
	}

}
