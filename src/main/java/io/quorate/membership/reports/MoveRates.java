package io.quorate.membership.reports;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.quorate.membership.layout.Moved;
import org.jspecify.annotations.Nullable;

/**
 * The rates at which members copy what they gain, by their reports: each since the first
 * progress under one version of the layout that this node has heard of. Safe for any
 * number of threads.
 */
public final class MoveRates {

	private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

	private final LongSupplier nanos;

	private final Map<String, Track> tracks = new ConcurrentHashMap<>();

	/**
	 * Starts without a report.
	 * @param nanos monotonic clock
	 */
	MoveRates(LongSupplier nanos) {
		this.nanos = nanos;
	}

	/**
	 * A rate.
	 *
	 * @param bytes bytes in a second
	 * @param share part of the work in a second
	 */
	public record Rate(double bytes, double share) {
	}

	/** The report from which a rate is counted, and the last one. */
	private record Track(Moved first, long firstNanos, Moved last) {

		private Track then(Moved its, long now) {
			boolean isAnew = its.version() != this.last.version() || its.bytes() < this.last.bytes();
			return (isAnew || its.equals(this.first)) ? new Track(its, now, its)
					: new Track(this.first, this.firstNanos, its);
		}

	}

	void heard(String member, Moved its) {
		long now = this.nanos.getAsLong();
		this.tracks.compute(member, (_, before) -> (before != null) ? before.then(its, now) : new Track(its, now, its));
	}

	/** The rate of a member, {@code null} before its first progress. */
	@Nullable Rate of(String member) {
		Track its = this.tracks.get(member);
		if (its == null || its.last().equals(its.first())) {
			return null;
		}
		double seconds = Math.max(1, this.nanos.getAsLong() - its.firstNanos()) / NANOS_PER_SECOND;
		return new Rate((its.last().bytes() - its.first().bytes()) / seconds,
				Math.max(0, its.last().share() - its.first().share()) / seconds);
	}

	void forget(String member) {
		this.tracks.remove(member);
	}

}
