package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.RandomContentTypes;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.file.FaultyDisk.Fault;
import io.quorate.storage.file.FaultyDisk;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store on a disk that is full now and then, and breaks: whatever was acknowledged is
 * read meanwhile and afterwards; a full disk heals by itself, a broken one with a
 * restart. {@code -Dmodel.seed} repeats a run as far as threads allow,
 * {@code -Dmodel.steps} sets its length.
 */
class FaultyDiskModelTests {

	private static final int STEPS = Integer.getInteger("model.steps", 1500);

	private static final int MAX_OPEN = 32;

	@TempDir
	private Path root;

	private final StoreOracle oracle = new StoreOracle();

	private final long seed = Long.getLong("model.seed", System.nanoTime());

	private final Random random = new Random(this.seed);

	private final List<Key> keys = new ArrayList<>();

	private Sync sync = Sync.ALWAYS;

	private int counter;

	private int step;

	private int refused;

	private int restarts;

	private boolean full;

	private @Nullable FaultyDisk disk;

	private @Nullable LsmStore store;

	@BeforeEach
	void prepare() {
		for (int i = 0; i < 200; i++) {
			this.keys.add(Key.of("key" + i));
		}
		this.disk = new FaultyDisk(this.root, this.seed);
	}

	@AfterEach
	void close() {
		LsmStore open = this.store;
		disk().close();
		if (open != null) {
			open.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void nothingAcknowledgedIsLostOnADiskThatFailsNowAndThen(Sync mode) throws Exception {
		this.sync = mode;
		open();
		for (this.step = 0; this.step < STEPS; this.step++) {
			step();
		}
		heal();
		quiesce();
		judgeEverything();
		restart();
		assertThat(disk().failures()).as("the disk has failed").isPositive();
	}

	private void step() throws Exception {
		int dice = this.random.nextInt(1000);
		if (dice < 700) {
			var _ = write();
		}
		else if (dice < 960) {
			judge(randomKey());
		}
		else if (dice < 970) {
			flush();
		}
		else if (dice < 985) {
			fill();
		}
		else if (dice < 998) {
			healAndExpectWrites();
		}
		else {
			breakAndRestart();
		}
	}

	/** On a disk that is full it takes until it is not any more. */
	private void flush() {
		CompletableFuture<@Nullable Object> done = store().flush().handle((_, _) -> null);
		if (!this.full) {
			await(done);
		}
	}

	private void fill() {
		this.full = true;
		disk().failForces((file) -> !file.toString().endsWith(".log"));
		disk().set(Fault.FULL, this.random.nextDouble());
	}

	private void healAndExpectWrites() throws Exception {
		heal();
		assertThat(store().failure()).as(this::description).isNull();
		Awaitility.await(description()).pollInSameThread().until(() -> isTaken(write()));
	}

	private void heal() {
		disk().set(Fault.NONE, 0);
		this.full = false;
	}

	/** What a full disk has left behind, a broken one meets sometimes. */
	private void breakAndRestart() throws Exception {
		this.full = false;
		disk().set(Fault.BROKEN, 0.01 + this.random.nextDouble());
		for (int i = this.random.nextInt(100); i > 0; i--) {
			var _ = write();
			judge(randomKey());
		}
		restart();
	}

	private void restart() throws Exception {
		quiesce();
		store().close();
		heal();
		this.oracle.freeze();
		open();
		judgeEverything();
		this.oracle.adopt(0);
		this.restarts++;
	}

	private CompletableFuture<ApplyResult> write() throws Exception {
		if (this.oracle.outcomes().stream().filter((outcome) -> !outcome.isDone()).count() >= MAX_OPEN) {
			quiesce();
		}
		Key key = randomKey();
		byte[] value = new byte[randomSize()];
		this.random.nextBytes(value);
		Timestamp stamp = Timestamp.ofMillis(1_800_000_000_000L + ++this.counter);
		Entry entry = (this.random.nextInt(8) == 0) ? new Entry.Tombstone(stamp, 1)
				: new Entry.Live(stamp, 1, Entry.NEVER, Value.wrap(value), RandomContentTypes.next(this.random));
		CompletableFuture<ApplyResult> answer = store().apply(key, entry, Runnable::run);
		this.pending.add(answer);
		// Of what has failed it is not known whether it is held.
		this.oracle.started(key, entry, answer.exceptionallyCompose((failure) -> {
			Throwable cause = (failure instanceof CompletionException wrapped) ? wrapped.getCause() : failure;
			return (cause instanceof StorageFailedException) ? new CompletableFuture<>()
					: CompletableFuture.failedFuture(cause);
		}));
		return answer;
	}

	private final List<CompletableFuture<ApplyResult>> pending = new ArrayList<>();

	private boolean isTaken(CompletableFuture<ApplyResult> answer) {
		try {
			await(answer);
			return true;
		}
		catch (StorageFailedException failed) {
			throw new AssertionError(description(), failed);
		}
		catch (StorageException overloaded) {
			this.refused += (overloaded instanceof DiskFullException) ? 1 : 0;
			return false;
		}
	}

	private void quiesce() {
		for (CompletableFuture<ApplyResult> answer : this.pending) {
			await(answer.<@Nullable Object>handle((_, _) -> null));
		}
		this.pending.clear();
		this.oracle.settle();
	}

	private void judge(Key key) {
		this.oracle.settle();
		ReadResult result = await(store().read(key, Runnable::run));
		String wrong = this.oracle.judge(key, (result instanceof ReadResult.Found(Entry entry)) ? entry : null, 0);
		assertThat(wrong).as(() -> "key %s, %s".formatted(key, description())).isNull();
	}

	private void judgeEverything() {
		for (Key key : List.copyOf(this.oracle.keys())) {
			judge(key);
		}
	}

	private void open() throws IOException {
		Path directory = this.root.resolve("store");
		Files.createDirectories(directory);
		try {
			this.store = StoreOpening.open(TestStores.properties(directory, this.sync), PurgePolicy.alone(() -> 0));
		}
		catch (RuntimeException ex) {
			throw new AssertionError("the store does not open, " + description(), ex);
		}
	}

	private LsmStore store() {
		LsmStore open = this.store;
		assertThat(open).isNotNull();
		return open;
	}

	private FaultyDisk disk() {
		FaultyDisk made = this.disk;
		assertThat(made).isNotNull();
		return made;
	}

	private Key randomKey() {
		return this.keys.get(this.random.nextInt(this.keys.size()));
	}

	private int randomSize() {
		int dice = this.random.nextInt(100);
		return (dice < 70) ? this.random.nextInt(4000)
				: (dice < 95) ? this.random.nextInt(40_000) : this.random.nextInt(300_000);
	}

	private String description() {
		return "seed %d, sync %s, step %d, %d restarts, %d refused".formatted(this.seed, this.sync, this.step,
				this.restarts, this.refused);
	}

}
