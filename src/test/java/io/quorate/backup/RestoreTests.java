package io.quorate.backup;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Partitions;
import io.quorate.entry.Value;
import io.quorate.membership.agreement.RecordedLayout;
import io.quorate.membership.agreement.RecordedLayouts;
import io.quorate.storage.FileProgress;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ShareChange;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.directory.StoreDirectory;
import io.quorate.storage.engine.LsmStore;
import io.quorate.storage.engine.StoreOpening;
import io.quorate.storage.restore.Restoration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RestoreTests {

	/* n0 gains a partition with version 3, and loses one with version 4. */
	private static final ShareChange GAIN = new ShareChange(3, Set.of(1), Set.of());

	private static final ShareChange LOSS = new ShareChange(4, Set.of(), Set.of(2));

	private final ByteArrayOutputStream said = new ByteArrayOutputStream();

	@TempDir
	private Path home;

	/* Of a node that has adopted versions of the layout. */
	private Path backup(ShareChange... adopted) throws Exception {
		return backup("n0", (_) -> {
		}, adopted);
	}

	/* Its file of layouts is written as the backup begins. */
	private Path backupWithLayouts(String node, int last, ShareChange... adopted) throws Exception {
		return backup(node, (data) -> RecordedLayouts.write(data, node, last), adopted);
	}

	private Path backup(String node, Preparation preparation, ShareChange... adopted) throws Exception {
		Path snapshot = this.home.resolve("snapshot");
		Path data = this.home.resolve("store");
		try (StoreDirectory _ = StoreDirectory.open(data, StoreOwner.alone(node, "test"), TimeSource.SYSTEM,
				FutureStamps.KEPT); LsmStore store = store(data)) {
			for (ShareChange change : adopted) {
				store.assign(change).get(1, TimeUnit.MINUTES);
			}
			preparation.prepare(data);
			store.backup(snapshot, Backups.BESIDE, FileProgress.NONE, Runnable::run).get(1, TimeUnit.MINUTES);
		}
		return snapshot;
	}

	private static LsmStore store(Path data) {
		return StoreOpening
			.open(new Binder(new MapConfigurationPropertySource(Map.of("quorate.storage.directory", data.toString())))
				.bindOrCreate("quorate.storage", StorageProperties.class), PurgePolicy.nothing());
	}

	private Path restored(Path snapshot) throws Exception {
		return restored(snapshot, true);
	}

	private Path restored(Path snapshot, boolean isWholeCluster) throws Exception {
		Path directory = this.home.resolve("data");
		Restore.install(snapshot, new Restore.Target(directory, isWholeCluster, true), FileProgress.NONE,
				new PrintStream(this.said, true, StandardCharsets.UTF_8));
		return directory;
	}

	private String said() {
		return this.said.toString(StandardCharsets.UTF_8);
	}

	private static List<Long> versions(Path directory) throws Exception {
		return Objects.requireNonNull(RecordedLayout.read(directory))
			.versions()
			.stream()
			.map((its) -> its.layout().version())
			.toList();
	}

	/*
	 * By the first layout the node would hide what it had lost, and what it acknowledges.
	 */
	@Test
	void aBackupWithoutALayoutIsRefusedForAClusterWhoseKeysHaveMoved() throws Exception {
		Path snapshot = backup(new ShareChange(3, Set.of(1), Set.of(2)));
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> restored(snapshot))
			.withMessageContaining("members or replication factor have changed")
			.withMessageContaining("has no layout");
		assertThat(this.home.resolve("data")).doesNotExist();
	}

	/* As one whose member has another directory: version 3 begins anew, too. */
	@Test
	void anOlderBackupWhoseKeysHaveNotMovedBeginsWithTheFirstLayout() throws Exception {
		Path directory = restored(backup(new ShareChange(3, Set.of(), Set.of())));
		assertThat(directory.resolve("NODE")).exists();
		assertThat(directory.resolve("SHARES")).doesNotExist();
		assertThat(directory.resolve("LAYOUT")).doesNotExist();
		assertThat(said()).contains("Layout: the first one, of the configuration");
	}

	@Test
	void aNodeOfAWholeClusterBeginsWithTheLayoutOfItsBackup() throws Exception {
		Path directory = restored(backupWithLayouts("n0", RecordedLayouts.AFTER, GAIN, LOSS));
		assertThat(versions(directory)).containsExactly(2L, 3L, 4L);
		assertThat(Restoration.floors(directory)).isEqualTo(new Restoration.Floored(4, true));
		assertThat(said()).contains("Layout: version 4 (", "[n0, n1, n2, n3], 3 copies",
				"Incarnation 1 of the cluster");
		assertThat(isRestored(directory)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "data/n1", "data/cluster/n1" })
	void aDirectoryThatHoldsAnotherNodesIsLeftAsItIs(String inside) throws Exception {
		Path snapshot = backup();
		Path other = this.home.resolve(inside);
		try (StoreDirectory _ = StoreDirectory.open(other, StoreOwner.alone("n1", "test"), TimeSource.SYSTEM,
				FutureStamps.KEPT)) {
			assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> restored(snapshot))
				.withMessageContaining("n1 is the data directory of another node");
			assertThat(other.resolve("NODE")).exists();
			assertThat(this.home.resolve("data/replaced")).doesNotExist();
		}
	}

	private static boolean isRestored(Path directory) {
		try (StoreDirectory opened = StoreDirectory.open(directory, StoreOwner.alone("n0", "test"), TimeSource.SYSTEM,
				FutureStamps.KEPT)) {
			return opened.isRestored();
		}
	}

	/*
	 * The file was read after the tables: by then the node had adopted a layout that the
	 * tables have not seen.
	 */
	@Test
	void theLayoutIsThatOfTheTables() throws Exception {
		Path directory = restored(backupWithLayouts("n0", RecordedLayouts.AFTER, GAIN));
		assertThat(versions(directory)).containsExactly(2L, 3L);
		assertThat(said()).contains("Layout: version 3 (");
	}

	/* Members that were started empty may have activated the first layout meanwhile. */
	@Test
	void aClusterThatHasNeverChangedBeginsWithTheFirstLayout() throws Exception {
		Path directory = restored(backupWithLayouts("n0", RecordedLayouts.BEFORE));
		assertThat(directory.resolve("LAYOUT")).doesNotExist();
		assertThat(said()).contains("Layout: the first one, of the configuration");
		assertThat(isRestored(directory)).isTrue();
	}

	/* Its configuration names lost members, of whom it would wait for a majority. */
	@Test
	void aMemberThatWasLeftAloneBeginsWithTheRecoveredLayout() throws Exception {
		Path directory = restored(backup("n0", RecordedLayouts::writeRecovered,
				new ShareChange(RecordedLayouts.RECOVERED, Set.of(), Set.of())));
		assertThat(versions(directory)).containsExactly(RecordedLayouts.RECOVERED);
		assertThat(said()).contains("[n0], 1 copies");
	}

	@Test
	void aNodeThatWasNoMemberIsRefusedForAWholeCluster() throws Exception {
		Path snapshot = backupWithLayouts("n3", RecordedLayouts.AFTER);
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> restored(snapshot))
			.withMessageContaining("n3 was no member of the cluster")
			.withMessageContaining("start it with an empty directory");
		assertThat(this.home.resolve("data")).doesNotExist();
	}

	/* Its peers show it the layout, and what it holds by that it has to take. */
	@Test
	void oneNodeBeginsWithTheFirstLayoutAndTakesAllKeys() throws Exception {
		Path directory = restored(backupWithLayouts("n0", RecordedLayouts.AFTER, GAIN, LOSS), false);
		assertThat(directory.resolve("LAYOUT")).doesNotExist();
		assertThat(isRestored(directory)).isFalse();
		assertThat(said()).contains("it will be rebuilt from them");
		try (LsmStore store = store(directory)) {
			Key lost = keyOf(2);
			Entry entry = new Entry.Live(Timestamp.ofMillis(5), 3, Entry.NEVER, Value.EMPTY);
			store.apply(lost, entry, Runnable::run).get(1, TimeUnit.MINUTES);
			assertThat(store.read(lost, Runnable::run).get(1, TimeUnit.MINUTES)).isEqualTo(new ReadResult.Found(entry));
		}
	}

	private static Key keyOf(int partition) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> Key.of("k" + i))
			.filter((key) -> Partitions.of(key.hash64()) == partition)
			.findFirst()
			.orElseThrow();
	}

	/* The backup of a node that was itself restored with all others. */
	@Test
	void oneNodeIsNotTakenForOneOfARestoredCluster() throws Exception {
		Path directory = restored(backupWithLayouts("n0", RecordedLayouts.AFTER, GAIN, LOSS));
		Path again = this.home.resolve("again");
		try (StoreDirectory _ = StoreDirectory.open(directory, StoreOwner.alone("n0", "test"), TimeSource.SYSTEM,
				FutureStamps.KEPT); LsmStore store = store(directory)) {
			store.backup(again, Backups.BESIDE, FileProgress.NONE, Runnable::run).get(1, TimeUnit.MINUTES);
		}
		assertThat(isRestored(restored(again, false))).isFalse();
	}

	@Test
	void aBackupIsVerifiedWithItsLayout() throws Exception {
		Path snapshot = backupWithLayouts("n0", RecordedLayouts.JOINT, GAIN);
		Restore.verify(snapshot, FileProgress.NONE, new PrintStream(this.said, true, StandardCharsets.UTF_8));
		assertThat(said()).contains("is whole", "Layout: version 3 (", "-> [n0, n1, n2, n3]");
		assertThat(Backup.read(snapshot).layout())
			.hasToString(Objects.requireNonNull(RecordedLayout.read(this.home.resolve("store"))).toString());
	}

	@FunctionalInterface
	private interface Preparation {

		void prepare(Path data) throws Exception;

	}

}
