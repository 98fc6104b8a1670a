package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.quorate.clock.TimeSource;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.file.InstantName;
import io.quorate.storage.file.NumberedFiles;
import io.quorate.storage.values.ValueFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory {@code leftover} of a store, to which a start moves tables and value
 * files that the manifest neither names nor has given up. Each start has one directory
 * there, named by its instant. Mostly they come from a flush or a compaction that a crash
 * has interrupted, and all their entries are elsewhere too; but if the manifest has lost
 * an edit, they are the files that it named. Nothing reads them. They are deleted after
 * seven days, or as soon as all of them take more than a tenth of the free space: the
 * oldest first, tables before value files. Used by one thread.
 */
final class Leftovers {

	static final String DIRECTORY = "leftover";

	private static final Logger log = LoggerFactory.getLogger(Leftovers.class);

	private static final long KEPT_MILLIS = TimeUnit.DAYS.toMillis(7);

	private static final long PART_OF_FREE_SPACE = 10;

	private final Path path;

	private final TimeSource time;

	private final String name;

	Leftovers(Path store, TimeSource time) {
		this.path = store.resolve(DIRECTORY);
		this.time = time;
		this.name = InstantName.of(time.millis());
	}

	/**
	 * Clears a directory. Files that were never completed, or that an edit has given up,
	 * are deleted; files that no edit knows are moved here. Only after all files that the
	 * manifest names were opened.
	 * @param live numbers of the files that stay
	 * @param gone numbers of the files that were given up
	 */
	void take(Path directory, NumberedFiles names, Set<Long> live, Set<Long> gone) throws IOException {
		List<Path> unknown = new ArrayList<>();
		try (Stream<Path> files = Files.list(directory)) {
			for (Path file : files.toList()) {
				OptionalLong number = names.numberOf(file);
				boolean unfinished = file.toString().endsWith(DurableFiles.TEMPORARY_SUFFIX);
				if (unfinished || (number.isPresent() && gone.contains(number.getAsLong()))) {
					log.info("Removed {}, which is not needed", file);
					DirectoryEntries.delete(file);
				}
				else if (number.isEmpty()) {
					log.warn("{} is none of the store's files and is left alone", file);
				}
				else if (!live.contains(number.getAsLong())) {
					unknown.add(file);
				}
			}
		}
		if (!unknown.isEmpty()) {
			keep(unknown);
		}
	}

	/**
	 * Moves the files. On a full disk they are deleted instead: {@link #clean} would
	 * delete them right after.
	 */
	private void keep(List<Path> files) throws IOException {
		try {
			move(files);
		}
		catch (IOException failure) {
			if (!Channels.isFull(failure)) {
				throw failure;
			}
			for (Path file : files) {
				if (DirectoryEntries.deleteIfExists(file)) {
					log.warn("Removed {}, which the manifest does not name, because the disk is full", file);
				}
			}
		}
	}

	private void move(List<Path> files) throws IOException {
		Path kept = this.path.resolve(this.name);
		DirectoryEntries.makeDirectories(kept);
		for (Path file : files) {
			DirectoryEntries.move(file, kept.resolve(file.getFileName()));
			log.warn("{} is not named by the manifest, and was moved to {}", file, kept);
		}
		DurableFiles.forceDirectory(kept);
	}

	/** Deletes files that are kept too long, or take too much room. */
	void clean() throws IOException {
		if (!Files.isDirectory(this.path)) {
			return;
		}
		List<Kept> all = kept();
		long sizeBytes = all.stream().mapToLong(Kept::sizeBytes).sum();
		long most = Files.getFileStore(this.path).getUsableSpace() / PART_OF_FREE_SPACE;
		for (Kept each : all) {
			if (this.time.millis() - each.millis > KEPT_MILLIS || sizeBytes > most) {
				DirectoryEntries.delete(each.file);
				sizeBytes -= each.sizeBytes;
				log.info("Removed {}, which the manifest did not name", each.file);
			}
		}
		removeEmpty();
	}

	private List<Kept> kept() throws IOException {
		List<Kept> all = new ArrayList<>();
		for (Path directory : list(this.path)) {
			OptionalLong millis = InstantName.millisOf(directory.getFileName().toString());
			if (millis.isPresent()) {
				for (Path file : list(directory)) {
					all.add(new Kept(file, millis.getAsLong(), Files.size(file)));
				}
			}
		}
		all.sort(Comparator.comparingLong(Kept::millis)
			.thenComparing((each) -> ValueFile.FILES.numberOf(each.file).isPresent())
			.thenComparing(Kept::file));
		return all;
	}

	private void removeEmpty() throws IOException {
		for (Path directory : list(this.path)) {
			if (Files.isDirectory(directory) && list(directory).isEmpty()) {
				DirectoryEntries.delete(directory);
			}
		}
		if (list(this.path).isEmpty()) {
			DirectoryEntries.delete(this.path);
		}
	}

	private static List<Path> list(Path directory) throws IOException {
		try (Stream<Path> found = Files.list(directory)) {
			return found.sorted().toList();
		}
	}

	private record Kept(Path file, long millis, long sizeBytes) {
	}

}
