package io.quorate.repair.overview;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.repair.HintBacklog;
import io.quorate.repair.HintBacklogs;
import io.quorate.repair.antientropy.AntiEntropy;
import io.quorate.repair.antientropy.ComparisonProgress;
import io.quorate.repair.antientropy.ComparisonResponder;
import io.quorate.repair.overview.PairState.Comparison;
import io.quorate.repair.overview.PairState.Hints;
import io.quorate.repair.overview.PairState.Purge;
import io.quorate.repair.purge.PurgeView;
import org.jspecify.annotations.Nullable;

/** Gathers the state of hints, comparisons and purges into one overview. */
record GatheredOverview(Layouts layouts, Membership membership, HintBacklogs hints, AntiEntropy comparisons,
		ComparisonResponder answers, PurgeView purges) implements RepairOverview {

	private static final double MILLIS_PER_SECOND = 1000;

	@Override
	public RepairState now() {
		Map<String, HintBacklog> owed = this.hints.owed()
			.stream()
			.collect(Collectors.toMap(HintBacklog::peer, Function.identity()));
		Map<String, Double> ages = this.comparisons.agesSeconds();
		List<ComparisonProgress> progress = this.comparisons.progress();
		List<PairState> pairs = this.layouts.peers()
			.stream()
			.map(Endpoint::id)
			.sorted()
			.map((peer) -> new PairState(peer, this.membership.stateOf(peer).word(), hints(owed.get(peer)),
					comparison(peer, ages.get(peer), progress), purge(peer)))
			.toList();
		return new RepairState(this.layouts.self(), this.membership.isRebuilding(),
				known(this.purges.horizonAgeSeconds()), pairs);
	}

	private static @Nullable Hints hints(@Nullable HintBacklog owed) {
		return (owed != null) ? new Hints(owed.count(), owed.bytes(), owed.age().toMillis() / MILLIS_PER_SECOND) : null;
	}

	private @Nullable Comparison comparison(String peer, @Nullable Double age, List<ComparisonProgress> progress) {
		String leader = this.comparisons.leaderWith(peer);
		if (leader == null) {
			return null;
		}
		ComparisonProgress ours = running(peer, progress);
		if (ours == null) {
			return new Comparison(known(age), leader, this.answers.isAskedBy(peer), null, null);
		}
		return new Comparison(known(age), this.layouts.self(), true, ours.counts().keysCompared(),
				(ours.counts().keysBefore() > 0) ? ours.counts().keysBefore() : null);
	}

	/** The comparison that this node leads at present, regular or requested. */
	private static @Nullable ComparisonProgress running(String peer, List<ComparisonProgress> progress) {
		return progress.stream()
			.filter((each) -> each.subject().peer().equals(peer) && each.state() == ComparisonProgress.State.RUNNING)
			.findFirst()
			.orElse(null);
	}

	private @Nullable Purge purge(String peer) {
		if (!this.purges.peers().contains(peer)) {
			return null;
		}
		PurgeView.Withheld withheld = this.purges.withheldBecauseOf(peer);
		return new Purge(millisecondsOf(withheld.seconds()), (withheld.seconds() > 0) ? withheld.why().word() : null,
				this.purges.isLost(peer));
	}

	private static @Nullable Double known(@Nullable Double seconds) {
		return (seconds == null || seconds.isNaN()) ? null : millisecondsOf(seconds);
	}

	/** Rounds to milliseconds. */
	private static double millisecondsOf(double seconds) {
		return Math.round(seconds * MILLIS_PER_SECOND) / MILLIS_PER_SECOND;
	}

}
