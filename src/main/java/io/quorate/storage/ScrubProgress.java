package io.quorate.storage;

/**
 * The progress of a scrub. Instants are milliseconds since 1970, 0 for never.
 *
 * @param running whether a pass is under way
 * @param beganMillis start of this pass, or of the last one if none is under way
 * @param completedMillis end of the last pass that was complete
 * @param nextMillis when the next pass is due; 0 when one is under way or none is ever
 * due
 * @param tables tables that this pass has read, or found in quarantine already
 * @param tablesInAll tables that this pass is to read
 * @param values large values that were read since this process started
 * @param bytes bytes that were read since this process started
 * @param damages pages, footers and large values that were found damaged
 * @param unread tables that could not be read for another reason
 */
public record ScrubProgress(boolean running, long beganMillis, long completedMillis, long nextMillis, int tables,
		int tablesInAll, long values, long bytes, long damages, int unread) {
}
