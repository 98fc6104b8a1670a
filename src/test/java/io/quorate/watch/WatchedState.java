package io.quorate.watch;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Versioned;
import org.jspecify.annotations.Nullable;

/** The state of a range as the client of a watch knows it, and the judge of that. */
public final class WatchedState {

	private final String client;

	private final ScanRange range;

	private final WatchedHistory history;

	private final BiConsumer<Boolean, Supplier<String>> check;

	private final Map<Key, Known> known = new HashMap<>();

	private final boolean isFromStart;

	/* Whether it knows the state of the time before it began, too. */
	private boolean isWhole;

	private boolean hasBegun;

	private long sinceMillis = Long.MAX_VALUE;

	/** The state of a key. */
	private record Known(Timestamp version, boolean isDeleted, long expiryMillis) {

		private static Known of(WatchEvent.OfKey event) {
			return switch (event) {
				case WatchEvent.Put put -> new Known(put.version(), false, put.expiryMillis());
				case WatchEvent.Delete delete -> new Known(delete.version(), true, Versioned.NEVER);
			};
		}

	}

	/**
	 * Nothing yet.
	 * @param isFromStart whether the client asks for the present state first
	 * @param check reports what does not hold
	 */
	public WatchedState(String client, ScanRange range, WatchedHistory history, boolean isFromStart,
			BiConsumer<Boolean, Supplier<String>> check) {
		this.client = client;
		this.range = range;
		this.history = history;
		this.isFromStart = isFromStart;
		this.isWhole = isFromStart;
		this.check = check;
	}

	private boolean covers(Key key) {
		return key.compareTo(this.range.start()) >= 0 && !this.range.isPassedBy(key);
	}

	/** The client has no cursor, and begins anew. */
	public void begin() {
		this.known.clear();
		this.isWhole = this.isFromStart;
		this.hasBegun = false;
		this.sinceMillis = Long.MAX_VALUE;
	}

	/** The state follows as a whole. */
	public void reset() {
		this.known.clear();
		this.isWhole = true;
		this.sinceMillis = this.hasBegun ? 0 : this.sinceMillis;
	}

	/** The client is told of a key. */
	public void learns(WatchEvent.OfKey event) {
		Key key = event.key();
		this.check.accept(covers(key), () -> this.client + " learns of " + key);
		// A purged key is absent whatever it was that a node has held.
		boolean isTrue = (event instanceof WatchEvent.Put) ? this.history.wasHeld(key, event.version())
				: this.history.wasStored(key, event.version());
		this.check.accept(isTrue, () -> "%s learns of %s, which no majority has held".formatted(this.client, event));
		Known before = this.known.put(key, Known.of(event));
		this.check.accept(before == null || !before.version().isAfter(event.version()),
				() -> "%s learns of %s after %s".formatted(this.client, event, before));
	}

	/** All that was acknowledged before an instant is known. */
	public void isLive(long asOfMillis, long nowMillis, Function<Key, @Nullable Entry> winner) {
		if (!this.hasBegun) {
			this.hasBegun = true;
			this.sinceMillis = this.isWhole ? 0 : nowMillis;
		}
		this.history.acknowledged().forEach((key, all) -> {
			Map.Entry<Long, Entry> last = all.lowerEntry(asOfMillis);
			if (!covers(key) || last == null) {
				return;
			}
			Timestamp version = last.getValue().version();
			if (this.history.heldMillis(key, version) > this.sinceMillis) {
				Known its = this.known.get(key);
				boolean isKnown = its != null && !version.isAfter(its.version());
				// A state that begins with nothing leaves deletions and expired values
				// out.
				boolean isLeftOut = this.isWhole && its == null
						&& (last.getValue().isAbsentAt(nowMillis) || isAbsent(winner.apply(key), nowMillis)
								|| this.history.wasAbsentAfter(key, version, nowMillis));
				this.check.accept(isKnown || isLeftOut,
						() -> "%s is live as of %d, and has not learned of %s at %s, but %s".formatted(this.client,
								asOfMillis, key, last, its));
			}
		});
	}

	private static boolean isAbsent(@Nullable Entry entry, long nowMillis) {
		return entry == null || entry.isAbsentAt(nowMillis);
	}

	/**
	 * What is wrong with what the client knows of a key, in words; {@code null} for
	 * nothing.
	 * @param winner the last entry of the key, {@code null} if there is none any more
	 */
	public @Nullable String fault(Key key, @Nullable Entry winner, long nowMillis) {
		if (!covers(key) || (winner != null && !this.history.wasAcknowledged(key, winner.version()))) {
			return null;
		}
		Known its = this.known.get(key);
		boolean isRight;
		if (winner == null) {
			isRight = its == null || its.isDeleted() || its.expiryMillis() <= nowMillis;
		}
		else if (its == null) {
			isRight = winner.isAbsentAt(nowMillis)
					|| (!this.isWhole && this.history.heldMillis(key, winner.version()) <= this.sinceMillis);
		}
		else {
			boolean isSame = its.version().equals(winner.version())
					&& (its.isDeleted() == winner.isTombstone() || its.isDeleted() || its.expiryMillis() <= nowMillis);
			isRight = isSame || (its.isDeleted() && winner.isAbsentAt(nowMillis));
		}
		return isRight ? null : "%s knows %s at %s, but it is %s".formatted(this.client, key, its, winner);
	}

}
