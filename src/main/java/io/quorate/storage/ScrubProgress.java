package io.quorate.storage;

/**
 * The progress of a scrub.
 *
 * @param running whether a pass is under way
 * @param damages pages, footers and large values that were found damaged
 * @param unread tables that could not be read for another reason
 */
public record ScrubProgress(boolean running, Times times, Reach reach, long damages, int unread) {

	/**
	 * The instants of a scrub in milliseconds since 1970, 0 for never.
	 *
	 * @param beganMillis start of the pass under way, or of the last one if none is
	 * @param completedMillis end of the last pass that was complete
	 * @param nextMillis when the next pass is due; 0 when one is under way or none is
	 * ever due
	 */
	public record Times(long beganMillis, long completedMillis, long nextMillis) {
	}

	/**
	 * The amounts that were read.
	 *
	 * @param tables tables that this pass has read, or found in quarantine already
	 * @param tablesInAll tables that this pass is to read
	 * @param values large values that were read since this process started
	 * @param bytes bytes that were read since this process started
	 */
	public record Reach(int tables, int tablesInAll, long values, long bytes) {
	}

}
