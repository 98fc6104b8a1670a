package io.quorate.backup;

import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.backup.BackupConfiguration.BackupGauges;
import io.quorate.membership.agreement.RecordedLayouts;
import io.quorate.storage.FileProgress;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ShareChange;
import io.quorate.storage.Snapshot;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.Store;
import io.quorate.storage.engine.LsmStore;
import io.quorate.storage.engine.StoreOpening;
import io.quorate.storage.file.InstantName;
import io.quorate.storage.restore.Restoration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class BackupsTests {

	@TempDir
	Path home;

	private final AtomicLong millis = new AtomicLong(1_000_000);

	private final AtomicBoolean rebuilding = new AtomicBoolean();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private CountDownLatch gate = new CountDownLatch(0);

	private LsmStore store;

	private Backups backups;

	@BeforeEach
	void open() {
		this.store = StoreOpening.open(new Binder(
				new MapConfigurationPropertySource(Map.of("quorate.storage.directory", this.home.resolve("store"))))
			.bindOrCreate("quorate.storage", StorageProperties.class), PurgePolicy.alone(this.millis::get));
		this.backups = of(2);
	}

	private Backups of(int keep) {
		Backups made = new Backups(this.store, this.rebuilding::get, this.home.resolve("backups"), keep, () -> {
			awaitGate();
			return this.millis.get();
		});
		BackupGauges.register(made, this.registry);
		return made;
	}

	private void awaitGate() {
		try {
			assertThat(this.gate.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException stop) {
			throw new IllegalStateException(stop);
		}
	}

	@AfterEach
	void close() {
		this.backups.close();
		this.store.close();
	}

	@Test
	void noMoreAreKeptThanAskedFor() throws Exception {
		for (int i = 0; i < 4; i++) {
			this.millis.addAndGet(60_000);
			Backup taken = await(this.backups.take(null));
			assertThat(this.backups.present()).endsWith(taken).hasSize(Math.min(2, i + 1));
		}
		for (Backup kept : this.backups.present()) {
			Restoration.verify(kept.directory(), FileProgress.NONE);
		}
		assertThat(names()).hasSize(2);
	}

	/* The layout has changed more often than is kept while the backup was taken. */
	@Test
	void aBackupWhoseLayoutIsNotKnownIsListedAndDeletedLikeOthers() throws Exception {
		this.store.assign(new ShareChange(40, Set.of(1), Set.of())).get(1, TimeUnit.MINUTES);
		RecordedLayouts.write(this.home.resolve("store"), "n0", RecordedLayouts.AFTER);
		for (int i = 0; i < 3; i++) {
			Backup taken = await(this.backups.take(null));
			assertThat(taken.layout()).isNull();
			assertThat(taken.layoutUnknown()).contains("does not have the layout of the floors any more, version 40");
			assertThat(this.backups.present()).endsWith(taken).hasSize(Math.min(2, i + 1));
		}
		assertThat(names()).hasSize(2);
		Backups later = of(1);
		await(later.look());
		assertThat(later.present()).isEqualTo(this.backups.present());
		await(later.delete(later.present().getFirst().name()));
		assertThat(names()).hasSize(1);
		later.close();
	}

	@Test
	void theNewestIsKeptAlsoWhenTheClockWasSetBack() throws Exception {
		await(this.backups.take(null));
		await(this.backups.take(null));
		this.millis.addAndGet(-500_000);
		Backup taken = await(this.backups.take(null));
		assertThat(this.backups.present()).endsWith(taken).hasSize(2);
		Restoration.verify(taken.directory(), FileProgress.NONE);
	}

	@Test
	void aBackupTakesTheNameThatItIsGiven() throws Exception {
		String name = InstantName.of(this.millis.get() - 400_000);
		assertThat(await(this.backups.take(name)).name()).isEqualTo(name);
		assertThat(await(this.backups.take(null)).takenMillis()).isGreaterThanOrEqualTo(this.millis.get());
		String earlier = InstantName.of(this.millis.get() - 1);
		assertThatExceptionOfType(BackupRefusedException.class).isThrownBy(() -> await(this.backups.take(earlier)))
			.withMessageContaining(earlier + " is not later than the newest backup");
		String ahead = InstantName.of(this.millis.get() + 3_601_000);
		assertThatExceptionOfType(BackupRefusedException.class).isThrownBy(() -> await(this.backups.take(ahead)))
			.withMessageContaining("3601 s ahead");
		assertThatIllegalArgumentException().isThrownBy(() -> this.backups.take("../store"))
			.withMessageContaining("named by an instant");
		assertThat(this.backups.present()).hasSize(2);
		assertThat(this.backups.isBusy()).isFalse();
	}

	@Test
	void theAgeIsThatOfTheNewestAlsoAfterARestart() throws Exception {
		assertThat(this.registry.get("quorate.backup.age").gauge().value()).isNaN();
		Backup taken = await(this.backups.take(null));
		this.millis.set(taken.takenMillis() + 5_000);
		assertThat(this.registry.get("quorate.backup.age").gauge().value()).isEqualTo(5);
		this.registry.clear();
		this.backups.close();
		this.backups = of(2);
		await(this.backups.look());
		assertThat(this.backups.present()).containsExactly(taken);
		assertThat(this.registry.get("quorate.backup.age").gauge().value()).isEqualTo(5);
	}

	@Test
	void aBackupThatACrashLeftUnfinishedIsRemoved() throws Exception {
		Backup whole = await(this.backups.take(null));
		Path unfinished = this.home.resolve("backups/20260101T000000.000Z.tmp");
		Files.createDirectories(unfinished.resolve("tables"));
		Files.writeString(unfinished.resolve("tables/000001.sst"), "half");
		Path foreign = Files.createDirectories(this.home.resolve("backups/photos.tmp"));
		await(this.backups.look());
		assertThat(unfinished).doesNotExist();
		assertThat(foreign).isDirectory();
		assertThat(this.backups.present()).containsExactly(whole);
	}

	@Test
	void oneIsTakenAtATime() throws Exception {
		this.gate = new CountDownLatch(1);
		CompletableFuture<Backup> first = this.backups.take(null);
		assertThat(this.backups.isBusy()).isTrue();
		assertThatExceptionOfType(BackupRefusedException.class).isThrownBy(() -> await(this.backups.take(null)))
			.withMessageContaining("already");
		this.gate.countDown();
		await(first);
		this.millis.addAndGet(1);
		await(this.backups.take(null));
		assertThat(this.backups.present()).hasSize(2);
	}

	@Test
	void theProgressIsThatOfTheBackupUnderWay() throws Exception {
		CompletableFuture<Snapshot> written = new CompletableFuture<>();
		AtomicReference<FileProgress> progress = new AtomicReference<>();
		CountDownLatch begun = new CountDownLatch(1);
		Store slow = (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[] { Store.class },
				(_, method, arguments) -> {
					assertThat(method.getName()).isEqualTo("backup");
					progress.set((FileProgress) arguments[2]);
					begun.countDown();
					return written;
				});
		try (Backups those = new Backups(slow, () -> false, this.home.resolve("others"), 2, this.millis::get)) {
			assertThat(those.underWay()).isNull();
			CompletableFuture<Backup> taken = those.take(InstantName.of(this.millis.get()));
			assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
			BackupProgress underWay = Objects.requireNonNull(those.underWay());
			assertThat(underWay.name()).isEqualTo(InstantName.of(this.millis.get()));
			assertThat(underWay.bytesInAll()).as("before the flush").isEmpty();
			progress.get().begin(FileProgress.Step.COPY, 100);
			progress.get().done(30);
			progress.get().done(10);
			assertThat(underWay.bytesInAll()).hasValue(100);
			assertThat(underWay.bytes()).isEqualTo(40);
			written.completeExceptionally(new StorageFailedException("broken off", null));
			assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> await(taken));
			assertThat(those.underWay()).isNull();
		}
	}

	@Test
	void aNodeThatIsBeingRebuiltHasNothingToBackUp() {
		this.rebuilding.set(true);
		assertThatExceptionOfType(BackupRefusedException.class).isThrownBy(() -> await(this.backups.take(null)))
			.withMessageContaining("being rebuilt");
		assertThat(this.home.resolve("backups")).doesNotExist();
	}

	@Test
	void aFailureLeavesTheOldOnesAndIsCounted() throws Exception {
		Backup old = await(this.backups.take(null));
		this.store.close();
		assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> await(this.backups.take(null)));
		assertThat(this.backups.present()).containsExactly(old);
		assertThat(this.backups.isBusy()).isFalse();
	}

	@Test
	void oneIsDeletedByItsName() throws Exception {
		Backup taken = await(this.backups.take(null));
		assertThatExceptionOfType(NoSuchBackupException.class).isThrownBy(() -> await(this.backups.delete("../store")));
		await(this.backups.delete(taken.name()));
		assertThat(this.backups.present()).isEmpty();
		assertThat(names()).isEmpty();
	}

	private List<String> names() throws Exception {
		try (var all = Files.list(this.home.resolve("backups"))) {
			return all.map((path) -> path.getFileName().toString()).toList();
		}
	}

	private static <T> T await(CompletableFuture<T> future) throws InterruptedException, TimeoutException {
		try {
			return future.get(1, TimeUnit.MINUTES);
		}
		catch (ExecutionException failure) {
			if (failure.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw new AssertionError(failure);
		}
	}

}
