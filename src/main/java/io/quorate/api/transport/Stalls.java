package io.quorate.api.transport;

/** Receives the length of each stall of an event loop. */
@FunctionalInterface
public interface Stalls {

	/**
	 * Takes the nanoseconds for which an event loop has stood still; called on that loop.
	 */
	void over(long nanos);

}
