package io.quorate.api.transport;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The connections of a port for HTTP: bounded in all, and of one address. When they are
 * too many, the oldest of those that have not asked for anything yet has to go, if it has
 * had time to ask; else the one that has rested longest after an answer, and if none
 * rests, the oldest all the same: a client that only connects keeps no other out. Cheap
 * but for the search of one that rests, which looks at all of them. Safe for any number
 * of event loops.
 */
final class Guests {

	/** A connection in use rests for less between two requests. */
	static final long LEAST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** A client that means to ask does so earlier, over TLS, too. */
	static final long TIME_TO_ASK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final int max;

	private final int maxOfAddress;

	private final AtomicInteger count;

	private final LongSupplier nanoTime;

	private final Set<Guest> all = new HashSet<>();

	/* The oldest first, here and of each address. */
	private final Set<Guest> silent = new LinkedHashSet<>();

	private final Map<InetAddress, OfAddress> byAddress = new HashMap<>();

	/**
	 * No connections yet.
	 * @param max most of them in all; half of it of one address
	 * @param count receives their number
	 * @param nanoTime a clock that never goes back
	 */
	Guests(int max, AtomicInteger count, LongSupplier nanoTime) {
		this.max = max;
		this.maxOfAddress = Math.max(1, max / 2);
		this.count = count;
		this.nanoTime = nanoTime;
	}

	/**
	 * Takes a connection in.
	 * @return the one that has to go, this one or another; {@code null} for none
	 */
	synchronized @Nullable Leaving enter(Guest guest) {
		OfAddress others = this.byAddress.get(guest.address());
		boolean isFull = this.all.size() == this.max;
		boolean isAddressFull = others != null && others.open == this.maxOfAddress;
		if (!isFull && !isAddressFull) {
			add(guest);
			return null;
		}
		String why = (isAddressFull ? "%d connections of its address are open, half of quorate.api.max-connections"
				: "%d connections are open (quorate.api.max-connections)")
			.formatted(isAddressFull ? this.maxOfAddress : this.max);
		long now = this.nanoTime.getAsLong();
		Guest silentLongest = first((isAddressFull && others != null) ? others.silent : this.silent);
		Guest leaving = silentLongest;
		if (leaving == null || leaving.openNanos(now) < TIME_TO_ASK_NANOS) {
			Guest resting = longestResting(isAddressFull ? guest.address() : null, now);
			leaving = (resting != null) ? resting : silentLongest;
		}
		if (leaving == null) {
			return new Leaving(guest, why);
		}
		why += (leaving == silentLongest) ? ", and it has asked for nothing yet" : ", and it has rested longest";
		leave(leaving);
		add(guest);
		return new Leaving(leaving, why);
	}

	private static @Nullable Guest first(Set<Guest> guests) {
		return guests.isEmpty() ? null : guests.iterator().next();
	}

	private @Nullable Guest longestResting(@Nullable InetAddress address, long now) {
		long longest = LEAST_REST_NANOS;
		Guest found = null;
		for (Guest guest : this.all) {
			long rested = guest.restedNanos(now);
			if (rested >= longest && (address == null || address.equals(guest.address()))) {
				longest = rested;
				found = guest;
			}
		}
		return found;
	}

	private void add(Guest guest) {
		this.all.add(guest);
		this.silent.add(guest);
		OfAddress its = this.byAddress.computeIfAbsent(guest.address(), (_) -> new OfAddress());
		its.open++;
		its.silent.add(guest);
		this.count.incrementAndGet();
	}

	/** Notes that a connection has had a request. */
	synchronized void hasAsked(Guest guest) {
		this.silent.remove(guest);
		OfAddress its = this.byAddress.get(guest.address());
		if (its != null) {
			its.silent.remove(guest);
		}
	}

	/** Removes a connection, if it is still there. */
	synchronized void leave(Guest guest) {
		if (!this.all.remove(guest)) {
			return;
		}
		hasAsked(guest);
		this.byAddress.computeIfPresent(guest.address(), (_, its) -> (--its.open > 0) ? its : null);
		this.count.decrementAndGet();
	}

	/**
	 * A connection that has to go.
	 *
	 * @param why the reason, in words
	 */
	record Leaving(Guest guest, String why) {
	}

	private static final class OfAddress {

		private final Set<Guest> silent = new LinkedHashSet<>();

		private int open;

	}

}
