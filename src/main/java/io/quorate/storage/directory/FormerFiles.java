package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.file.InstantName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a member that has left its cluster for good. A mark beside them has the
 * next start move them to a directory {@value #ASIDE}, and begin with none: a node that
 * joins with what it held before would bring back what is deleted.
 */
final class FormerFiles {

	/** Name of the mark, which is there until all files are moved. */
	static final String MARK = "LEFT";

	static final String ASIDE = "former";

	private static final Logger log = LoggerFactory.getLogger(FormerFiles.class);

	/**
	 * Names that a store gives, in a directory of data. All others stay: backups, what
	 * restores and departures before have put away, and what is not of the store at all.
	 */
	private static final Set<String> OWNED = Set.of("NODE", "NEW", "CLOCK", "LAYOUT", "SHARES", "HORIZON", "LINEAGE",
			"PEERS", "REBUILD", "SCRUB", "SALVAGED", "MANIFEST", "wal", "tables", "values", "hints", "aside",
			"leftover");

	private FormerFiles() {
	}

	/** Has the next start set the files of a directory aside. */
	static void mark(Path directory) throws IOException {
		DurableFiles.replace(directory.resolve(MARK), ByteBuffer.allocate(0));
	}

	/**
	 * Requires that the files of a directory are not marked.
	 * @throws StorageStartException when they are
	 */
	static void requireNone(Path directory) {
		if (Files.exists(directory.resolve(MARK))) {
			throw new StorageStartException("%s is of a member that has left the cluster".formatted(directory), null);
		}
	}

	/**
	 * Sets the files aside if they are marked, or goes on with that.
	 * @param millis present instant, in milliseconds since the epoch
	 * @throws StorageStartException when a file cannot be moved
	 */
	static void setAside(Path directory, long millis) {
		Path mark = directory.resolve(MARK);
		if (!Files.exists(mark)) {
			return;
		}
		Path away = directory.resolve(ASIDE).resolve(InstantName.of(millis));
		try {
			DirectoryEntries.makeDirectories(away);
			for (Path file : present(directory)) {
				DirectoryEntries.move(file, away.resolve(file.getFileName()));
			}
			DurableFiles.forceDirectory(away);
			DurableFiles.forceDirectory(directory);
			DirectoryEntries.delete(mark);
			DurableFiles.forceDirectory(directory);
		}
		catch (IOException failure) {
			throw new StorageStartException("the files of a member that has left cannot be moved to %s: %s"
				.formatted(away.toAbsolutePath(), failure), failure);
		}
		log.warn("This node had left the cluster: its files are in {}, which can be deleted, and it begins anew", away);
	}

	private static List<Path> present(Path directory) throws IOException {
		List<Path> present = new ArrayList<>();
		try (DirectoryStream<Path> all = Files.newDirectoryStream(directory,
				(file) -> isOwned(String.valueOf(file.getFileName())))) {
			all.forEach(present::add);
		}
		return present;
	}

	/** Whether a file or directory is one of the store, written in whole or in part. */
	static boolean isOwned(String name) {
		return OWNED.contains(name.endsWith(DurableFiles.TEMPORARY_SUFFIX)
				? name.substring(0, name.length() - DurableFiles.TEMPORARY_SUFFIX.length()) : name);
	}

}
