package io.quorate.internode.frame;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.quorate.security.FailureLimit;
import org.jspecify.annotations.Nullable;

/**
 * The connections to this node's port that have completed no handshake yet: bounded in
 * all, and for each address. When they are too many, the oldest of those that have said
 * nothing gives its place to the new one, so that a stranger that only connects keeps no
 * member out. Some places are only for addresses from which members have come. An address
 * whose handshakes have failed too often gets none for a moment: each costs a signature.
 * Safe for any number of threads.
 */
public final class PendingConnections {

	/** Most of them in all. */
	public static final int MAX = 64;

	/** Most of addresses from which no member has come yet. */
	static final int MAX_OF_STRANGERS = 48;

	/** Most failed handshakes of one address in a second. */
	public static final int MAX_FAILED = 50;

	/* More addresses than members have. */
	private static final int MAX_REMEMBERED = 1024;

	private final int maxOfAddress;

	private final LongSupplier nanos;

	private final FailureLimit failed = new FailureLimit(MAX_FAILED);

	/* The oldest first. */
	private final Set<Place> places = new LinkedHashSet<>();

	private final Map<String, Boolean> addressesOfMembers = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
			return size() > MAX_REMEMBERED;
		}

	};

	/**
	 * No connections yet.
	 * @param maxOfAddress most of one address
	 */
	public PendingConnections(int maxOfAddress, LongSupplier nanos) {
		this.maxOfAddress = maxOfAddress;
		this.nanos = nanos;
	}

	/**
	 * Adds a connection, for which another one may have to go.
	 * @return reason why there is no place for it, or {@code null}
	 */
	@Nullable String enter(Place place) {
		Place leaving = null;
		String why = "";
		synchronized (this) {
			if (this.failed.isReached(place.address(), this.nanos.getAsLong())) {
				return "%d handshakes of its address have failed within a second".formatted(MAX_FAILED);
			}
			Predicate<Place> ofAddress = (other) -> other.address().equals(place.address());
			if (count(ofAddress) == this.maxOfAddress) {
				leaving = oldest(ofAddress);
				why = "%d connections of its address have completed no handshake yet".formatted(this.maxOfAddress);
			}
			else if (isFullFor(place)) {
				why = "%d connections have completed no handshake yet".formatted(this.places.size());
				leaving = oldest(this::isOfStranger);
				if (leaving == null && isOfStranger(place)) {
					return why;
				}
				leaving = (leaving != null) ? leaving : oldest((_) -> true);
			}
			if (leaving != null) {
				this.places.remove(leaving);
			}
			this.places.add(place);
		}
		if (leaving != null) {
			leaving.giveWay(why + ", and it is the oldest");
		}
		return null;
	}

	private boolean isFullFor(Place place) {
		return this.places.size() == MAX || (isOfStranger(place) && count(this::isOfStranger) == MAX_OF_STRANGERS);
	}

	private boolean isOfStranger(Place place) {
		return !this.addressesOfMembers.containsKey(place.address());
	}

	private long count(Predicate<Place> those) {
		return this.places.stream().filter(those).count();
	}

	/* A peer that has begun its handshake stays while another one has said nothing. */
	private @Nullable Place oldest(Predicate<Place> those) {
		return this.places.stream().filter(those).min(Comparator.comparing(Place::hasSpoken)).orElse(null);
	}

	/**
	 * Removes a connection, whether it still has its place or not.
	 * @param isOfMember whether its handshake has succeeded
	 */
	synchronized void leave(Place place, boolean isOfMember) {
		this.places.remove(place);
		if (isOfMember) {
			this.addressesOfMembers.put(place.address(), Boolean.TRUE);
		}
		else if (place.hasSpoken()) {
			this.failed.take(place.address(), this.nanos.getAsLong());
		}
	}

	synchronized int count() {
		return this.places.size();
	}

	/** The place of one connection; used by any thread. */
	interface Place {

		/** Address of the other end. */
		String address();

		/** Whether anything has come from there. */
		boolean hasSpoken();

		/** Closes the connection, soon. */
		void giveWay(String why);

	}

}
