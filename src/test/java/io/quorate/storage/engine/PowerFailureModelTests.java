package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.RandomContentTypes;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Compression;
import io.quorate.storage.FileProgress;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PageVerification;
import io.quorate.storage.Promise;
import io.quorate.storage.PromiseResult;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.file.ForgetfulDisk.Image;
import io.quorate.storage.file.ForgetfulDisk.Step;
import io.quorate.storage.file.ForgetfulDisk;
import io.quorate.storage.restore.Restoration;
import io.quorate.storage.sstable.BlockCache;
import io.quorate.storage.sstable.KeyCache;
import io.quorate.storage.sstable.MapDbTableFormat;
import io.quorate.storage.sstable.TableListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.util.FileSystemUtils;
import org.springframework.util.unit.DataSize;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store on a disk that forgets what was not fsynced. After its steps (writes, fsyncs,
 * renames, links, deletions) another store is opened on what a power failure would have
 * left there and then: with nothing of what was not fsynced, and with some of it. Now and
 * then the process is killed, or the power fails, and the store goes on with that.
 * <p>
 * By default a sample of the steps is looked at; with {@code -Dquorate.endurance=true}
 * each of them. {@code -Dmodel.seed} repeats a run as far as threads allow,
 * {@code -Dmodel.steps} sets its length.
 */
class PowerFailureModelTests {

	private static final boolean ENDURANCE = Boolean.getBoolean("quorate.endurance");

	private static final int STEPS = Integer.getInteger("model.steps", ENDURANCE ? 6000 : 800);

	private static final int KEYS = 300;

	private static final int MAX_OPEN = 16;

	private static final long PLENTY = 1L << 40;

	@TempDir
	private Path root;

	private final long seed = Long.getLong("model.seed", System.nanoTime());

	private final Random random = new Random(this.seed);

	/* Of whichever thread makes a step. */
	private final Random dice = new Random(~this.seed);

	private final DurabilityOracle oracle = new DurabilityOracle();

	/* The highest ballots that were promised. */
	private final Map<Key, Timestamp> promised = new ConcurrentHashMap<>();

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	private final AtomicInteger images = new AtomicInteger();

	private final AtomicLong freeBytes = new AtomicLong(PLENTY);

	private final List<CompletableFuture<?>> pending = new ArrayList<>();

	private final List<Path> snapshots = new ArrayList<>();

	private final ExecutorService worker = Executors.newSingleThreadExecutor();

