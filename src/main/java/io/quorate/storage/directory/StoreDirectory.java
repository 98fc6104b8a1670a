package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.Set;
import java.util.UUID;

import io.quorate.clock.TimeSource;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreIdentity;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A directory that this process has locked and that belongs to this node, with the
 * ceiling of its clock.
 */
public final class StoreDirectory implements StoreIdentity, AutoCloseable {

	/**
	 * Name of a file that exists from before the identity is written until the directory
	 * is settled.
	 */
	static final String NEW_FILE_NAME = "NEW";

	private static final Logger logger = LoggerFactory.getLogger(StoreDirectory.class);

	private static final Set<PosixFilePermission> OF_OTHERS = PosixFilePermissions.fromString("------rwx");

	private final Path path;

	private final DirectoryLock lock;

	private volatile NodeIdentity identity;

	private final CeilingFile ceiling;

	private volatile boolean isNew;

	private StoreDirectory(Path path, DirectoryLock lock, NodeIdentity identity, CeilingFile ceiling) {
		this.path = path;
		this.lock = lock;
		this.identity = identity;
		this.ceiling = ceiling;
		this.isNew = Files.exists(path.resolve(NEW_FILE_NAME));
	}

	/**
	 * Locks a directory, making it if need be, and checks its owner.
	 * @throws StorageStartException when another process has locked it, or it belongs to
	 * another node
	 */
	public static StoreDirectory open(Path path, StoreOwner owner, TimeSource time, FutureStamps future) {
		try {
			boolean isNew = !Files.isDirectory(path);
			DirectoryEntries.makeDirectories(path);
			keepPrivate(path, isNew);
		}
		catch (IOException failure) {
			throw new StorageStartException("the directory %s cannot be made: %s; quorate.storage.directory names it"
				.formatted(path.toAbsolutePath(), failure), failure);
		}
		DirectoryLock lock = DirectoryLock.acquire(path);
		try {
			requireRestored(path);
			FormerFiles.setAside(path, time.millis());
			NodeIdentity identity = NodeIdentity.openOrCreate(path,
					new NodeIdentity.Expected(owner.node(), owner.cluster(), owner.zones(), owner.replicationFactor()));
			return new StoreDirectory(path, lock, identity, CeilingFile.open(path, time, future));
		}
		catch (RuntimeException refused) {
			lock.close();
			throw refused;
		}
	}

	/*
	 * Everything below is as private as this directory. The group keeps its rights: some
	 * platforms hand over a volume by group.
	 */
	private static void keepPrivate(Path path, boolean isNew) throws IOException {
		PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
		if (view == null) {
			return;
		}
		if (isNew) {
			view.setPermissions(PosixFilePermissions.fromString("rwx------"));
		}
		else if (!Collections.disjoint(view.readAttributes().permissions(), OF_OTHERS)) {
			logger.warn("The directory {} is open to every user of this machine; chmod o= closes it", path);
		}
	}

	private static void requireRestored(Path path) {
		if (Files.exists(path.resolve(NodeIdentity.RESTORING_FILE_NAME))) {
			throw new StorageStartException(
					"the restore of a backup into %s has not ended: repeat it with --replace".formatted(path), null);
		}
	}

	/**
	 * Requires of the directory of a stopped node that it holds the data of a member: no
	 * restore was cut off, the member has not left, and no lost data may be missing.
	 * @throws StorageStartException when it does not
	 * @throws IOException when its owner cannot be read
	 */
	public static void requireSettled(Path path) throws IOException {
		requireRestored(path);
		FormerFiles.requireNone(path);
		if (Files.exists(path.resolve(NEW_FILE_NAME)) && !NodeIdentity.recorded(path).identity().isRestored()) {
			throw new StorageStartException(
					"%s is new: its node has not met a majority of the members since, and may hold nothing of theirs"
						.formatted(path),
					null);
		}
	}

	/**
	 * Marks a directory as new. Called before the identity is written, so that a crash
	 * between the two does no harm.
	 */
	static void markNew(Path path) {
		Path mark = path.resolve(NEW_FILE_NAME);
		if (Files.exists(path.resolve(NodeIdentity.FILE_NAME)) || Files.exists(mark)) {
			return;
		}
		try {
			Channels.open(mark, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE).close();
			DurableFiles.forceDirectory(path);
		}
		catch (IOException failure) {
			throw new StorageStartException("%s cannot be made: %s".formatted(mark, failure), failure);
		}
	}

	@Override
	public void abandon() throws IOException {
		FormerFiles.mark(this.path);
	}

	@Override
	public UUID storageId() {
		return this.identity.storageId();
	}

	@Override
	public boolean isNew() {
		return this.isNew;
	}

	@Override
	public void settle() {
		if (!this.isNew) {
			return;
		}
		this.isNew = false;
		try {
			DirectoryEntries.deleteIfExists(this.path.resolve(NEW_FILE_NAME));
			DurableFiles.forceDirectory(this.path);
		}
		catch (IOException failure) {
			logger.warn("{} cannot be removed; the next start takes the directory for a new one",
					this.path.resolve(NEW_FILE_NAME), failure);
		}
	}

	@Override
	public boolean isRestored() {
		return this.identity.isRestored();
	}

	@Override
	public synchronized void namedAnew() throws IOException {
		this.identity = NodeIdentity.namedAnew(this.path);
	}

	@Override
	public int formatLevel() {
		return this.identity.formatLevel();
	}

	@Override
	public synchronized void raiseFormatLevel(int level) throws IOException {
		int before = formatLevel();
		if (level > before) {
			this.identity = NodeIdentity.raise(this.path, level);
			// A new directory has no files that were written otherwise.
			logger.atLevel((before == FormatLevel.UNDECIDED) ? Level.DEBUG : Level.INFO)
				.log("The files in {} are written at format level {} from now on", this.path, level);
		}
	}

	@Override
	public synchronized void renew() throws IOException {
		this.identity = NodeIdentity.renew(this.path);
		logger.warn("The data in {} has another identity from now on: {}", this.path, this.identity.storageId());
	}

	@Override
	public boolean isRebuildOwed() {
		return SalvageMark.of(this.path).owesRebuild();
	}

	@Override
	public void rebuildBegun() throws IOException {
		SalvageMark.of(this.path).rebuildBegun();
	}

	public Path path() {
		return this.path;
	}

	public CeilingFile ceiling() {
		return this.ceiling;
	}

	@Override
	public void close() {
		this.ceiling.close();
		this.lock.close();
	}

}
