package io.quorate.storage.snapshot;

import java.nio.file.Path;

import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.values.ValueFile;

/**
 * The paths of files in a snapshot, relative to its directory: those that the files have
 * in the store.
 */
public final class SnapshotPaths {

	/** The directory of tables. */
	public static final String TABLES = "tables";

	/** The directory of value files. */
	public static final String VALUES = "values";

	private SnapshotPaths() {
	}

	/** The path of a table. */
	public static String table(long number) {
		return TableFormat.FILES.path(Path.of(TABLES), number).toString();
	}

	/** The path of a value file. */
	public static String value(long number) {
		return ValueFile.FILES.path(Path.of(VALUES), number).toString();
	}

}
