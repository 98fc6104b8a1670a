package io.quorate.internode.server;

/**
 * The time that messages of a connection have waited in transit: in the sender's queue,
 * in the sockets, in a receiver that was frozen.
 * <p>
 * The monotonic clocks of the two nodes have nothing in common but their pace. So the
 * quickest message of the last two windows counts as not delayed, and any other message
 * as delayed by the difference. Windows end, so that new messages do not look old when
 * clocks drift apart. Not thread-safe; belongs to the connection's loop.
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
