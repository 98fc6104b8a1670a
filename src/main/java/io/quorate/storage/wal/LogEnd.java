package io.quorate.storage.wal;

import java.nio.file.Path;

/**
 * The end of a replayed log, where a {@link WriteAheadLog} continues.
 *
 * @param directory directory of the segments
 * @param nextSegment number of the first segment to write
 * @param nextSequence number of the next write
 * @param previousForced length of the segment before, all of it fsynced
 * @param promises the promises that stand
 */
public record LogEnd(Path directory, long nextSegment, long nextSequence, long previousForced, Promises promises) {
}
