package io.quorate.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.quorate.clock.TimeSource;
import io.quorate.membership.agreement.RecordedLayout;
import io.quorate.repair.record.RestoredRecords;
import io.quorate.storage.Snapshot;
import io.quorate.storage.StorageException;
import io.quorate.storage.Store;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.file.InstantName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backups of this node: directories in one directory, named by the instants at which
 * they were begun. Safe for any number of threads, none of which waits.
 * <p>
 * Invariants: (1) one backup is taken or deleted at a time; (2) the oldest is deleted in
 * favour of a newer one only when that one is complete; (3) backups that a crash left
 * unfinished are removed before anything else is done.
 */
public final class Backups implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Backups.class);

	private static final Duration MAX_AHEAD = Duration.ofHours(1);

	/** The files beside the store, read when the tables are there: none is older. */
	static final List<String> BESIDE = Stream
		.concat(RestoredRecords.NAMES.stream(), Stream.of(RecordedLayout.FILE_NAME))
		.toList();

	private final Store store;

	private final BooleanSupplier rebuilding;

	private final Path directory;

	private final int keep;

	private final TimeSource time;

	private final AtomicBoolean busy = new AtomicBoolean();

	/* One task at a time is admitted, and its parts run one after another. */
	private final ExecutorService worker = new ThreadPoolExecutor(0, 1, 10, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("backup").factory());

	private volatile List<Backup> present = List.of();

	private volatile @Nullable BackupProgress underWay;

	/**
	 * Knows no backup before {@link #look}.
	 * @param rebuilding whether the store lacks entries that it should hold
	 * @param directory the directory of the backups, created with the first
	 * @param keep number of backups that are kept
	 */
	Backups(Store store, BooleanSupplier rebuilding, Path directory, int keep, TimeSource time) {
		this.store = store;
		this.rebuilding = rebuilding;
		this.directory = directory;
		this.keep = keep;
		this.time = time;
	}

	/** The directory of the backups. */
	public Path directory() {
		return this.directory;
	}

	/** The complete backups, the oldest first. */
	public List<Backup> present() {
		return this.present;
	}

	/** Whether a backup is being taken or deleted. */
	public boolean isBusy() {
		return this.busy.get();
	}

	/** The progress of the backup that is being taken, {@code null} if none is. */
	public @Nullable BackupProgress underWay() {
		return this.underWay;
	}

	/** Seconds since the newest backup was taken, NaN without any. */
	double ageSeconds() {
		List<Backup> all = this.present;
		return all.isEmpty() ? Double.NaN : Math.max(0, (this.time.millis() - all.getLast().takenMillis()) / 1e3);
	}

	/** Finds the backups in the directory, and removes unfinished ones. */
	CompletableFuture<Void> look() {
		return alone(() -> CompletableFuture.runAsync(this::tidy, this.worker));
	}

	/**
	 * Takes a backup, and deletes the oldest if there are too many then.
	 * @param name the name of the backup, an {@link InstantName} later than that of every
	 * backup of this node and at most an hour ahead of its clock: backups of several
	 * nodes that belong together share one. Without it the node's own clock names the
	 * backup.
	 * @return fails with {@link BackupRefusedException} when none can be taken now or not
	 * under that name, and with a {@link StorageException} as {@link Store#backup} does
	 * @throws IllegalArgumentException when the name is not an instant's
	 */
	public CompletableFuture<Backup> take(@Nullable String name) {
		if (name != null && InstantName.millisOf(name).isEmpty()) {
			throw new IllegalArgumentException(
					"a backup is named by an instant, such as %s, and not '%s'".formatted(InstantName.of(0), name));
		}
		if (this.rebuilding.getAsBoolean()) {
			return refused("the node is being rebuilt: a backup would lack the entries that are still missing");
		}
		String unfit = (name != null) ? unfit(name) : null;
		if (unfit != null) {
			return refused(unfit);
		}
		long begun = System.nanoTime();
		return this.<Backup>alone(() -> CompletableFuture.supplyAsync(() -> place(name), this.worker)
			.thenCompose(this::write)
			.thenApplyAsync((snapshot) -> taken(snapshot, begun), this.worker)
			.whenComplete((_, failure) -> {
				this.underWay = null;
				noteFailure(failure);
			}));
	}

	private CompletableFuture<Snapshot> write(Path place) {
		BackupProgress progress = new BackupProgress(place.getFileName().toString());
		this.underWay = progress;
		return this.store.backup(place, BESIDE, progress.receiver(), this.worker);
	}

	private void noteFailure(@Nullable Throwable failure) {
		if (failure != null) {
			log.error("A backup could not be taken: {}", String.valueOf(failure.getMessage()));
		}
	}

	/**
	 * Deletes a backup.
	 * @return fails with {@link NoSuchBackupException} when there is none of that name,
	 * and with {@link BackupRefusedException} when it cannot be deleted now
	 */
	public CompletableFuture<Void> delete(String name) {
		Backup unwanted = this.present.stream().filter((its) -> its.name().equals(name)).findFirst().orElse(null);
		if (unwanted == null) {
			return CompletableFuture.failedFuture(new NoSuchBackupException(name));
		}
		return alone(() -> CompletableFuture.runAsync(() -> {
			remove(unwanted.directory());
			tidy();
		}, this.worker));
	}

	private static <T> CompletableFuture<T> refused(String why) {
		return CompletableFuture.failedFuture(new BackupRefusedException(why));
	}

	private <T extends @Nullable Object> CompletableFuture<T> alone(Work<T> work) {
		if (!this.busy.compareAndSet(false, true)) {
			return refused("a backup is being taken or deleted already");
		}
		try {
			return work.begin().whenComplete((_, _) -> this.busy.set(false));
		}
		catch (RejectedExecutionException closed) {
			this.busy.set(false);
			return refused("the node stops");
		}
		catch (RuntimeException | Error failure) {
			this.busy.set(false);
			return CompletableFuture.failedFuture(failure);
		}
	}

	private long newestMillis() {
		List<Backup> all = this.present;
		return all.isEmpty() ? 0 : InstantName.millisOf(all.getLast().name()).orElse(0);
	}

	private Path place(@Nullable String name) {
		try {
			DirectoryEntries.makeDirectories(this.directory);
			tidy();
			return this.directory.resolve((name != null) ? name : ownName());
		}
		catch (IOException failure) {
			throw new BackupRefusedException("%s cannot be made: %s".formatted(this.directory, failure));
		}
	}

	/* Names are in the order of time, also after a clock was set back. */
	private String ownName() {
		long millis = Math.max(this.time.millis(), newestMillis() + 1);
		while (Files.exists(this.directory.resolve(InstantName.of(millis)))) {
			millis++;
		}
		return InstantName.of(millis);
	}

	private @Nullable String unfit(String name) {
		long millis = InstantName.millisOf(name).orElseThrow();
		if (millis <= newestMillis() || Files.exists(this.directory.resolve(name))) {
			return "%s is not later than the newest backup of this node, %s".formatted(name,
					InstantName.of(newestMillis()));
		}
		long aheadMillis = millis - this.time.millis();
		return (aheadMillis > MAX_AHEAD.toMillis())
				? "%s is %d s ahead of this node's clock, %d s are allowed: later backups are named after it"
					.formatted(name, aheadMillis / 1000, MAX_AHEAD.toSeconds())
				: null;
	}

	private Backup taken(Snapshot snapshot, long begun) {
		tidy();
		List<Backup> all = this.present;
		all.subList(0, Math.max(0, all.size() - this.keep)).forEach((old) -> remove(old.directory()));
		tidy();
		log.info("Backup {}: {} files, {} bytes, {} of them copied, in {} ms", snapshot.directory(), snapshot.files(),
				snapshot.sizeBytes(), snapshot.copiedBytes(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
		return Backup.read(snapshot.directory());
	}

	private void tidy() {
		List<Backup> found = new ArrayList<>();
		for (Path path : directories()) {
			if (isUnfinished(path)) {
				remove(path);
			}
			else if (Backup.isNamed(path)) {
				read(path, found);
			}
		}
		found.sort(Comparator.comparing(Backup::name));
		this.present = List.copyOf(found);
	}

	private List<Path> directories() {
		if (!Files.isDirectory(this.directory)) {
			return List.of();
		}
		try (Stream<Path> all = Files.list(this.directory)) {
			return all.filter(Files::isDirectory).toList();
		}
		catch (IOException failure) {
			log.warn("{} cannot be read: {}", this.directory, failure.toString());
			return List.of();
		}
	}

	private static boolean isUnfinished(Path path) {
		String name = path.getFileName().toString();
		return name.endsWith(DurableFiles.TEMPORARY_SUFFIX)
				&& InstantName.millisOf(name.substring(0, name.length() - DurableFiles.TEMPORARY_SUFFIX.length()))
					.isPresent();
	}

	private static void read(Path path, List<Backup> found) {
		try {
			found.add(Backup.read(path));
		}
		catch (StorageException none) {
			log.warn("{} does not count as a backup: {}", path, none.getMessage());
		}
	}

	/*
	 * Renames the directory as an unfinished backup first: if this is cut off, it is
	 * removed as one.
	 */
	private static void remove(Path path) {
		try {
			Path unfinished = isUnfinished(path) ? path : DurableFiles.temporary(path);
			if (!unfinished.equals(path)) {
				DirectoryEntries.move(path, unfinished);
			}
			DurableFiles.deleteTree(unfinished);
			log.info("Removed {}", unfinished);
		}
		catch (IOException failure) {
			log.warn("{} could not be deleted and keeps its room on the disk: {}", path, failure.toString());
		}
	}

	/**
	 * Begins no more tasks. A backup that is under way in the store ends when the store
	 * closes.
	 */
	@Override
	public void close() {
		this.worker.shutdown();
	}

	@FunctionalInterface
	private interface Work<T extends @Nullable Object> {

		CompletableFuture<T> begin();

	}

}
