package io.quorate.storage.restore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

import io.quorate.storage.FormatLevel;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.directory.DirectoryLock;
import io.quorate.storage.directory.NodeIdentity;
import io.quorate.storage.directory.StoreDirectory;

/**
 * The directory of a node that does not run, locked as long as this is open: no node can
 * be started with it meanwhile.
 */
public final class StoppedDirectory implements AutoCloseable {

	private final Path path;

	private final DirectoryLock lock;

	private final Owner owner;

	private StoppedDirectory(Path path, DirectoryLock lock, Owner owner) {
		this.path = path;
		this.lock = lock;
		this.owner = owner;
	}

	/**
	 * The owner of a directory.
	 *
	 * @param node id of the node
	 * @param storageId identity of the data
	 * @param cluster configuration that all nodes of its cluster have alike
	 */
	public record Owner(String node, UUID storageId, Map<String, String> cluster) {
	}

	/**
	 * Locks a directory.
	 * @throws StorageStartException when there is no directory of a member with data, a
	 * node runs with it, or its upgrade is not finalized
	 * @throws IOException when it cannot be read
	 */
	public static StoppedDirectory open(Path path) throws IOException {
		requireNode(path);
		DirectoryLock lock = DirectoryLock.acquire(path);
		try {
			StoreDirectory.requireSettled(path);
			return new StoppedDirectory(path, lock, ownerOf(path));
		}
		catch (IOException | RuntimeException refused) {
			lock.close();
			throw refused;
		}
	}

	/**
	 * Reads the owner of a directory, or of a copy of its file {@code NODE}.
	 * @throws StorageStartException when there is none, or the node has never heard the
	 * others
	 * @throws IOException when it cannot be read
	 */
	public static Owner ownerOf(Path directory) throws IOException {
		requireNode(directory);
		NodeIdentity.Recorded recorded = NodeIdentity.recorded(directory);
		if (recorded.identity().formatLevel() == FormatLevel.UNDECIDED) {
			throw new StorageStartException(
					"%s has no format level yet: %s has never heard all other members, and has decided on no layout"
						.formatted(directory, recorded.node()),
					null);
		}
		return new Owner(recorded.node(), recorded.identity().storageId(), recorded.cluster());
	}

	private static void requireNode(Path directory) {
		if (!Files.exists(directory.resolve(NodeIdentity.FILE_NAME))) {
			throw new StorageStartException(
					"%s is not the directory of a node: it has no file %s".formatted(directory, NodeIdentity.FILE_NAME),
					null);
		}
	}

	/** The directory. */
	public Path path() {
		return this.path;
	}

	/** Its owner. */
	public Owner owner() {
		return this.owner;
	}

	@Override
	public void close() {
		this.lock.close();
	}

}