	/* Whoever makes a step waits when the looks are behind. */
	private final ThreadPoolExecutor looks = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS,
			new ArrayBlockingQueue<>(8), (task, pool) -> {
				try {
					pool.getQueue().put(task);
				}
				catch (InterruptedException ex) {
					throw new AssertionError(ex);
				}
			});

	/* Changes of names until the process is killed, negative when it is not. */
	private final AtomicInteger stepsToKill = new AtomicInteger(-1);

	private Sync sync = Sync.ALWAYS;

	private int counter;

	private int step;

	private volatile boolean looking;

	private @Nullable ForgetfulDisk disk;

	private @Nullable LsmStore store;

	/* What a power failure would have left when the last start had read the log. */
	private List<Image> found = List.of();

	@BeforeEach
	void prepare() throws IOException {
		Files.createDirectories(live());
		this.disk = new ForgetfulDisk(live(), this::changed);
	}

	@AfterEach
	void close() throws InterruptedException {
		LsmStore open = this.store;
		this.looking = false;
		if (open != null) {
			open.close();
		}
		this.worker.shutdown();
		this.looks.shutdown();
		assertThat(this.looks.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
		disk().close();
	}

	@ParameterizedTest
	@EnumSource
	void nothingOwedIsLostWithThePower(Sync mode) throws Exception {
		this.sync = mode;
		this.looking = true;
		open();
		for (this.step = 0; this.step < STEPS && this.failure.get() == null; this.step++) {
			step();
		}
		settle();
		requireSound();
		failAnFsync(".log");
		beginNextProcess(true);
		killProcess();
		failPower();
		requireSound();
		assertThat(this.images).as("power failures that were looked at").hasPositiveValue();
	}

	private void step() throws Exception {
		int die = this.random.nextInt(1000);
		if (die < 800) {
			write();
		}
		else if (die < 930) {
			judgeRead(key());
		}
		else if (die < 940) {
			promise();
		}
		else if (die < 965) {
			flush();
		}
		else if (die < 975) {
			merge();
		}
		else if (die < 983) {
			snapshot();
		}
		else if (die < 989) {
			fillForAWhile();
		}
		else if (die < 993) {
			killProcess();
		}
		else if (die < 996) {
			failPower();
		}
		else {
			failAnFsync();
		}
	}

	private void write() {
		if (this.pending.size() >= MAX_OPEN) {
			settle();
		}
		Key key = key();
		Timestamp stamp = Timestamp.ofMillis(1_800_000_000_000L + ++this.counter);
		byte[] value = new byte[size()];
		this.random.nextBytes(value);
		Entry entry = (this.random.nextInt(5) == 0) ? new Entry.Tombstone(stamp, 1)
				: new Entry.Live(stamp, 1, Entry.NEVER, Value.wrap(value), RandomContentTypes.next(this.random));
		this.oracle.started(key, entry);
		this.pending.add(store().apply(key, entry, Runnable::run).whenComplete((result, _) -> {
			if (result instanceof ApplyResult.Applied) {
				this.oracle.acknowledged(key, entry, this.sync == Sync.ALWAYS);
			}
		}));
	}

	/* Of keys without entries, which would end them. */
	private void promise() {
		Key key = Key.of("promised" + this.random.nextInt(10));
		Timestamp ballot = Timestamp.ofMillis(++this.counter);
		this.pending.add(store().promise(key, ballot, Deadline.none(), Runnable::run).whenComplete((result, _) -> {
			if (result instanceof PromiseResult.Made) {
				this.promised.merge(key, ballot, (one, other) -> one.isAfter(other) ? one : other);
			}
		}));
	}

	private void settle() {
		this.pending.forEach((outcome) -> await(outcome.<@Nullable Object>handle((_, _) -> null)));
		this.pending.clear();
	}

	/** What is flushed is on the disk, whatever the log's mode. */
	private void flush() {
		Map<Key, Timestamp> before = this.oracle.owed(false);
		CompletableFuture<Void> flushed = store().flush().thenRun(() -> this.oracle.durable(before));
		if (this.random.nextBoolean()) {
			await(flushed.<@Nullable Object>handle((_, _) -> null));
		}
	}

	/** Often with too little room for a merge as a whole. */
	private void merge() {
		this.freeBytes.set(this.random.nextBoolean() ? PLENTY : 500_000 + this.random.nextInt(500_000));
		if (this.random.nextBoolean()) {
			this.freeBytes.set(PLENTY);
			await(store().compacted());
		}
	}

	private void snapshot() throws IOException {
		Path backups = live().resolve("backups");
		if (!Files.isDirectory(backups)) {
			io.quorate.storage.file.DirectoryEntries.makeDirectories(backups);
		}
		Path place = backups.resolve(Integer.toString(this.step));
		CompletableFuture<Boolean> made = store().backup(place, List.of(), FileProgress.NONE, this.worker)
			.handle((_, refused) -> refused == null);
		if (await(made)) {
			synchronized (this.snapshots) {
				this.snapshots.add(place.getFileName());
			}
		}
	}

	private void fillForAWhile() throws Exception {
		disk().fill(true);
		for (int i = 0; i < 20; i++) {
			write();
			judgeRead(key());
		}
		disk().fill(false);
	}

	/**
	 * After that the store takes no writes; the next process goes on with what is on the
	 * disk.
	 */
	private void failAnFsync() throws Exception {
		failAnFsync(List.of(".log", ".vlog", "MANIFEST").get(this.random.nextInt(3)));
		if (this.random.nextBoolean()) {
			failPower();
			return;
		}
		beginNextProcess(true);
	}

	private void failAnFsync(String kind) {
		disk().failNextFsync((file) -> file.toString().endsWith(kind));
		for (int i = 0; i < 20; i++) {
			write();
			judgeRead(key());
		}
	}

	/** Right behind a change of names, if one comes soon. */
	private void killProcess() throws Exception {
		this.stepsToKill.set(this.random.nextInt(8));
		for (int i = 0; i < 40 && this.stepsToKill.get() >= 0; i++) {
			write();
			judgeRead(key());
			if (i % 10 == 5) {
				// It may never end: the process is dead by then.
				var _ = store().flush();
			}
		}
		this.stepsToKill.set(-1);
		beginNextProcess(false);
	}

	private void beginNextProcess(boolean onlyDurable) throws Exception {
		disk().killProcess();
		abandon();
		Map<Key, Timestamp> owed = this.oracle.owed(onlyDurable);
		disk().nextProcess();
		open();
		goOn(owed);
	}

	private void failPower() throws Exception {
		disk().killProcess();
		abandon();
		Map<Key, Timestamp> owed = this.oracle.owed(true);
		Image image = disk().afterPowerFailure(this.random.nextBoolean() ? null : this.random);
		disk().nextMachine(image);
		open();
		goOn(owed);
	}

	private void abandon() throws Exception {
		store().close();
		this.store = null;
		settle();
		drainLooks();
	}

	/** What was read once is there from then on. */
	private void goOn(Map<Key, Timestamp> owed) {
		Map<Key, Entry> found = contents(store());
		judge(found, owed, description());
		judgePromises(store(), this.promised, description());
		drainLooks();
		this.oracle.isNow(found);
		lookAtFound();
	}

	/** What the start has found is owed beyond a power failure as soon as it is read. */
	private void lookAtFound() {
		Map<Key, Timestamp> owed = this.oracle.owed(true);
		Map<Key, Timestamp> promises = Map.copyOf(this.promised);
		List<Image> left = List.copyOf(this.found);
		this.looks
			.execute(() -> left.forEach((image) -> look(image, owed, promises, List.of(), "right after a start")));
		drainLooks();
	}

	private void drainLooks() {
		try {
			this.looks.submit(() -> {
			}).get(2, TimeUnit.MINUTES);
		}
		catch (Exception ex) {
			throw new AssertionError(description(), ex);
		}
		requireSound();
	}

	private void judgeRead(Key key) {
		Timestamp owed = this.oracle.owed(false).getOrDefault(key, Timestamp.ZERO);
		CompletableFuture<ReadResult> answer = store().read(key, Runnable::run);
		Entry found = (await(answer) instanceof ReadResult.Found(Entry entry)) ? entry : null;
		assertThat(this.oracle.judge(key, found, owed)).as(() -> "%s, %s".formatted(key, description())).isNull();
	}

	private void changed(Step made) {
		if (made.isOfNames() && this.stepsToKill.get() >= 0 && this.stepsToKill.getAndDecrement() == 0) {
			disk().killProcess();
		}
		if (!this.looking || !isLookedAt(made)) {
			return;
		}
		Map<Key, Timestamp> owed = this.oracle.owed(true);
		Map<Key, Timestamp> promises = Map.copyOf(this.promised);
		List<Path> whole;
		synchronized (this.snapshots) {
			whole = List.copyOf(this.snapshots);
		}
		Image without;
		Image with;
		synchronized (this.dice) {
			without = disk().afterPowerFailure(null);
			with = disk().afterPowerFailure(this.dice);
		}
		this.looks.execute(() -> look(without, owed, promises, whole, "without what was not fsynced, after " + made));
		this.looks.execute(() -> look(with, owed, promises, whole, "with some of what was not fsynced, after " + made));
	}

	private boolean isLookedAt(Step made) {
		synchronized (this.dice) {
			return ENDURANCE || this.dice.nextInt(made.isOfNames() ? 12 : 80) == 0;
		}
	}

	private static void judgePromises(LsmStore opened, Map<Key, Timestamp> owed, String description) {
		owed.forEach((key, ballot) -> {
			Promise found = opened.promiseOf(key);
			assertThat((found != null) ? found.ballot() : Timestamp.ZERO).as(() -> "%s, %s".formatted(key, description))
				.isGreaterThanOrEqualTo(ballot);
		});
	}

	private void look(Image image, Map<Key, Timestamp> owed, Map<Key, Timestamp> promises, List<Path> whole,
			String which) {
		if (this.failure.get() != null) {
			return;
		}
		Path directory = this.root.resolve("image" + this.images.incrementAndGet());
		String description = "%s, %s".formatted(which, description());
		try {
			image.write(directory);
			for (Path snapshot : whole) {
				Restoration.verify(directory.resolve("backups").resolve(snapshot), FileProgress.NONE);
			}
			try (LsmStore opened = StoreOpening.open(properties(directory), PurgePolicy.alone(() -> 0))) {
				judge(contents(opened), owed, description);
				judgePromises(opened, promises, description);
			}
			FileSystemUtils.deleteRecursively(directory);
		}
		catch (Exception | AssertionError wrong) {
			this.failure.compareAndSet(null, new AssertionError(description, wrong));
		}
	}

	private void judge(Map<Key, Entry> found, Map<Key, Timestamp> owed, String description) {
		for (Key key : this.oracle.keys()) {
			String wrong = this.oracle.judge(key, found.get(key), owed.getOrDefault(key, Timestamp.ZERO));
			assertThat(wrong).as(() -> "%s, %s".formatted(key, description)).isNull();
		}
	}

	private void requireSound() {
		Throwable wrong = this.failure.get();
		if (wrong != null) {
			throw new AssertionError(wrong.getMessage(), wrong);
		}
	}

	private static Map<Key, Entry> contents(LsmStore opened) {
		Map<Key, Entry> found = new HashMap<>();
		Key next = Key.wrap(new byte[1]);
		while (next != null) {
			ScanPage page = await(opened.page(next, null, new PageLimit(1000, 1 << 20, 1000), Runnable::run));
			page.records()
				.stream()
				.filter((item) -> item.entry() instanceof Entry.Live)
				.forEach((item) -> found.put(item.key(), item.entry()));
			next = page.next();
		}
		return found;
	}

	private void open() throws IOException {
		StorageProperties properties = properties(live());
		MapDbTableFormat format = new MapDbTableFormat(properties.verifyPages(), new KeyCache(0), new BlockCache(0),
				TableListener.NONE);
		try {
			Recovered recovered = new Recovery(properties, format).run();
			// Before any but the start can have fsynced what it has found.
			this.found = List.of(disk().afterPowerFailure(null), disk().afterPowerFailure(this.random));
			this.store = StoreOpening.open(recovered, properties, PurgePolicy.alone(() -> 0), StoreMetrics.none(),
					() -> DiskSpace.of(live(), 1, () -> new DiskSpace.Reading(PLENTY, this.freeBytes.get())));
		}
		catch (RuntimeException refused) {
			throw new AssertionError("the store does not open, " + description(), refused);
		}
	}

	private StorageProperties properties(Path directory) {
		return new StorageProperties(directory, DataSize.ofMegabytes(16), DataSize.ofKilobytes(4),
				DataSize.ofKilobytes(128), 2, 24, DataSize.ofKilobytes(256), DataSize.ofMegabytes(1),
				DataSize.ofBytes(1), 2, 4096, PageVerification.FIRST_TOUCH, Compression.LZ4, DataSize.ofBytes(0),
				DataSize.ofBytes(0), 1,
				new StorageProperties.Wal(this.sync, Duration.ofMillis(10), Duration.ZERO, DataSize.ofKilobytes(256),
						16_384, Duration.ZERO),
				new StorageProperties.Compaction(1, DataSize.ofMegabytes(64)), StorageProperties.Recovery.STRICT,
				new StorageProperties.Scrub(Duration.ZERO, DataSize.ofGigabytes(1)));
	}

	private Key key() {
		return Key.of("key" + this.random.nextInt(KEYS));
	}

	private int size() {
		int die = this.random.nextInt(100);
		return (die < 90) ? this.random.nextInt(2500) : 4000 + this.random.nextInt(20_000);
	}

	private Path live() {
		return this.root.resolve("store");
	}

	private LsmStore store() {
		LsmStore open = this.store;
		assertThat(open).isNotNull();
		return open;
	}

	private ForgetfulDisk disk() {
		ForgetfulDisk made = this.disk;
		assertThat(made).isNotNull();
		return made;
	}

	private String description() {
		return "seed %d, sync %s, step %d".formatted(this.seed, this.sync, this.step);
	}

}
