package io.quorate.storage;

/**
 * Reads all that is on the disk from time to time, slowly, so that damage is found before
 * anybody needs what is damaged. Safe for any number of threads; nobody waits for it.
 */
public interface Scrub {

	/** How far it is. */
	ScrubProgress progress();

	/**
	 * Has a pass made now, or the one that was broken off gone on with.
	 * @return whether none was under way
	 */
	boolean begin();

}
