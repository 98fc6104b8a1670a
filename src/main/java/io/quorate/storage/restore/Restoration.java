package io.quorate.storage.restore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.quorate.clock.TimeSource;
import io.quorate.storage.FileProgress;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.directory.DirectoryLock;
import io.quorate.storage.directory.NodeIdentity;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.file.InstantName;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.floor.SharesFile;
import io.quorate.storage.snapshot.SnapshotCheck;
import io.quorate.storage.snapshot.SnapshotList;
import io.quorate.storage.snapshot.SnapshotPaths;

/**
 * Installs a snapshot as the directory of a store. Waits for the disk.
 * <p>
 * Invariants: (1) everything is copied, nothing linked: a store writes to some of its
 * files; (2) the copy is verified, as the store is going to read it; (3) the identity
 * comes last, so that a start with a directory that is not whole is refused; (4) it is an
 * identity of new data, and the directory counts as new until the node has met a
 * majority: so peers that have seen more of the node have it rebuilt before any client
 * reads from it; (5) a restoration that fails leaves nothing behind, one that is cut off
 * leaves a directory without identity.
 */
public final class Restoration {

	/* Files that may be there beside a store, and stay: they are not its data. */
	private static final Set<String> BESIDE = Set.of(DirectoryLock.FILE_NAME, NodeIdentity.RESTORING_FILE_NAME,
			"lost+found");

	/* As deep as an operator puts the directory of a node into that of another one. */
	private static final int OTHER_STORE_DEPTH = 2;

	private final Path snapshot;

	private final SnapshotList list;

	private final Path directory;

	private final Set<String> beside;

	private final FileProgress progress;

	/**
	 * A snapshot that was restored or verified.
	 *
	 * @param entries number of entries in its tables
	 */
	public record Restored(SnapshotList list, long entries) {
	}

	private Restoration(Path snapshot, SnapshotList list, Path directory, Set<String> beside, FileProgress progress) {
		this.snapshot = snapshot;
		this.list = list;
		this.directory = directory;
		this.beside = beside;
		this.progress = progress;
	}

	/**
	 * Verifies a snapshot, and changes nothing.
	 * @throws StorageStartException when the directory is no snapshot
	 * @throws StorageCorruptedException when it is damaged
	 */
	public static Restored verify(Path snapshot, FileProgress progress) throws IOException {
		SnapshotList list = SnapshotList.read(snapshot);
		return new Restored(list, SnapshotCheck.run(snapshot, list, progress));
	}

	/**
	 * The floors of a snapshot.
	 * @throws StorageStartException when they are damaged
	 */
	public static Floored floors(Path snapshot) throws IOException {
		Floors floors = SharesFile.read(snapshot);
		return new Floored(floors.version(), floors.raised() > 0);
	}

	/**
	 * The floors of a snapshot in short.
	 *
	 * @param layout version of the layout for which they were set, 0 for none
	 * @param areRaised whether the node has gained or lost keys: without the layout it
	 * cannot tell what of its entries counts
	 */
	public record Floored(long layout, boolean areRaised) {
	}

	/**
	 * The node that a snapshot is of.
	 * @throws StorageStartException when that is damaged
	 */
	public static String ownerOf(Path snapshot) throws IOException {
		return NodeIdentity.ownerOf(snapshot);
	}

	/**
	 * Has a restored directory, whose floors are not raised, begin with the first layout
	 * again: it would take changes up to the version that it had for known.
	 */
	public static void forgetFloors(Path directory) throws IOException {
		DirectoryEntries.deleteIfExists(directory.resolve(SharesFile.FILE_NAME));
	}

	/**
	 * Has a restored directory, whose node learns only later which keys it is to hold,
	 * take all that arrives, and every layout that it learns, which need not be those
	 * that the snapshot knew.
	 * @param sequence number of the latest arrival in the snapshot
	 */
	public static void forgetLosses(Path directory, long sequence) throws IOException {
		Floors floors = SharesFile.read(directory);
		if (floors.version() > 0) {
			SharesFile.write(directory, floors.withoutLosses(sequence));
		}
	}

