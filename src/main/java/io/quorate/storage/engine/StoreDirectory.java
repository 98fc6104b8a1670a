package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.quorate.clock.TimeSource;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreOwner;

/**
 * A directory that this process has locked, that belongs to this node, and that knows how
 * far its clock had come.
 */
final class StoreDirectory implements AutoCloseable {

	private final Path path;

	private final DirectoryLock lock;

	private final NodeIdentity identity;

	private final CeilingFile ceiling;

	private StoreDirectory(Path path, DirectoryLock lock, NodeIdentity identity, CeilingFile ceiling) {
		this.path = path;
		this.lock = lock;
		this.identity = identity;
		this.ceiling = ceiling;
	}

	/**
	 * Locks a directory, making it if need be, and looks whose it is.
	 * @throws StorageStartException when another process has it, or it belongs to another
	 * node
	 */
	static StoreDirectory open(Path path, StoreOwner owner, TimeSource time, FutureStamps future) {
		try {
			Files.createDirectories(path);
		}
		catch (IOException failure) {
			throw new StorageStartException("the directory %s cannot be made: %s; quorate.storage.directory names it"
				.formatted(path.toAbsolutePath(), failure), failure);
		}
		DirectoryLock lock = DirectoryLock.acquire(path);
		try {
			NodeIdentity identity = NodeIdentity.openOrCreate(path,
					new NodeIdentity.Expected(owner.node(), owner.cluster(), owner.zones(), owner.replicationFactor()));
			return new StoreDirectory(path, lock, identity, CeilingFile.open(path, time, future));
		}
		catch (RuntimeException refused) {
			lock.close();
			throw refused;
		}
	}

	Path path() {
		return this.path;
	}

	NodeIdentity identity() {
		return this.identity;
	}

	CeilingFile ceiling() {
		return this.ceiling;
	}

	@Override
	public void close() {
		this.ceiling.close();
		this.lock.close();
	}

}
