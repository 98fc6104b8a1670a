package io.quorate.storage;

/**
 * Reads all files on the disk from time to time, slowly, so that damage is found before a
 * request needs the data. Safe for any number of threads; no thread waits for it.
 */
public interface Scrub {

	/** The progress of the current pass, or of the last one. */
	ScrubProgress progress();

	/**
	 * Starts a pass now, or resumes the one that was interrupted.
	 * @return whether no pass was under way
	 */
	boolean begin();

}
