package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.Lane;
import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Compression;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.SetAsideData;
import io.quorate.storage.StorageProperties.Sync;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store that is driven through random writes, reads, scans, flushes, restarts and
 * crashes, set aside and merged back, with every answer compared with a
 * {@link StoreOracle}. {@code -Dmodel.seed} repeats a run as far as threads allow,
 * {@code -Dmodel.steps} sets its length.
 */
abstract class StoreModelFixture {

	private static final int STEPS = Integer.getInteger("model.steps", Lane.of(1200, 3500, 3500));

	private static final int MAX_OPEN = 64;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@TempDir
	Path root;

	final AtomicLong nowMillis = new AtomicLong(1_800_000_000_000L);

	final StoreOracle oracle = new StoreOracle();

	final AsideOracle asideOracle = new AsideOracle();

	final List<Key> keys = new ArrayList<>();

	private long seed;

	Random random = new Random(0);

	Sync sync = Sync.ALWAYS;

	Compression compression = Compression.LZ4;

	Path directory = Path.of("");

	boolean isMixed;

	private int incarnation;

	private int counter;

	int step;

	private String lastCrash = "none";

	/*
	 * Also those that the oracle has forgotten, because something newer overtook them:
	 * they arrive all the same.
	 */
	final List<CompletableFuture<ApplyResult>> underWay = new ArrayList<>();

	SettledPurge purge = new SettledPurge(this.nowMillis::get);

	private @Nullable LsmStore store;

	@BeforeEach
	void prepare() {
		this.seed = Long.getLong("model.seed", System.nanoTime());
		this.random = new Random(this.seed);
		for (int i = 0; i < 300; i++) {
			byte[] bytes = new byte[(i % 50 == 0) ? Key.MAX_SIZE_BYTES : 1 + this.random.nextInt(24)];
			this.random.nextBytes(bytes);
			this.keys.add(Key.wrap(bytes));
		}
		this.directory = this.root.resolve("0");
	}

	@AfterEach
	void close() {
		LsmStore open = this.store;
		if (open != null) {
			open.close();
		}
	}

	void play() throws Exception {
		Files.createDirectories(this.directory);
		open();
		for (this.step = 0; this.step < STEPS; this.step++) {
			step();
		}
		quiesce();
		judgeEverything();
		reopen();
		judgeEverything();
	}

	void step() throws Exception {
		int dice = this.random.nextInt(1000);
		if (dice < 614) {
			write(randomKey());
		}
		else if (dice < 634) {
			overtake(randomKey());
		}
		else if (dice < 637) {
			setAside();
		}
		else if (dice < 640) {
			mergeBack();
		}
		else if (dice < 860) {
			judge(randomKey());
		}
		else if (dice < 920) {
			scan();
		}
		else if (dice < 950) {
			writeOlder(randomKey());
		}
		else if (dice < 980) {
			this.nowMillis.addAndGet(this.random.nextInt(3000));
		}
		else if (dice < 988) {
			await(store().flush());
		}
		else if (dice < 990) {
			await(store().compacted());
		}
		else if (dice < 995) {
			crash();
		}
		else if (dice < 999) {
			crashWithTornLog();
		}
		else {
			quiesce();
			reopen();
		}
	}

	void write(Key key) throws Exception {
		if (this.oracle.outcomes().size() >= MAX_OPEN) {
			quiesce();
		}
		Entry entry = RandomEntries.next(this.random, nextTimestamp());
		start(key, entry);
	}

	/**
	 * A value is deleted on its way to its file, so that the log has it behind its
	 * deletion, and often in the next segment. Then the deletion is merged.
	 */
	private void overtake(Key key) throws Exception {
		quiesce();
		byte[] value = new byte[20_000 + this.random.nextInt(20_000)];
		this.random.nextBytes(value);
		start(key, new Entry.Live(nextTimestamp(), 1, Versioned.NEVER, Value.wrap(value), null));
		start(key, new Entry.Tombstone(nextTimestamp(), 1));
		CompletableFuture<Void> flushed = store().flush();
		if (this.random.nextBoolean()) {
			await(flushed);
			write(key);
			await(store().compacted());
		}
	}

	void start(Key key, Entry entry) {
		CompletableFuture<ApplyResult> outcome = this.purge.during(key, () -> store().apply(key, entry, Runnable::run));
		this.underWay.add(outcome);
		this.oracle.started(key, entry, outcome);
	}

