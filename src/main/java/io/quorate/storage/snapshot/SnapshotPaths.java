package io.quorate.storage.snapshot;

import java.nio.file.Path;

import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.values.ValueFile;

/** Where in a snapshot the files of a store lie: where they lie in the store. */
public final class SnapshotPaths {

	/** The directory of tables. */
	public static final String TABLES = "tables";

	/** The directory of value files. */
	public static final String VALUES = "values";

	private SnapshotPaths() {
	}

	/** A table. */
	public static String table(long number) {
		return TableFormat.FILES.path(Path.of(TABLES), number).toString();
	}

	/** A value file. */
	public static String value(long number) {
		return ValueFile.FILES.path(Path.of(VALUES), number).toString();
	}

}
