package io.quorate.storage;

import java.nio.file.Path;

/**
 * A snapshot that was made of a store.
 *
 * @param directory where it is
 * @param sequence number of the latest arrival in it
 * @param files number of its files
 * @param sizeBytes bytes of all its files, also of those that the store shares with it
 * @param copiedBytes of these, bytes of tables and value files that had to be copied
 */
public record Snapshot(Path directory, long sequence, int files, long sizeBytes, long copiedBytes) {
}