	/** What arrives late never replaces what is newer. */
	private void writeOlder(Key key) throws Exception {
		this.oracle.settle();
		Entry held = this.oracle.held(key);
		if (held == null || held.isTombstone() || held.expiryMillis() != Versioned.NEVER) {
			return;
		}
		Entry older = RandomEntries.next(this.random,
				Timestamp.ofMillis(held.timestamp().millis() - 1 - this.random.nextInt(100_000)));
		ApplyResult result = await(store().apply(key, older, Runnable::run));
		assertThat(result).as(this::description).isInstanceOf(ApplyResult.Superseded.class);
		judge(key);
	}

	void judge(Key key) throws Exception {
		this.oracle.settle();
		ReadResult result = await(store().read(key, Runnable::run));
		judge(key, (result instanceof ReadResult.Found(Entry entry)) ? entry : null);
	}

	void judge(Key key, @Nullable Entry found) {
		String wrong = this.oracle.judge(key, found, this.nowMillis.get());
		assertThat(wrong).as(() -> "key %s, %s".formatted(key.hash64(), description())).isNull();
	}

	private void scan() throws Exception {
		Key one = randomKey();
		Key other = randomKey();
		boolean ordered = one.compareTo(other) <= 0;
		Key end = (this.random.nextInt(4) == 0) ? null : ordered ? other : one;
		PageLimit limit = new PageLimit(1 + this.random.nextInt(100), 1 + this.random.nextInt(100_000),
				1 + this.random.nextInt(200));
		scan(new ScanRange((ordered || end == null) ? one : other, end, this.random.nextBoolean()), limit);
	}

	private void scan(ScanRange range, PageLimit limit) throws Exception {
		ScanRange after;
		for (ScanRange rest = range; rest != null; rest = after) {
			this.oracle.settle();
			ScanPage page = await(store().page(rest, limit, Deadline.none(), Runnable::run));
			after = (page.next() != null) ? rest.restFrom(page.next()) : null;
			assertThat(page.records().size()).as(this::description).isLessThanOrEqualTo(limit.records());
			assertThat(after).as(() -> "progress, " + description()).isNotEqualTo(rest);
			judgePage(page, rest, after);
		}
	}

	private void judgePage(ScanPage page, ScanRange range, @Nullable ScanRange after) {
		Set<Key> passed = new HashSet<>(this.oracle.keysOf(range));
		passed.removeAll((after != null) ? this.oracle.keysOf(after) : Set.of());
		assertThat(page.records()).as(this::description)
			.extracting(ScanPage.Item::key)
			.doesNotHaveDuplicates()
			.isSortedAccordingTo(range.order())
			.isSubsetOf(passed);
		page.records().forEach((item) -> {
			judge(item.key(), item.entry());
			passed.remove(item.key());
		});
		passed.forEach((key) -> judge(key, null));
	}

	/** Sometimes the process is killed meanwhile: then all is aside, or nothing. */
	void setAside() throws Exception {
		quiesce();
		long before = asideEntries();
		CompletableFuture<SetAsideData> aside = store().setAside();
		if (this.random.nextBoolean()) {
			await(aside);
			this.asideOracle.add(this.oracle.take());
			judgeEverything();
			return;
		}
		for (int i = this.random.nextInt(200); i > 0; i--) {
			Thread.onSpinWait();
		}
		restartFrom(image("set aside"), () -> {
			if (asideEntries() > before) {
				this.asideOracle.add(this.oracle.take());
			}
		});
	}

	private long asideEntries() {
		return store().aside().map(SetAsideData::entries).orElse(0L);
	}

	/**
	 * Takes over what is not known better meanwhile, and discards the rest. Sometimes the
	 * process is killed meanwhile: then it is discarded, or aside as before.
	 */
	private void mergeBack() throws Exception {
		SetAsideData setAsideData = store().aside().orElse(null);
		if (setAsideData == null) {
			return;
		}
		for (ScanPage.Item item : itemsOf(setAsideData)) {
			if (!this.oracle.keys().contains(item.key())) {
				quiesce();
				start(item.key(), item.entry());
			}
		}
		quiesce();
		for (Key key : this.oracle.keys()) {
			judge(key);
		}
		CompletableFuture<Void> discarded = setAsideData.discard();
		if (this.random.nextBoolean()) {
			await(discarded);
			this.asideOracle.clear();
			judgeEverything();
			return;
		}
		restartFrom(image("discard"), () -> {
			if (store().aside().isEmpty()) {
				this.asideOracle.clear();
			}
		});
	}

