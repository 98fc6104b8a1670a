package io.quorate.watch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.entry.Versioned;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a key that members have named and that are not reported yet: the newest
 * {@value #MOST}.
 */
final class Unconfirmed {

	private static final int MOST = 4;

	private final Key key;

	private final List<Candidate> candidates = new ArrayList<>(1);

	/* By the member: the first number that is not settled. */
	private final Map<String, Long> numbers = new HashMap<>(4);

	private long asOfMillis = Long.MAX_VALUE;

	private long sinceNanos;

	private boolean isDoubtful;

	private boolean isReading;

	private boolean isQueued;

	private @Nullable Candidate confirmed;

	/** Nothing yet. */
	Unconfirmed(Key key, long nowNanos) {
		this.key = key;
		this.sinceNanos = nowNanos;
	}

	/** An entry, and the members that have named it. */
	static final class Candidate {

		private final Summary summary;

		private final Set<String> members = new HashSet<>(4);

		/* Whether it was named since the read that is under way began. */
		private boolean isLater;

		private Candidate(Summary summary) {
			this.summary = summary;
		}

		Summary summary() {
			return this.summary;
		}

		Set<String> members() {
			return this.members;
		}

		private Timestamp timestamp() {
			return this.summary.timestamp();
		}

	}

	Key key() {
		return this.key;
	}

	/**
	 * What was acknowledged from an instant on may be among these.
	 * @param millis instant, in milliseconds since the epoch
	 */
	void isKnownAsOf(long millis) {
		this.asOfMillis = Math.min(this.asOfMillis, millis);
	}

	/** The earliest of these instants. */
	long asOfMillis() {
		return this.asOfMillis;
	}

	/** The earliest timestamp of what may be purged, in milliseconds since the epoch. */
	long oldestMillis() {
		long oldest = Long.MAX_VALUE;
		for (Candidate candidate : this.candidates) {
			oldest = mayBePurged(candidate.summary) ? Math.min(oldest, candidate.timestamp().millis()) : oldest;
		}
		return oldest;
	}

	/** Whether an entry is a deletion, or becomes one with the time. */
	static boolean mayBePurged(Summary entry) {
		return entry.isTombstone() || entry.expiryMillis() != Versioned.NEVER;
	}

	long sinceNanos() {
		return this.sinceNanos;
	}

	/** The first number of a member that is not settled; {@code null} for none. */
	@Nullable Long numberOf(String member) {
		return this.numbers.get(member);
	}

	/** The numbers of a member mean nothing any more. */
	void forget(String member) {
		this.numbers.remove(member);
	}

	/** Only a read can tell what is held. */
	void doubt() {
		this.isDoubtful = true;
	}

	/** Notes that a member has named an entry. */
	Candidate named(String member, long number, Summary summary) {
		this.numbers.merge(member, number, Math::min);
		Candidate candidate = candidate(summary);
		candidate.members.add(member);
		// A majority may hold it since the read began.
		candidate.isLater |= this.isReading;
		return candidate;
	}

	private Candidate candidate(Summary summary) {
		Candidate there = of(summary.timestamp());
		if (there != null) {
			return there;
		}
		Candidate candidate = new Candidate(summary);
		this.candidates.add(candidate);
		if (this.candidates.size() > MOST) {
			this.candidates.remove(oldest());
		}
		return candidate;
	}

	/** Whether no member has named a newer entry that is unconfirmed, too. */
	boolean isNewest(Candidate candidate) {
		return this.candidates.stream().noneMatch((other) -> other.timestamp().isAfter(candidate.timestamp()));
	}

	private Candidate oldest() {
		Candidate oldest = this.candidates.getFirst();
		for (Candidate candidate : this.candidates) {
			oldest = candidate.timestamp().isAfter(oldest.timestamp()) ? oldest : candidate;
		}
		return oldest;
	}

	/** The newest entry that was named before the read began, {@code null} for none. */
	@Nullable Timestamp newestToRead() {
		Timestamp newest = null;
		for (Candidate candidate : this.candidates) {
			if (!candidate.isLater && (newest == null || candidate.timestamp().isAfter(newest))) {
				newest = candidate.timestamp();
			}
		}
		return newest;
	}

	/** Whether it was not in line for a read, in which it is now. */
	boolean queue() {
		boolean isNew = !this.isQueued;
		this.isQueued = true;
		return isNew;
	}

	/** It is not in line any more. */
	void unqueue() {
		this.isQueued = false;
	}

	/** The entry with a timestamp, if a member has named it. */
	@Nullable Candidate of(Timestamp timestamp) {
		for (Candidate candidate : this.candidates) {
			if (candidate.timestamp().equals(timestamp)) {
				return candidate;
			}
		}
		return null;
	}

	/** A majority holds an entry, of which the value is to be read. */
	void confirm(Candidate candidate) {
		if (this.confirmed == null || candidate.timestamp().isAfter(this.confirmed.timestamp())) {
			this.confirmed = candidate;
		}
	}

	/** Whether to read at once. */
	boolean isUrgent() {
		return this.isDoubtful || this.confirmed != null;
	}

	boolean isReading() {
		return this.isReading;
	}

	void begunReading() {
		this.isReading = true;
		this.isDoubtful = false;
		this.candidates.forEach((candidate) -> candidate.isLater = false);
	}

	/** The read has failed: another one is to follow. */
	void failed(long retryNanos) {
		this.isReading = false;
		this.sinceNanos = retryNanos;
	}

	/** A read has found what is held: what was named before it is settled. */
	void settled(long nowNanos) {
		this.isReading = false;
		this.confirmed = null;
		this.sinceNanos = nowNanos;
		this.candidates.removeIf((candidate) -> !candidate.isLater);
	}

	/** Whether a newer entry was named since the read began. */
	boolean isOutdated(Timestamp timestamp) {
		return this.candidates.stream()
			.anyMatch((candidate) -> candidate.isLater && candidate.timestamp().isAfter(timestamp));
	}

	/** Whether a newer entry was named before the read began, which it did not find. */
	boolean isOpenAfter(Timestamp timestamp) {
		return this.candidates.stream()
			.anyMatch((candidate) -> !candidate.isLater && candidate.timestamp().isAfter(timestamp));
	}

	/**
	 * No majority held what was named before a read began.
	 * @param millis instant of that, in milliseconds since the epoch
	 */
	void isNotHeldAsOf(long millis) {
		if (this.candidates.stream().noneMatch((candidate) -> candidate.isLater)) {
			this.asOfMillis = millis;
		}
	}

	/** An entry was reported: what is not newer is settled. */
	void reported(Timestamp timestamp) {
		this.candidates.removeIf((candidate) -> !candidate.timestamp().isAfter(timestamp));
		if (this.confirmed != null && !this.confirmed.timestamp().isAfter(timestamp)) {
			this.confirmed = null;
		}
	}

	boolean isSettled() {
		return this.candidates.isEmpty() && !this.isDoubtful && !this.isReading;
	}

}
