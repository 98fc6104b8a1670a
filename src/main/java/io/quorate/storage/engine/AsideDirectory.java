package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.quorate.clock.TimeSource;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.file.HardLink;
import io.quorate.storage.file.InstantName;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.values.ValueFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory {@code aside} of a store. It keeps the files of tables that were set
 * aside and discarded, in one directory for each time, named by its instant. The store
 * writes there and reads nothing. Used by one thread at a time.
 */
final class AsideDirectory {

	private static final Logger log = LoggerFactory.getLogger(AsideDirectory.class);

	private final Path store;

	private final Path path;

	private final TimeSource time;

	AsideDirectory(Path store, TimeSource time) {
		this.store = store;
		this.path = store.resolve("aside");
		this.time = time;
	}

	/**
	 * Links the files of tables, and the value files that they refer to, into a new
	 * directory, which appears whole or not at all. Where the file system has no hard
	 * links the files are copied.
	 */
	Path keep(Collection<TableMeta> tables) throws IOException {
		return keep(filesOf(tables), List.of());
	}

	/**
	 * Links some files, and copies others, into a new directory, which appears whole or
	 * not at all.
	 */
	Path keep(Collection<Path> links, Collection<Path> copies) throws IOException {
		DirectoryEntries.makeDirectories(this.path);
		removeUnfinished();
		Path finished = unused();
		Path unfinished = DirectoryEntries.makeDirectory(DurableFiles.temporary(finished));
		for (Path file : links) {
			keep(file, unfinished.resolve(file.getFileName()));
		}
		for (Path file : copies) {
			HardLink.copy(file, unfinished.resolve(file.getFileName()), HardLink.Copying.ALLOWED);
		}
		DurableFiles.forceDirectory(unfinished);
		DurableFiles.publish(unfinished, finished);
		return finished;
	}

	/** Removes directories that a crash has left unfinished. */
	void removeUnfinished() throws IOException {
		if (!Files.isDirectory(this.path)) {
			return;
		}
		try (Stream<Path> found = Files.list(this.path)) {
			for (Path directory : found.filter((file) -> file.toString().endsWith(DurableFiles.TEMPORARY_SUFFIX))
				.toList()) {
				removeDirectory(directory);
			}
		}
	}

	private static void removeDirectory(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			for (Path file : files.toList()) {
				DirectoryEntries.delete(file);
			}
		}
		DirectoryEntries.delete(directory);
		log.info("Removed {}, which was never finished", directory);
	}

	private Path unused() {
		long millis = this.time.millis();
		Path directory = named(millis);
		while (Files.exists(directory)) {
			directory = named(++millis);
		}
		return directory;
	}

	private Path named(long millis) {
		return this.path.resolve(InstantName.of(millis));
	}

	private List<Path> filesOf(Collection<TableMeta> tables) {
		List<Path> files = new ArrayList<>();
		Set<Long> values = new TreeSet<>();
		for (TableMeta table : tables) {
			files.add(TableFormat.FILES.path(this.store.resolve("tables"), table.number()));
			values.addAll(table.summary().valueBytes().keySet());
		}
		values.forEach((number) -> files.add(ValueFile.FILES.path(this.store.resolve("values"), number)));
		return files;
	}

	/** Links one file. A missing file was lost before, and nothing of it can be kept. */
	private static void keep(Path file, Path kept) throws IOException {
		if (!Files.exists(file)) {
			log.warn("{} is missing and cannot be kept", file);
			return;
		}
		if (HardLink.give(file, kept, HardLink.Copying.ALLOWED) > 0) {
			log.info("{} had to be copied, because no hard link to it could be made", file);
		}
	}

}
