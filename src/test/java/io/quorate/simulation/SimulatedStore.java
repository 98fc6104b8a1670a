package io.quorate.simulation;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.replica.Origin;
import io.quorate.simulation.SimulatedTables.Held;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Arrivals;
import io.quorate.storage.FileProgress;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.Promise;
import io.quorate.storage.PromiseResult;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.SetAsideData;
import io.quorate.storage.ShareChange;
import io.quorate.storage.Snapshot;
import io.quorate.storage.StorageException;
import io.quorate.storage.Store;
import io.quorate.storage.StoreStatus;
import io.quorate.storage.wal.Promises;
import org.jspecify.annotations.Nullable;

/**
 * The store of one process of a node: it takes a while until an entry is on the disk and
 * visible, and what is on its way when the process is killed may get there or not. The
 * engine itself is not used, because its threads and fsyncs would make a run neither
 * repeatable nor short; what it hides, and purges, is decided by the same classes.
 */
final class SimulatedStore implements Store {

	private final SimulatedTime time;

	private final SimulatedTables tables;

	private final Weather weather;

	private final Random random;

	private final BiConsumer<Key, Entry> observer;

	private final Arrivals arrivals;

	/* The youngest of all that this process has taken. */
	private Timestamp newest = Timestamp.ZERO;

	/* By the numbers of their arrival. */
	private final NavigableMap<Long, Arrival<?>> underWay = new TreeMap<>();

	private PurgePolicy purges = PurgePolicy.nothing();

	/* Of the entry that comes now. */
	private Origin arriving = Origin.CLIENT;

	private boolean isDead;

	/**
	 * A record on its way to the log.
	 *
	 * @param onDisk takes it there, by its number, unless it is refused
	 * @param told tells its caller what that has returned
	 */
	private record Arrival<T>(LongFunction<T> onDisk, Consumer<T> told) {

		/* Nobody is told: the process has ended. */
		private void keep(long number) {
			var _ = this.onDisk.apply(number);
		}

		private void arrive(long number) {
			this.told.accept(this.onDisk.apply(number));
		}

	}

	/**
	 * A store over its tables.
	 * @param random source of the time until the next arrival is on the disk
	 * @param epochs source of the epochs of arrivals
	 * @param observer observer of what it takes
	 */
	SimulatedStore(SimulatedTime time, SimulatedTables tables, Weather weather, Random random, LongSupplier epochs,
			BiConsumer<Key, Entry> observer) {
		this.time = time;
		this.tables = tables;
		this.weather = weather;
		this.random = random;
		this.observer = observer;
		this.arrivals = new Arrivals(tables.places(), time::nanos, epochs);
		tables.replayPromises(time.nanos());
	}

	/** The next entry is of this origin. */
	void arrives(Origin origin) {
		this.arriving = origin;
	}

	void purgeBy(PurgePolicy policy) {
		this.purges = policy;
	}

	/**
	 * The process ends.
	 * @param isKept whether what is under way gets to the disk
	 */
	void kill(boolean isKept) {
		this.isDead = true;
		if (isKept) {
			this.underWay.forEach((arrival, its) -> its.keep(arrival));
		}
	}

