package io.quorate.membership.change;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

import io.quorate.membership.change.ChangeStatus.Gainer;
import io.quorate.membership.change.ChangeStatus.Progress;
import io.quorate.membership.layout.MemberData;
import io.quorate.membership.layout.Moved;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.MoveRates;
import org.jspecify.annotations.Nullable;

/** The progress of the members that gain partitions in a change. Used by one thread. */
final class ChangeProgress {

	private static final double FOUR_DIGITS = 10_000;

	private final long version;

	private final MemberReports reports;

	private final Predicate<String> isComplete;

	private final MovePlan plan;

	private final Map<String, Gainer> gainers = new TreeMap<>();

	/**
	 * The progress of a change.
	 * @param version version of the layout that began it
	 * @param isComplete whether a member has reported that it has copied all, by its id
	 */
	ChangeProgress(long version, MemberReports reports, Predicate<String> isComplete, MovePlan plan) {
		this.version = version;
		this.reports = reports;
		this.isComplete = isComplete;
		this.plan = plan;
		plan.moves().forEach((member, gain) -> this.gainers.put(member, gainer(member, gain)));
	}

	Map<String, Gainer> ofGainers() {
		return this.gainers;
	}

	private Gainer gainer(String member, MovePlan.Gain gain) {
		MemberData data = this.reports.dataOf(member);
		Moved moved = (data != null && data.moved().version() >= this.version) ? data.moved() : null;
		if (this.isComplete.test(member)) {
			Long bytes = (moved != null) ? (Long) moved.bytes() : null;
			return new Gainer(gain.partitions(), new Progress(1.0, bytes, bytes, null, 0L), true);
		}
		if (moved == null) {
			return new Gainer(gain.partitions(), new Progress(null, null, gain.bytes(), null, null), false);
		}
		MoveRates.Rate rate = this.reports.rateOf(member);
		Long perSecond = (rate != null) ? (Long) Math.round(rate.bytes()) : null;
		Long eta = (rate != null && rate.share() > 0) ? (Long) Math.round((1 - moved.share()) / rate.share()) : null;
		return new Gainer(gain.partitions(),
				new Progress(rounded(moved.share()), moved.bytes(), expected(moved, gain), perSecond, eta), false);
	}

	private static @Nullable Long expected(Moved moved, MovePlan.Gain gain) {
		if (moved.expectedBytes() > 0) {
			return moved.expectedBytes();
		}
		Long planned = gain.bytes();
		return (planned != null) ? (Long) Math.max(planned, moved.bytes()) : null;
	}

	private static double rounded(double share) {
		return Math.floor(share * FOUR_DIGITS) / FOUR_DIGITS;
	}

	Progress ofAll() {
		Collection<Gainer> all = this.gainers.values();
		if (all.isEmpty()) {
			return new Progress(null, null, null, null, null);
		}
		boolean isShareKnown = all.stream().anyMatch((gainer) -> gainer.progress().share() != null);
		return new Progress(isShareKnown ? (Double) rounded(share()) : null, known(Progress::bytes, false),
				known(Progress::expectedBytes, true), known(Progress::bytesPerSecond, false), eta());
	}

	/* One that has not reported any has made none. */
	private double share() {
		double done = 0;
		for (Gainer gainer : this.gainers.values()) {
			Double share = gainer.progress().share();
			done += (share != null) ? share * gainer.partitions() : 0;
		}
		return done / this.plan.partitions();
	}

	/* The sum of those that are known: of all, or else of any. */
	private @Nullable Long known(Function<Progress, @Nullable Long> number, boolean isOfAll) {
		Long sum = null;
		for (Gainer gainer : this.gainers.values()) {
			Long its = number.apply(gainer.progress());
			if (its == null && isOfAll) {
				return null;
			}
			if (its != null) {
				sum = (sum != null) ? (Long) (sum + its) : its;
			}
		}
		return sum;
	}

	/* They copy at the same time: the last one ends the copy. */
	private @Nullable Long eta() {
		long last = 0;
		for (Gainer gainer : this.gainers.values()) {
			Long its = gainer.progress().etaSeconds();
			if (its == null) {
				return null;
			}
			last = Math.max(last, its);
		}
		return last;
	}

}