	/**
	 * Installs a snapshot.
	 * @param snapshot directory of the snapshot
	 * @param directory directory that a node is going to be started with, made if need be
	 * @param options the handling of other files there
	 * @throws StorageStartException when there is no snapshot, or the directory is in use
	 * or not empty
	 * @throws StorageCorruptedException when the snapshot is damaged
	 */
	public static Restored run(Path snapshot, Path directory, Options options, FileProgress progress)
			throws IOException {
		SnapshotList list = SnapshotList.read(snapshot);
		Set<String> beside = new TreeSet<>(BESIDE);
		beside.addAll(options.beside());
		DirectoryEntries.makeDirectories(directory);
		DirectoryLock lock = DirectoryLock.acquire(directory);
		try {
			return new Restoration(snapshot, list, directory, beside, progress).run(options);
		}
		finally {
			lock.close();
		}
	}

	private Restored run(Options options) throws IOException {
		requireRoom();
		requireIdentity();
		requireElsewhere();
		requireNoOtherStore();
		boolean changed = false;
		if (options.replace()) {
			SnapshotCheck.run(this.snapshot, this.list, this.progress);
			beginRestoring();
			changed = putAway(options.replaced());
		}
		requireEmpty();
		beginRestoring();
		boolean complete = false;
		try {
			copy();
			long entries = SnapshotCheck.run(this.directory, this.list.without(NodeIdentity.FILE_NAME), this.progress);
			options.records().complete(this.directory);
			DurableFiles.forceDirectory(this.directory);
			NodeIdentity.renew(this.snapshot.resolve(NodeIdentity.FILE_NAME), this.directory,
					options.records().areOfWholeCluster());
			endRestoring();
			complete = true;
			return new Restored(this.list, entries);
		}
		finally {
			if (!complete) {
				for (Path file : others()) {
					DurableFiles.deleteTree(file);
				}
				if (!changed) {
					endRestoring();
				}
			}
		}
	}

	private List<Path> others() throws IOException {
		try (Stream<Path> found = Files.list(this.directory)) {
			return found.filter((path) -> !this.beside.contains(path.getFileName().toString())).toList();
		}
	}

	/*
	 * While this file is there a node does not start: neither with a half restored
	 * directory, nor with one that has lost its old files to a restoration that failed.
	 */
	private void beginRestoring() throws IOException {
		DurableFiles.replace(this.directory.resolve(NodeIdentity.RESTORING_FILE_NAME), ByteBuffer.allocate(0));
	}

	private void endRestoring() throws IOException {
		DirectoryEntries.deleteIfExists(this.directory.resolve(NodeIdentity.RESTORING_FILE_NAME));
		DurableFiles.forceDirectory(this.directory);
	}

	/** Refuses a snapshot that would be put away with the present files. */
	private void requireElsewhere() throws IOException {
		Path there = this.directory.toRealPath();
		Path from = this.snapshot.toRealPath();
		if (from.startsWith(there)
				&& (from.equals(there) || !this.beside.contains(there.relativize(from).getName(0).toString()))) {
			throw new StorageStartException(
					"%s lies in %s, which is to be restored: move it elsewhere. Nothing was changed.".formatted(from,
							there),
					null);
		}
	}

	/*
	 * Another node may run in a directory that lies in this one: it would lose its files.
	 */
	private void requireNoOtherStore() throws IOException {
		for (Path file : others()) {
			try (Stream<Path> found = Files.find(file, OTHER_STORE_DEPTH, (path, _) -> isStore(path))) {
				Path store = found.findFirst().orElse(null);
				if (store != null) {
					throw new StorageStartException(
							"%s is the data directory of another node, in the one that is to be restored: move it elsewhere. Nothing was changed."
								.formatted(store.toAbsolutePath()),
							null);
				}
			}
		}
	}

	private static boolean isStore(Path directory) {
		return Files.exists(directory.resolve(NodeIdentity.FILE_NAME))
				&& Files.exists(directory.resolve(DirectoryLock.FILE_NAME));
	}

