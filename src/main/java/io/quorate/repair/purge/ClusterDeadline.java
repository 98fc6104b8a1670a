package io.quorate.repair.purge;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.clock.LongestDeadline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The longest timeout of a request at any member, as far as this node has heard: after
 * that time no request that began before is under way any more. It never becomes shorter,
 * because requests from before a peer's restart may still be in transit. Safe for any
 * number of threads.
 */
public final class ClusterDeadline {

	private static final Logger log = LoggerFactory.getLogger(ClusterDeadline.class);

	private final long ownMillis;

	private final Map<String, Long> heard = new ConcurrentHashMap<>();

	private volatile long nanos;

	public ClusterDeadline(Duration own) {
		this.ownMillis = own.toMillis();
		this.nanos = own.toNanos();
	}

	/** The longest timeout that this node allows, in milliseconds. */
	public long ownMillis() {
		return this.ownMillis;
	}

	/** The longest timeout that any member allows, in nanoseconds. */
	public long nanos() {
		return this.nanos;
	}

	/** Records the longest timeout that a peer allows. */
	public void heard(String peer, long millis) {
		Long before = this.heard.put(peer, millis);
		if (before != null && before == millis) {
			return;
		}
		Duration theirs = Duration.ofMillis(Math.clamp(millis, 0, LongestDeadline.MOST.toMillis()));
		if (theirs.toMillis() != this.ownMillis) {
			log.warn(
					"{} has quorate.coordinator.max-timeout={} ms, this node {} ms: purges and rebuilds wait for the longest",
					peer, millis, this.ownMillis);
		}
		raise(theirs.toNanos());
	}

	private synchronized void raise(long atLeast) {
		this.nanos = Math.max(this.nanos, atLeast);
	}

}
