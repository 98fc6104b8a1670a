package io.quorate.internode;

/**
 * How long messages of a connection have waited on their way: in the sender's queue, in
 * the sockets, in a receiver that was frozen.
 * <p>
 * The two monotonic clocks have nothing in common but their pace, so the quickest message
 * of the last while is taken to have waited not at all, and others to have waited by how
 * much they are later. The while is two windows, so that clocks that drift apart do not
 * make old messages out of new ones. Not thread-safe; belongs to the connection's loop.
 */
final class TransitDelay {

	private static final long WINDOW_MICROS = 10_000_000;

	private long previous = Long.MAX_VALUE;

	private long current = Long.MAX_VALUE;

	private long windowEnd = Long.MIN_VALUE;

	/** Microseconds that a message has waited. */
	long waitedMicros(long sentMicros, long receivedMicros) {
		if (this.windowEnd == Long.MIN_VALUE || receivedMicros - this.windowEnd >= 0) {
			this.windowEnd = receivedMicros + WINDOW_MICROS;
			this.previous = this.current;
			this.current = Long.MAX_VALUE;
		}
		long difference = receivedMicros - sentMicros;
		this.current = Math.min(this.current, difference);
		return difference - Math.min(this.previous, this.current);
	}

}
