package io.quorate.storage;

/**
 * How far a scrub is. Instants are milliseconds since 1970, 0 for never.
 *
 * @param running whether a pass is under way
 * @param beganMillis when this pass began, or the last one if none is under way
 * @param completedMillis when the last one was complete that was
 * @param nextMillis when the next one is due; 0 when one is under way or none is due ever
 * @param tables tables that this pass has read, or found to be quarantined already
 * @param tablesInAll tables that it is to read
 * @param values large values that it has read since this process started
 * @param bytes bytes that it has read since this process started
 * @param damages pages, footers and large values that it has found damaged
 * @param unread tables that could not be read for another reason
 */
public record ScrubProgress(boolean running, long beganMillis, long completedMillis, long nextMillis, int tables,
		int tablesInAll, long values, long bytes, long damages, int unread) {
}
