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
 * The log of those that a port has refused, each with each reason once: a peer or client
 * tries again and again. Whoever reaches the port may invent names and reasons: so the
 * latest of them are remembered, so many in a minute are logged, and all are counted.
 * Safe for any number of threads.
 */
public final class RefusalLog {

	/* Enough for every member. */
	static final int MAX_REMEMBERED = 256;

	/* Enough for every member, and whoever reads the log still finds other things. */
	static final int MAX_SAID = 64;

	/* Of a name. */
	private static final int NAME_LENGTH = 80;

	/* Of a reason: our own words, and what they quote. */
	private static final int REASON_LENGTH = 400;

	private static final Logger log = LoggerFactory.getLogger(RefusalLog.class);

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Counter refused;

	private final LongSupplier nanos;

	/* By when they were refused last: who tries again and again is not forgotten. */
	private final Map<String, Boolean> remembered = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
			return size() > MAX_REMEMBERED;
		}

	};

	private long begunNanos;

	private int said;

	/**
	 * Nobody has been refused yet.
	 * @param refused counts all of them
	 * @param nanos the monotonic clock
	 */
	public RefusalLog(Counter refused, LongSupplier nanos) {
		this.refused = refused;
		this.nanos = nanos;
		this.begunNanos = nanos.getAsLong();
	}

	/** A node that has said its name, and that people have to look after. */
	public void refused(String node, String mismatch) {
		String name = Printable.of(node, NAME_LENGTH);
		String reason = Printable.of(mismatch, REASON_LENGTH);
		if (isToBeSaid(name, reason)) {
			log.error("A connection of node '{}' is refused, {}", name, reason);
		}
	}

	/** A connection of nobody knows whom, that people have to look after. */
	public void refused(@Nullable SocketAddress from, String why) {
		refused(Level.ERROR, from, why);
	}

	/**
	 * A connection, or something that came over it.
	 * @param level how much it matters to people
	 */
	public void refused(Level level, @Nullable SocketAddress from, String why) {
		String host = (from instanceof InetSocketAddress address) ? address.getHostString() : String.valueOf(from);
		String reason = Printable.of(why, REASON_LENGTH);
		if (isToBeSaid(host, reason)) {
			log.atLevel(level).log("A connection from {} is refused: {}", host, reason);
		}
	}

	/** What is not said for want of room is said when it comes again later. */
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
