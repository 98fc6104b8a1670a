package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.quorate.storage.ShareChange;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.floor.SharesFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets the floors of partitions, one change after the other.
 * <p>
 * Invariants: (1) all that has arrived before a change is in memtables that are sealed
 * before the floors are determined, so that no memtable has entries on both sides of a
 * floor; (2) no compaction is under way from then until the floors are set, so that none
 * has inputs on both sides, and each that is begun later leaves out what they hide; (3)
 * floors are set on the flusher's thread, so that no flush is under way; (4) they are
 * durable before they hide anything; if it is unknown whether they are, no table is
 * written any more.
 */
final class Shares {

	private static final Logger log = LoggerFactory.getLogger(Shares.class);

	private final Path directory;

	private final OpenFiles files;

	private final Supplier<CompletableFuture<Long>> sealed;

	private final Flusher flusher;

	private final Compactor compactor;

	private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

	/**
	 * The floors of a store.
	 * @param sealed seals all that has arrived until it is called; completes with the
	 * highest sequence number of it
	 */
	Shares(Path directory, OpenFiles files, Supplier<CompletableFuture<Long>> sealed, Flusher flusher,
			Compactor compactor) {
		this.directory = directory;
		this.files = files;
		this.sealed = sealed;
		this.flusher = flusher;
		this.compactor = compactor;
	}

	/** Version of the layout for which the floors are set. */
	long version() {
		return floors().version();
	}

	private Floors floors() {
		return this.files.views().peek().floors();
	}

	/** Sets the floors for a change, unless they are for its version or a later one. */
	synchronized CompletableFuture<Void> assign(ShareChange change) {
		CompletableFuture<Void> done = this.last.handle((_, _) -> change).thenCompose(this::assignNext);
		this.last = done;
		return done.copy();
	}

	private CompletableFuture<Void> assignNext(ShareChange change) {
		if (change.version() <= version()) {
			return CompletableFuture.completedFuture(null);
		}
		if (!floors().isMovedBy(change)) {
			return set(change, 0);
		}
		// On another thread than the caller's, who waits for no lock.
		return this.flusher.<@Nullable Void>meanwhile(() -> null).thenCompose((_) -> pausedAndSet(change));
	}

	private CompletableFuture<Void> pausedAndSet(ShareChange change) {
		return this.compactor.pause()
			.thenCompose((_) -> this.sealed.get())
			.thenCompose((sequence) -> set(change, sequence))
			.whenComplete((_, _) -> this.compactor.resume());
	}

	private CompletableFuture<Void> set(ShareChange change, long sequence) {
		return this.flusher.meanwhile(() -> {
			Floors before = floors();
			set(before.after(change, sequence, this.files.tables().next()));
			return before.gainedBy(change);
		})
			.thenAccept((gained) -> log.info(
					"Version {} of the layout: {} partitions gained, whose entries up to number {} do not count, and {} lost",
					change.version(), gained, sequence, change.lost().size()));
	}

	private void set(Floors next) throws IOException {
		Path written = SharesFile.writeTemporary(this.directory, next);
		try {
			SharesFile.publish(this.directory, written);
		}
		catch (IOException failure) {
			StorageFailedException doubt = new StorageFailedException(
					"%s in %s could not be replaced, and nothing is flushed until a restart: %s"
						.formatted(SharesFile.FILE_NAME, this.directory, failure),
					failure);
			// If these are the floors of the next start, no table of now is clean.
			this.files.manifest().refuse(doubt);
			throw doubt;
		}
		this.files.views().replace((view) -> view.withFloors(next));
	}

}