	/** The same store for a caller that cannot wait: its futures are done. */
	Store awaited(Consumer<Future<?>> wait) {
		return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[] { Store.class },
				(_, method, arguments) -> {
					try {
						Object result = method.invoke(this, arguments);
						if (result instanceof Future<?> future) {
							wait.accept(future);
						}
						return result;
					}
					catch (InvocationTargetException failure) {
						throw failure.getCause();
					}
				});
	}

	@Override
	public CompletableFuture<ApplyResult> apply(Key key, Entry entry, Executor callbacks) {
		CompletableFuture<ApplyResult> result = new CompletableFuture<>();
		this.observer.accept(key, entry);
		boolean isPassing = PlantedRegister.isPassing(this.tables.bug(), entry, this.arriving);
		send(new Arrival<>((number) -> put(key, entry, number, isPassing), (stored) -> {
			result.complete(stored);
			this.newest = entry.timestamp().isAfter(this.newest) ? entry.timestamp() : this.newest;
		}));
		return result;
	}

	private void send(Arrival<?> arrival) {
		long number = this.tables.nextSequence();
		this.underWay.put(number, arrival);
		this.time.at(this.weather.disk(this.random), () -> arrive(number));
	}

	private void arrive(long number) {
		Arrival<?> its = this.underWay.remove(number);
		if (!this.isDead && its != null) {
			its.arrive(number);
		}
	}

	private ApplyResult put(Key key, Entry entry, long number, boolean isPassing) {
		Timestamp promised = this.tables.promises().refusalOfEntry(key, entry.timestamp());
		if (promised != null && !isPassing) {
			return new ApplyResult.Promised(promised);
		}
		long before = this.tables.places();
		Entry winner = this.tables.put(key, entry, number);
		this.tables.promises().publish();
		boolean isUncertain = winner.equals(entry) && isFilterWrong(entry);
		if (this.tables.places() != before && !this.isDead) {
			this.arrivals.arrived(this.tables.places(),
					() -> List.of(new Arrivals.Name(key, this.tables.places(), Summary.of(entry), !isUncertain)));
		}
		return !winner.equals(entry) ? new ApplyResult.Superseded(winner.timestamp(), true, winner.lineage() == null)
				: isUncertain ? new ApplyResult.Superseded(this.newest, false) : new ApplyResult.Applied(number);
	}

	@Override
	public CompletableFuture<PromiseResult> promise(Key key, Timestamp ballot, Deadline deadline, Executor callbacks) {
		CompletableFuture<PromiseResult> result = new CompletableFuture<>();
		Promise promise = new Promise(key, ballot, this.time.nanos(), deadline.nanos());
		send(new Arrival<>((number) -> make(promise, number), result::complete));
		return result;
	}

	private PromiseResult make(Promise promise, long number) {
		Promises promises = this.tables.promises();
		Timestamp refusal = promises.refusalOfPromise(promise.key(), promise.ballot());
		if (refusal != null) {
			return new PromiseResult.Refused(refusal);
		}
		promises.make(promise, number);
		promises.publish();
		if (this.tables.bug() == PlantedBug.PROMISE_FORGOTTEN) {
			this.time.in(PlantedRegister.FORGOTTEN, () -> drop(promise.key()));
		}
		return new PromiseResult.Made();
	}

	@Override
	public void release(Key key, Timestamp ballot) {
		send(new Arrival<>((_) -> {
			if (this.tables.bug() == PlantedBug.RELEASE_TO_NONE && this.tables.promises().stands(key, ballot)) {
				drop(key);
			}
			this.tables.promises().release(key, ballot);
			this.tables.promises().publish();
			return ballot;
		}, (_) -> {
		}));
	}

	private void drop(Key key) {
		this.tables.promises().drop(key::equals);
		this.tables.promises().publish();
	}

	@Override
	public @Nullable Promise promiseOf(Key key) {
		return this.tables.promises().of(key);
	}

	@Override
	public long nanoTime() {
		return this.time.nanos();
	}

	@Override
	public Collection<Promise> promises() {
		return this.tables.promises().all();
	}

	/* As of a table whose newest stamp is above, and which does not hold the key. */
	private boolean isFilterWrong(Entry entry) {
		return this.weather.filterErrors > 0 && this.newest.isAfter(entry.timestamp())
				&& this.weather.goesWrong(this.random, this.weather.filterErrors);
	}

	private @Nullable Entry visible(Key key) {
		Held held = this.tables.held(key);
		return (held == null || this.purges.isPurgeable(key, held.entry(), held.sequence())) ? null : held.entry();
	}

	@Override
	public CompletableFuture<ReadResult> read(Key key, int maxValueBytes, Deadline deadline, Executor callbacks) {
		Entry entry = visible(key);
		ReadResult result = (entry == null) ? ReadResult.Absent.INSTANCE
				: (Summary.of(entry).valueSizeBytes() > maxValueBytes) ? new ReadResult.Summarized(Summary.of(entry))
						: new ReadResult.Found(entry);
		return CompletableFuture.completedFuture(result);
	}

	@Override
	public CompletableFuture<ScanPage> page(ScanRange range, PageLimit limit, Deadline deadline, Executor callbacks) {
		NavigableMap<Key, Held> from = this.tables.entries().tailMap(range.start(), true);
		NavigableMap<Key, Held> in = (range.end() == null) ? from
				: range.isEmpty() ? new TreeMap<>() : from.headMap(range.end(), false);
		List<ScanPage.Item> items = new ArrayList<>();
		for (Key key : (range.isDescending() ? in.descendingMap() : in).keySet()) {
			Entry entry = visible(key);
			if (items.size() == Math.min(limit.records(), this.weather.mostOnAPage)) {
				return CompletableFuture
					.completedFuture(new ScanPage(items, range.isDescending() ? items.getLast().key() : key));
			}
			if (entry != null) {
				items.add(new ScanPage.Item(key, entry));
			}
		}
		return CompletableFuture.completedFuture(new ScanPage(items, null));
	}

	@Override
	public CompletableFuture<HeaderPage> headers(ScanRange range, long above, PageLimit limit, Deadline deadline,
			Executor callbacks) {
		return page(range, limit, deadline, callbacks).thenApply((page) -> {
			List<HeaderPage.Header> headers = new ArrayList<>();
			for (ScanPage.Item item : page.records()) {
				Held held = this.tables.held(item.key());
				if (held != null && held.place() > above) {
					headers.add(new HeaderPage.Header(item.key(), Summary.of(item.entry()), held.sequence()));
				}
			}
			return new HeaderPage(headers, page.next());
		});
	}

	@Override
	public Arrivals arrivals() {
		return this.arrivals;
	}

	/** What a reader finds. */
	Map<Key, Entry> content() {
		return this.tables.entries()
			.keySet()
			.stream()
			.filter((key) -> visible(key) != null)
			.collect(Collectors.toMap((key) -> key, this::visible));
	}

	/** Drops what is hidden or may be purged, and counts the deletions among it. */
	int compact() {
		return this.tables.compact(this.purges);
	}

	@Override
	public long durableSequence() {
		return this.underWay.isEmpty() ? this.tables.sequence() : this.underWay.firstKey() - 1;
	}

	/*
	 * What is acknowledged is on the disk, and nothing waits for what is under way, as in
	 * a store that forces each write.
	 */
	@Override
	public CompletableFuture<Void> force() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Void> flush() {
		return force();
	}

	@Override
	public CompletableFuture<Void> assign(ShareChange change) {
		this.tables.assign(change);
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public long assignedVersion() {
		return this.tables.assignedVersion();
	}

	@Override
	public StoreStatus status() {
		return new StoreStatus(new StoreStatus.Disk(1 << 30, 0), 0, new StoreStatus.Tables(1, 0, 0, 0),
				new StoreStatus.Held(this.tables.entries().size(), 0));
	}

	@Override
	public Optional<SetAsideData> aside() {
		return Optional.empty();
	}

	@Override
	public @Nullable StorageException failure() {
		return null;
	}

	@Override
	public CompletableFuture<Void> passSequence(long sequence) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<SetAsideData> setAside() {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<Snapshot> backup(Path directory, Collection<String> records, FileProgress progress,
			Executor worker) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void close() {
		this.isDead = true;
	}

}
