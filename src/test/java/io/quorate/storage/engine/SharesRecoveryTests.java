package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult.Applied;
import io.quorate.storage.FileProgress;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.ForgetfulDisk;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.floor.SharesFile;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.memtable.Memtable;
import org.junit.jupiter.api.Test;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The entries that count after the end of a process in which partitions have moved. */
class SharesRecoveryTests extends SharesFixture {

	@Test
	void aReplayLeavesOutHiddenEntries() throws IOException {
		put(MOVED, 10, 30_000);
		put(KEPT, 10);
		Path image = image();
		SharesFile.write(image, Floors.NONE.after(gain(2), 1, 1));
		try (Recovered recovered = recovered(image)) {
			List<Memtable> replayed = recovered.files().views().peek().memtables();
			assertThat(replayed.stream().mapToInt(Memtable::keys).sum()).isOne();
			assertThat(replayed).allMatch((memtable) -> memtable.get(MOVED) == null)
				.anyMatch((memtable) -> !memtable.valueFiles().isEmpty(), "has its value as long as the segment");
			assertThat(recovered.log().nextSequence()).isEqualTo(3);
		}
	}

	@Test
	void tablesOfBeforeAreToBeCleaned() throws IOException {
		put(MOVED, 10);
		await(this.store.flush());
		Path image = image();
		SharesFile.write(image, Floors.NONE.after(gain(2), 1, 7));
		try (Recovered recovered = recovered(image)) {
			assertThat(StoreState.cleanupBytes(recovered.files().views().peek())).isPositive();
			assertThat(recovered.files().tables().next()).isEqualTo(7);
		}
	}

	@Test
	void aBackupBringsNothingBack() throws IOException {
		put(MOVED, 10);
		await(this.store.flush());
		await(this.store.assign(gain(2)));
		Entry copied = put(MOVED, 5);
		Path backup = this.root.resolve("backup");
		await(this.store.backup(backup, List.of(), FileProgress.NONE, Runnable::run));
		this.store.close();
		this.store = open(backup);
		requireFound(MOVED, copied);
		assertThat(this.store.assignedVersion()).isEqualTo(2);
	}

	@Test
	void arrivalsAreAboveEachFloorThoughTheLogIsLost() throws IOException {
		for (int i = 0; i < 10; i++) {
			put(MOVED, 10 + i);
		}
		await(this.store.assign(gain(2)));
		this.store.close();
		Path emptied = Files.createDirectory(this.root.resolve("emptied"));
		Files.copy(this.directory.resolve(SharesFile.FILE_NAME), emptied.resolve(SharesFile.FILE_NAME));
		this.store = open(emptied);
		Entry copied = put(MOVED, 5);
		requireFound(MOVED, copied);
		await(this.store.flush());
		requireFound(MOVED, copied);
	}

