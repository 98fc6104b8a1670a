package io.quorate.internode;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.PageLimit;
import org.jspecify.annotations.Nullable;

/** What a node asks a peer. */
sealed interface Request {

	/** The first message of a connection. */
	record Hello(Greeting greeting) implements Request {
	}

	/** A sign of life. */
	record Ping(long physicalMillis) implements Request {
	}

	record Apply(Key key, Entry entry) implements Request {
	}

	/** Reads a key, if the reply has at most so many bytes. */
	record Read(Key key, int maxReplyBytes) implements Request {
	}

	/** Reads a page, if the reply has at most so many bytes. */
	record Page(Key start, @Nullable Key end, PageLimit limit, int maxReplyBytes) implements Request {
	}

	/**
	 * A request as it travels.
	 *
	 * @param remainingMillis time left to its deadline when it was sent
	 * @param sentMicros when it was sent, on the monotonic clock of the sender
	 * @param stamp the present of the sender
	 */
	record Envelope(int remainingMillis, long sentMicros, Timestamp stamp, Request request) {
	}

}
