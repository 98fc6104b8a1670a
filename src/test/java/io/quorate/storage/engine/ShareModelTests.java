package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Partitions;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.FileProgress;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ShareChange;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The answers of a store are those of its model while partitions are gained and lost at
 * any time: nothing of a lost partition is found, and of a gained one what arrives later,
 * even with an older timestamp.
 */
class ShareModelTests extends StoreModelFixture {

	private final Set<Integer> lost = new HashSet<>();

	private long version;

	private @Nullable ShareChange lastChange;

	@ParameterizedTest
	@EnumSource
	void theStoreFindsWhatCountsWhileItsPartitionsMove(Sync mode) throws Exception {
		this.sync = mode;
		play();
		await(store().flush());
		await(store().compacted());
		assertThat(store().status().tables().cleanupBytes()).as(this::description).isZero();
	}

	@Override
	void step() throws Exception {
		int dice = this.random.nextInt(1000);
		if (dice < 12) {
			assign();
		}
		else if (dice < 15) {
			repeat();
		}
		else if (dice < 17) {
			await(store().compacted());
			assertThat(store().status().tables().cleanupBytes()).as(this::description).isZero();
		}
		else if (dice < 20) {
			judgeBackup();
		}
		else {
			super.step();
		}
	}

	@Override
	void start(Key key, Entry entry) {
		if (!isLost(key)) {
			super.start(key, entry);
			return;
		}
		// Taken, and not to be found.
		this.underWay.add(this.purge.during(key, () -> store().apply(key, entry, Runnable::run)));
	}

	private boolean isLost(Key key) {
		return this.lost.contains(Partitions.of(key));
	}

	private ShareChange nextChange() {
		Set<Integer> gained = new TreeSet<>();
		Set<Integer> given = new TreeSet<>();
		int share = 2 + this.random.nextInt(8);
		for (Key key : this.keys) {
			int partition = Partitions.of(key);
			if (!gained.contains(partition) && !given.contains(partition) && this.random.nextInt(share) == 0) {
				boolean isGain = isLost(key) ? this.random.nextInt(4) > 0 : this.random.nextInt(3) == 0;
				(isGain ? gained : given).add(partition);
			}
		}
		this.version += 1 + this.random.nextInt(2);
		return new ShareChange(this.version, gained, given);
	}

	/**
	 * Sometimes the process is killed meanwhile: then the floors are those of before or
	 * those of after, and the caller calls again.
	 */
	private void assign() throws Exception {
		if (this.random.nextBoolean()) {
			quiesce();
		}
		ShareChange change = nextChange();
		for (int i = this.random.nextInt(10); i > 0; i--) {
			start(randomKey(), entry(nextTimestamp()));
		}
		CompletableFuture<Void> assigned = store().assign(change);
		for (int i = this.random.nextInt(20); i > 0; i--) {
			Key key = randomKey();
			// An arrival of a lost partition is hidden, whenever it comes.
			if (!change.gained().contains(Partitions.of(key))) {
				start(key, entry(nextTimestamp()));
			}
		}
		if (this.random.nextInt(3) > 0) {
			await(assigned);
			assertThat(store().assignedVersion()).isEqualTo(change.version());
			moved(change);
		}
		else {
			for (int i = this.random.nextInt(3000); i > 0; i--) {
				Thread.onSpinWait();
			}
			restartFrom(image("assignment"), () -> {
				if (store().assignedVersion() == change.version()) {
					moved(change);
				}
			});
			if (store().assignedVersion() < change.version()) {
				await(store().assign(change));
				moved(change);
			}
		}
		if (this.random.nextBoolean()) {
			judgeEverything();
		}
		copy(change);
	}

	private static boolean isIn(ShareChange change, Key key) {
		int partition = Partitions.of(key);
		return change.gained().contains(partition) || change.lost().contains(partition);
	}

	private void moved(ShareChange change) {
		this.lost.addAll(change.lost());
		this.lost.removeAll(change.gained());
		this.oracle.forget((key) -> isIn(change, key));
		this.asideOracle.forget((key) -> isIn(change, key));
		this.lastChange = change;
	}

	/** A call for a version that is assigned hides nothing that was copied since. */
	private void repeat() throws Exception {
		ShareChange change = this.lastChange;
		if (change != null) {
			await(store().assign(change));
			judgeEverything();
		}
	}

	/** What is copied may be older than what was there before. */
	private void copy(ShareChange change) throws Exception {
		quiesce();
		for (Key key : new TreeSet<>(this.keys)) {
			if (change.gained().contains(Partitions.of(key)) && this.random.nextInt(3) > 0) {
				Entry older = entry(Timestamp.ofMillis(nextTimestamp().millis() - this.random.nextInt(200_000)));
				start(key, older);
				ApplyResult result = await(this.underWay.getLast());
				assertThat(result instanceof ApplyResult.Superseded by && by.isCertain()).as(this::description)
					.isFalse();
				quiesce();
			}
		}
	}

	private Entry entry(Timestamp timestamp) {
		if (this.random.nextInt(6) > 0) {
			return RandomEntries.next(this.random, timestamp);
		}
		byte[] value = new byte[17_000 + this.random.nextInt(100_000)];
		this.random.nextBytes(value);
		return new Entry.Live(timestamp, 1, Versioned.NEVER, Value.wrap(value), null);
	}

	/** A store that is made of a backup answers as the one of which it was made. */
	private void judgeBackup() throws Exception {
		if (store().aside().isPresent()) {
			return;
		}
		quiesce();
		Path backup = nextDirectory();
		await(store().backup(backup, List.of(), FileProgress.NONE, ForkJoinPool.commonPool()));
		Path restored = nextDirectory();
		copyTree(backup, restored);
		StorageProperties properties = TestStores.properties(restored, this.sync);
		try (LsmStore copy = StoreOpening.open(properties, this.purge)) {
			for (Key key : this.keys) {
				ReadResult result = await(copy.read(key, Runnable::run));
				judge(key, (result instanceof ReadResult.Found(Entry entry)) ? entry : null);
			}
			assertThat(copy.assignedVersion()).isEqualTo(store().assignedVersion());
		}
		CrashImage.deleteTree(backup);
		CrashImage.deleteTree(restored);
	}

	private static void copyTree(Path from, Path to) throws IOException {
		try (Stream<Path> files = Files.walk(from)) {
			for (Path file : files.toList()) {
				Files.copy(file, to.resolve(from.relativize(file)));
			}
		}
	}

}
