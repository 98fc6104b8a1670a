package io.quorate.security;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.micrometer.core.instrument.Counter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The log of the peers and clients that a port has refused, each with each reason once,
 * because they try again and again. A stranger that reaches the port may invent names and
 * reasons: so only the latest are remembered, a bounded number in a minute is logged, and
 * all are counted. Safe for any number of threads.
 */
public final class RefusalLog {

	/* Enough for every member. */
	static final int MAX_REMEMBERED = 256;

	/* Enough for every member, and few enough for the log to stay readable. */
	static final int MAX_SAID = 64;

	/* Most characters of a name. */
	private static final int NAME_LENGTH = 80;

	/* Most characters of a reason: our own words, and the text that they quote. */
	private static final int REASON_LENGTH = 400;

	private static final Logger log = LoggerFactory.getLogger(RefusalLog.class);

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Counter refused;

	private final LongSupplier nanos;

	/*
	 * In the order of the last refusals: a peer that tries again and again is not
	 * forgotten.
	 */
	private final Map<String, Boolean> remembered = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
			return size() > MAX_REMEMBERED;
		}

	};

	private long begunNanos;

	private int said;

	/**
	 * A log without any refusal yet.
	 * @param refused counts all refusals
	 * @param nanos the monotonic clock
	 */
	public RefusalLog(Counter refused, LongSupplier nanos) {
		this.refused = refused;
		this.nanos = nanos;
		this.begunNanos = nanos.getAsLong();
	}

	/**
	 * Logs the refusal of a node that has given its name, for an operator to look into.
	 */
	public void refused(String node, String mismatch) {
		refused(Level.ERROR, node, mismatch);
	}

	/**
	 * Logs the refusal of a node that has given its name.
	 * @param level its importance to operators
	 */
	public void refused(Level level, String node, String mismatch) {
		String name = Printable.of(node, NAME_LENGTH);
		String reason = Printable.of(mismatch, REASON_LENGTH);
		if (isToBeSaid(level + name, reason)) {
			log.atLevel(level).log("A connection of node '{}' is refused, {}", name, reason);
		}
	}

	/**
	 * Logs the refusal of a connection of unknown origin, for an operator to look into.
	 */
	public void refused(@Nullable SocketAddress from, String why) {
		refused(Level.ERROR, from, why);
	}

	/**
	 * Logs the refusal of a connection, or of a request that came over it.
	 * @param level its importance to operators
	 */
	public void refused(Level level, @Nullable SocketAddress from, String why) {
		String host = (from instanceof InetSocketAddress address) ? address.getHostString() : String.valueOf(from);
		String reason = Printable.of(why, REASON_LENGTH);
		if (isToBeSaid(host, reason)) {
			log.atLevel(level).log("A connection from {} is refused: {}", host, reason);
		}
	}

	/**
	 * Whether a refusal is to be logged. One that is left out for want of room is logged
	 * when it comes again later.
	 */
	private synchronized boolean isToBeSaid(String who, String why) {
		this.refused.increment();
		String refusal = who + " " + why;
		if (this.remembered.get(refusal) != null) {
			return false;
		}
		long now = this.nanos.getAsLong();
		if (now - this.begunNanos >= INTERVAL_NANOS) {
			this.begunNanos = now;
			this.said = 0;
		}
		if (this.said == MAX_SAID) {
			return false;
		}
		this.said++;
		this.remembered.put(refusal, Boolean.TRUE);
		return true;
	}

}