	@Test
	void damagedFloorsRefuseTheStart() throws IOException {
		put(MOVED, 10);
		await(this.store.assign(gain(2)));
		this.store.close();
		Path file = this.directory.resolve(SharesFile.FILE_NAME);
		byte[] whole = Files.readAllBytes(file);
		byte[] damaged = whole.clone();
		damaged[100]++;
		Files.write(file, damaged);
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> open(this.directory))
			.withMessageContaining(file + " is damaged")
			.withMessageContaining("other replicas fill");
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> StoreOpening.open(TestStores.salvaging(this.directory), PurgePolicy.nothing()));
		Files.write(file, whole);
		this.store = open(this.directory);
		requireFound(MOVED, null);
	}

	@Test
	void aSalvageBringsNothingBack() throws IOException {
		put(MOVED, 10);
		Entry kept = put(KEPT, 10);
		put(Key.of("large"), 10, 30_000);
		this.store.close();
		try (Stream<Path> values = Files.list(this.directory.resolve("values"))) {
			for (Path file : values.toList()) {
				Files.delete(file);
			}
		}
		SharesFile.write(this.directory, Floors.NONE.after(loss(2), 0, 2));
		this.store = StoreOpening.open(TestStores.salvaging(this.directory), PurgePolicy.nothing());
		assertThat(Manifest.read(this.directory).tables().keySet()).as("the table is written anew").doesNotContain(1L);
		requireFound(MOVED, null);
		requireFound(KEPT, kept);
	}

	@Test
	void floorsHideEntriesWhoseFlushHasFailed() throws IOException {
		this.store.close();
		try (ForgetfulDisk disk = new ForgetfulDisk(this.directory, (_) -> {
		})) {
			this.store = open(this.directory);
			put(MOVED, 10);
			Entry kept = put(KEPT, 10);
			disk.failNextFsync((path) -> path.toString().contains(".sst"));
			await(this.store.assign(gain(2)));
			assertThat(this.store.status().waitingMemtables()).as("the flush is tried again in a second").isOne();
			requireFound(MOVED, null);
			requireFound(KEPT, kept);
			assertThat(await(this.store.apply(MOVED, entry(5, 10), Runnable::run))).isInstanceOf(Applied.class);
			requireFound(MOVED, entry(5, 10));
			await(this.store.flush());
			requireFound(MOVED, entry(5, 10));
			requireFound(KEPT, kept);
			assertThat(this.store.status().waitingMemtables()).isZero();
			this.store.close();
			this.store = open(this.directory);
			requireFound(MOVED, entry(5, 10));
		}
	}

	@Test
	void theStoreFlushesNothingWhileItsFloorsAreInDoubt() throws IOException {
		this.store.close();
		try (ForgetfulDisk disk = new ForgetfulDisk(this.directory, (_) -> {
		})) {
			this.store = open(this.directory);
			Entry before = put(MOVED, 10);
			disk.failNextFsync((path) -> path.endsWith(this.directory.getFileName()));
			assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> await(this.store.assign(gain(2))))
				.withMessageContaining("SHARES in ");
			assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> await(this.store.flush()));
			assertThat(found(this.store, MOVED)).isEqualTo(before);
			this.store.close();
			this.store = open(this.directory);
			requireFound(MOVED, (this.store.assignedVersion() == 2) ? null : before);
		}
	}

	/* At each change of the disk, with each choice of what was not fsynced. */
	@Test
	void aPowerFailureLeavesTheSharesBeforeOrAfter() throws IOException {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		this.store.close();
		List<Path> images = new ArrayList<>();
		List<ForgetfulDisk> opened = new ArrayList<>();
		try (ForgetfulDisk disk = new ForgetfulDisk(this.directory, (_) -> {
			if (!opened.isEmpty()) {
				images.add(image(opened.getFirst(), random));
			}
		})) {
			this.store = open(this.directory);
			put(MOVED, 10);
			put(KEPT, 10);
			opened.add(disk);
			await(this.store.assign(gain(2)));
			Entry copied = put(MOVED, 5);
			opened.clear();
			Path last = image(disk, random);
			this.store.close();
			this.store = open(last);
			requireFound(MOVED, copied);
		}
		assertThat(images).hasSizeGreaterThan(3);
		for (Path image : images) {
			try (LsmStore after = open(image)) {
				Entry found = found(after, MOVED);
				boolean isAfter = after.assignedVersion() == 2;
				assertThat(found).as("seed %d, %s", seed, image)
					.isIn(isAfter ? new Entry[] { null, entry(5, 10) } : new Entry[] { entry(10, 10) });
				assertThat(found(after, KEPT)).isEqualTo(entry(10, 10));
			}
		}
	}

	private Path image(ForgetfulDisk disk, Random random) {
		try {
			Path image = Files.createTempDirectory(this.root, "image");
			disk.afterPowerFailure(random).write(image);
			return image;
		}
		catch (IOException failure) {
			throw new AssertionError(failure);
		}
	}

}