	/** Moves the present files away; returns whether there were any. */
	private boolean putAway(String name) throws IOException {
		List<Path> found = new ArrayList<>(others());
		if (found.isEmpty()) {
			return false;
		}
		Path away = this.directory.resolve(name).resolve(InstantName.of(TimeSource.SYSTEM.millis()));
		DirectoryEntries.makeDirectories(away);
		found.sort((one, other) -> Boolean.compare(isIdentity(other), isIdentity(one)));
		for (Path file : found) {
			DirectoryEntries.move(file, away.resolve(file.getFileName()));
		}
		DurableFiles.forceDirectory(away);
		DurableFiles.forceDirectory(this.directory);
		return true;
	}

	private static boolean isIdentity(Path file) {
		return file.endsWith(NodeIdentity.FILE_NAME);
	}

	private void requireEmpty() throws IOException {
		List<Path> found = others();
		if (!found.isEmpty()) {
			throw new StorageStartException(
					"%s is not empty, there is %s: restore into an empty directory, or move the present files away with --replace. Nothing was changed."
						.formatted(this.directory.toAbsolutePath(), found.getFirst().getFileName()),
					null);
		}
	}

	private void requireRoom() throws IOException {
		FileStore disk = Files.getFileStore(this.directory);
		if (disk.getUsableSpace() < this.list.sizeBytes()) {
			throw new StorageStartException("%d bytes are free on the disk of %s, the snapshot has %d"
				.formatted(disk.getUsableSpace(), this.directory.toAbsolutePath(), this.list.sizeBytes()), null);
		}
	}

	private void requireIdentity() throws IOException {
		Path file = this.snapshot.resolve(NodeIdentity.FILE_NAME);
		if (!Files.exists(file) || !SnapshotList.written(file).equals(this.list.files().get(NodeIdentity.FILE_NAME))) {
			throw new StorageCorruptedException(file, 0, "it is not what was written: the data's owner is not known",
					null);
		}
	}

	private void copy() throws IOException {
		List<Path> kinds = List.of(this.directory.resolve(SnapshotPaths.TABLES),
				this.directory.resolve(SnapshotPaths.VALUES));
		for (Path kind : kinds) {
			DirectoryEntries.makeDirectory(kind);
		}
		SnapshotList copied = this.list.without(NodeIdentity.FILE_NAME);
		this.progress.begin(FileProgress.Step.COPY, copied.sizeBytes());
		for (String path : copied.files().keySet()) {
			requireInside(path);
			Path file = this.snapshot.resolve(path);
			if (!Files.isRegularFile(file)) {
				throw new StorageCorruptedException(file, 0, "the file is missing", null);
			}
			DurableFiles.copy(file, this.directory.resolve(path), this.progress::done);
		}
		this.progress.end();
		for (Path kind : kinds) {
			DurableFiles.forceDirectory(kind);
		}
	}

	private void requireInside(String path) {
		if (!this.directory.resolve(path).normalize().startsWith(this.directory.normalize())) {
			throw new StorageCorruptedException(this.snapshot.resolve(SnapshotList.FILE_NAME), 0,
					path + " leads out of the directory", null);
		}
	}

	/**
	 * The handling of the files of a directory that are not restored.
	 *
	 * @param beside names of the files and directories that may be there, and stay
	 * @param replace whether all other present files are moved away, not deleted
	 * @param replaced name of the directory, one of {@code beside}, to which they are
	 * moved
	 * @param records completes the small files beside the store
	 */
	public record Options(Set<String> beside, boolean replace, String replaced, Records records) {

		public Options {
			beside = Set.copyOf(beside);
		}

	}

	/** Completes the small files beside the store, when all are there. */
	@FunctionalInterface
	public interface Records {

		void complete(Path directory) throws IOException;

		/** Whether the directories of all members of the cluster are restored. */
		default boolean areOfWholeCluster() {
			return false;
		}

	}

}