	private List<ScanPage.Item> itemsOf(SetAsideData setAsideData) throws Exception {
		List<ScanPage.Item> items = new ArrayList<>();
		Key from = Key.wrap(new byte[1]);
		while (from != null) {
			PageLimit limit = new PageLimit(1 + this.random.nextInt(200), 1 + this.random.nextInt(1 << 20), 1000);
			ScanPage page = await(setAsideData.page(from, null, limit, Runnable::run));
			items.addAll(page.records());
			from = page.next();
		}
		return items;
	}

	private void judgeAside() throws Exception {
		SetAsideData setAsideData = store().aside().orElse(null);
		Map<Key, Entry> found = new HashMap<>();
		if (setAsideData != null) {
			itemsOf(setAsideData).forEach((item) -> found.put(item.key(), item.entry()));
		}
		Set<Key> all = new HashSet<>(found.keySet());
		all.addAll(this.asideOracle.keys());
		for (Key key : all) {
			String wrong = this.asideOracle.judge(key, found.get(key), this.nowMillis.get());
			assertThat(wrong).as(() -> "key %s, %s".formatted(key.hash64(), description())).isNull();
		}
	}

	void judgeEverything() throws Exception {
		judgeAside();
		for (Key key : this.keys) {
			judge(key);
		}
		scan(new ScanRange(Key.wrap(new byte[1]), null, this.random.nextBoolean()), new PageLimit(100, 1 << 20, 1000));
	}

	/** The process is killed while writes are in flight. */
	private void crash() throws Exception {
		this.oracle.settle();
		restartFrom(image("crash"), () -> {
		});
	}

	Path image(String during) throws IOException {
		Path image = nextDirectory();
		CrashImage.take(this.directory, image);
		this.lastCrash = "%s at step %d".formatted(during, this.step);
		return image;
	}

	/**
	 * Beyond that, the end of the log is lost, and all that was not acknowledged before.
	 */
	private void crashWithTornLog() throws Exception {
		quiesce();
		CrashImage.Tail acknowledged = CrashImage.tailOf(this.directory);
		for (int i = this.random.nextInt(30); i > 0; i--) {
			write(randomKey());
		}
		Path image = image("crash");
		this.lastCrash += ", " + CrashImage.tear(image, acknowledged, this.random);
		restartFrom(image, () -> {
		});
	}

	void restartFrom(Path image, Finding finding) throws Exception {
		this.oracle.freeze();
		store().close();
		this.underWay.clear();
		CrashImage.deleteTree(this.directory);
		this.directory = image;
		open();
		finding.look();
		judgeEverything();
		this.oracle.adopt(this.nowMillis.get());
	}

	private void reopen() {
		store().close();
		open();
	}

	/** Tables of all kinds stand side by side after a while. */
	private void open() {
		if (this.isMixed) {
			this.compression = anyCompression();
		}
		this.purge = new SettledPurge(this.nowMillis::get);
		try {
			this.store = StoreOpening.open(TestStores.random(this.directory, this.sync, this.compression, this.random),
					this.purge);
		}
		catch (RuntimeException ex) {
			throw new AssertionError("the store does not open, " + description(), ex);
		}
	}

	LsmStore store() {
		return Objects.requireNonNull(this.store);
	}

	void quiesce() throws Exception {
		for (CompletableFuture<ApplyResult> outcome : this.underWay) {
			await(outcome.handle((_, _) -> true));
		}
		this.underWay.clear();
		this.oracle.settle();
	}

	<T> T await(CompletableFuture<T> future) throws ExecutionException, InterruptedException {
		try {
			return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			throw new AssertionError("no answer within " + PATIENCE + ", " + description(), ex);
		}
	}

	Path nextDirectory() {
		return this.root.resolve(Integer.toString(++this.incarnation));
	}

	Key randomKey() {
		return this.keys.get(this.random.nextInt(this.keys.size()));
	}

	private Compression anyCompression() {
		List<Compression> all = List.of(Compression.values());
		return all.get(this.random.nextInt(all.size()));
	}

	Timestamp nextTimestamp() {
		long now = this.nowMillis.addAndGet(this.random.nextInt(3));
		return new Timestamp(Timestamp.hybridOfMillis(now) + (++this.counter & 0xffff), 1);
	}

	String description() {
		return "seed %d, sync %s, compression %s, step %d, last %s".formatted(this.seed, this.sync, this.compression,
				this.step, this.lastCrash);
	}

	/** Sees what has become of what was under way. */
	@FunctionalInterface
	interface Finding {

		void look() throws Exception;

	}

}
