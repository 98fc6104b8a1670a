package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DurableFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exclusive right of one process to a store's directory: a lock on its file
 * {@code LOCK}, which holds the id of the process. The lock ends with the process, by
 * whatever cause.
 */
public final class DirectoryLock implements AutoCloseable {

	/** Name of the file in the store's directory. */
	public static final String FILE_NAME = "LOCK";

	private static final Logger logger = LoggerFactory.getLogger(DirectoryLock.class);

	/*
	 * The directories that this process has locked. Closing any channel of a file ends
	 * all locks that the process has on it, so a second attempt must be refused before it
	 * opens the file, whatever name of the directory it uses. Hence the identity of the
	 * directory itself.
	 */
	private static final Set<Object> HELD_HERE = ConcurrentHashMap.newKeySet();

	private final Path directory;

	private final Object identity;

	private final FileChannel channel;

	private DirectoryLock(Path directory, Object identity, FileChannel channel) {
		this.directory = directory;
		this.identity = identity;
		this.channel = channel;
	}

	/**
	 * Takes the lock of an existing directory.
	 * @throws StorageStartException when another store has the lock, naming its process
	 */
	public static DirectoryLock acquire(Path directory) {
		try {
			Path real = directory.toRealPath();
			Object identity = identity(real);
			if (!HELD_HERE.add(identity)) {
				throw refused(directory, "this process, " + ProcessHandle.current().pid());
			}
			try {
				return new DirectoryLock(real, identity, lock(directory));
			}
			catch (IOException | RuntimeException | Error ex) {
				HELD_HERE.remove(identity);
				throw ex;
			}
		}
		catch (IOException ex) {
			throw new StorageStartException("%s cannot be locked: %s".formatted(directory, ex), ex);
		}
	}

	/** Releases the directory. Closing again does nothing. */
	@Override
	public void close() {
		if (!this.channel.isOpen()) {
			return;
		}
		try {
			this.channel.close();
		}
		catch (IOException ex) {
			logger.warn("The lock of {} could not be closed; it ends with this process", this.directory, ex);
		}
		HELD_HERE.remove(this.identity);
	}

	private static Object identity(Path real) throws IOException {
		Object key = Files.readAttributes(real, BasicFileAttributes.class).fileKey();
		return (key != null) ? key : real;
	}

	private static FileChannel lock(Path directory) throws IOException {
		FileChannel channel = Channels.open(directory.resolve(FILE_NAME), StandardOpenOption.CREATE,
				StandardOpenOption.READ, StandardOpenOption.WRITE);
		try {
			FileLock lock = channel.tryLock();
			if (lock == null) {
				throw refused(directory, "process " + holder(directory));
			}
			channel.truncate(0);
			byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.UTF_8);
			DurableFiles.writeFully(channel, ByteBuffer.wrap(pid), 0);
			return channel;
		}
		catch (OverlappingFileLockException elsewhere) {
			// Closing the channel would end that lock.
			throw refused(directory, "this process, " + ProcessHandle.current().pid());
		}
		catch (IOException | StorageStartException ex) {
			channel.close();
			throw ex;
		}
	}

	private static String holder(Path directory) throws IOException {
		String pid = Files.readString(directory.resolve(FILE_NAME)).strip();
		return pid.isEmpty() ? "(not yet known)" : pid;
	}

	private static StorageStartException refused(Path directory, String holder) {
		return new StorageStartException(
				"%s is in use by %s: stop it first, or set quorate.storage.directory to another"
					.formatted(directory.toAbsolutePath(), holder) + " directory.",
				null);
	}

}
