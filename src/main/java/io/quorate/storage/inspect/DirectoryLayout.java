package io.quorate.storage.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.NumberedFiles;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.floor.SharesFile;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.ManifestScan;

/** The layout of a node's directory, and the names of its files for people. */
record DirectoryLayout(Path directory) {

	static final NumberedFiles TABLES = new NumberedFiles(".sst");

	Path log() {
		return this.directory.resolve("wal");
	}

	Path table(long number) {
		return TABLES.path(this.directory.resolve("tables"), number);
	}

	Path values() {
		return this.directory.resolve("values");
	}

	ManifestScan manifest() throws IOException {
		Path file = this.directory.resolve(Manifest.FILE_NAME);
		return Files.exists(file) ? ManifestScan.of(file) : ManifestScan.nothing();
	}

	/**
	 * The floors of its entries, none if they cannot be read.
	 * @param damages receives the reason
	 */
	Floors floors(List<String> damages) throws IOException {
		try {
			return SharesFile.read(this.directory);
		}
		catch (StorageStartException damage) {
			damages.add(String.valueOf(damage.getMessage()));
			return Floors.NONE;
		}
	}

	/** The directories of files that were put aside, the oldest first. */
	List<Path> putAside() throws IOException {
		return directories("aside");
	}

	/**
	 * The directories of files that the manifest did not name at a start, the oldest
	 * first.
	 */
	List<Path> leftover() throws IOException {
		return directories("leftover");
	}

	private List<Path> directories(String name) throws IOException {
		Path directories = this.directory.resolve(name);
		if (!Files.isDirectory(directories)) {
			return List.of();
		}
		try (Stream<Path> found = Files.list(directories)) {
			return found.filter(Files::isDirectory).sorted().toList();
		}
	}

	/** The name of a file within the directory. */
	String name(Path file) {
		return this.directory.relativize(file).toString();
	}

	static String instant(Timestamp timestamp) {
		return Instant.ofEpochMilli(timestamp.millis()).toString();
	}

}
