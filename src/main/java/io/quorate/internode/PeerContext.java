package io.quorate.internode;

import io.quorate.clock.Deadline;

/**
 * What all connections of this node have in common.
 *
 * @param maxMessageBytes size of the largest message that is taken
 */
record PeerContext(LocalNode self, InternodeClock clock, InternodeProperties properties, int maxMessageBytes) {

	private static final long NANOS_PER_MILLI = 1_000_000;

	private static final long NANOS_PER_MICRO = 1_000;

	/** A request, ready to travel now. */
	Message encode(Request request, Deadline deadline) {
		long remaining = (deadline.remainingNanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
		return RequestCodec.encode(new Request.Envelope(Math.clamp(remaining, 1, Integer.MAX_VALUE), nowMicros(),
				this.clock.current(), request));
	}

	/** A reply, ready to travel now. */
	Message encode(Reply reply) {
		return ReplyCodec.encode(new Reply.Envelope(this.clock.current(), reply));
	}

	/** What this node says of itself. */
	Greeting greeting(String expected) {
		return Greeting.of(this.self, expected, this.clock.physicalMillis());
	}

	/** The monotonic clock as requests carry it. */
	static long nowMicros() {
		return System.nanoTime() / NANOS_PER_MICRO;
	}

}
