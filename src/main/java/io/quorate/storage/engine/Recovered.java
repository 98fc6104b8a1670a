package io.quorate.storage.engine;

import java.nio.file.Path;
import java.util.concurrent.ExecutorService;

import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.values.ValueFiles;

/**
 * What a start has found in the directory and opened.
 *
 * @param views the tables, and as sealed memtables what the log held
 * @param cleaner closes and deletes files
 * @param logDirectory where the log's segments lie
 * @param nextSegment number of the segment to write next
 * @param nextSequence number of the next write
 * @param previousForced length of the segment before, all of it on the disk
 */
record Recovered(Manifest manifest, Views views, Tables tables, ValueFiles values, ExecutorService cleaner,
		Path logDirectory, long nextSegment, long nextSequence, long previousForced) {
}
