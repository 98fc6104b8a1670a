package io.quorate.membership;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The departure of a member by the same change by which an operator removes one, with the
 * same checks. It is asked for again until it has begun. A change that has begun goes on
 * by itself, also when this process is killed: then the node is an absent member until it
 * is over. One that an operator gives up is not begun anew.
 */
final class MemberDeparture implements Departure {

	private static final Logger log = LoggerFactory.getLogger(MemberDeparture.class);

	private static final String BY = "the node itself";

	private static final Duration PAUSE = Duration.ofMillis(500);

	/* A plan takes as long as to compute the ring. */
	private static final Duration REFUSED_PAUSE = Duration.ofSeconds(2);

	/* The reasons for the departure do not change often. */
	private static final Duration REASONS = Duration.ofMinutes(1);

	/* Longer than a proposal waits for its decision. */
	private static final Duration PROPOSAL = Duration.ofSeconds(40);

	/* The others learn of a decision within a second or two, from each other too. */
	private static final Duration KNOWN = Duration.ofSeconds(30);

	private final Layouts layouts;

	private final Membership membership;

	private final MemberReports reports;

	private final PlannedChanges changes;

	private final Pace pace;

	MemberDeparture(Layouts layouts, Membership membership, MemberReports reports, PlannedChanges changes) {
		this(layouts, membership, reports, changes, new Pace(REASONS, LockSupport::parkNanos));
	}

	MemberDeparture(Layouts layouts, Membership membership, MemberReports reports, PlannedChanges changes, Pace pace) {
		this.layouts = layouts;
		this.membership = membership;
		this.reports = reports;
		this.changes = changes;
		this.pace = pace;
	}

	/**
	 * The pace of a departure.
	 *
	 * @param reasons time between two questions for the reason to stay
	 * @param rest waits for so many nanoseconds
	 */
	record Pace(Duration reasons, LongConsumer rest) {
	}

	@Override
	public @Nullable String objection(int staying) {
		Layout now = this.layouts.current();
		int factor = Math.max(now.rings().before().replicationFactor(), now.rings().after().replicationFactor());
		if (!this.layouts.isMember()) {
			return "%s is no member".formatted(this.layouts.self());
		}
		if (staying < factor) {
			return "%d members would be fewer than the replication factor, %d".formatted(staying, factor);
		}
		if (!isLeaving(now) && now.rings().after().members().size() - 1 < factor) {
			return "there are %d members, and the replication factor is %d"
				.formatted(now.rings().after().members().size(), factor);
		}
		return null;
	}

	private boolean isLeaving(Layout now) {
		return now.rings().after().members().stream().noneMatch((member) -> member.id().equals(this.layouts.self()));
	}

	@Override
	public boolean leave(Supplier<@Nullable String> reasonToStay, Duration longest) {
		Attempt attempt = new Attempt(reasonToStay);
		Deadline end = Deadline.after(longest);
		while (this.layouts.isMember()) {
			if (end.isExpired()) {
				log.warn("This node has not left the cluster within {} s: it stops as a member", longest.toSeconds());
				return false;
			}
			String staying = attempt.step();
			if (Thread.currentThread().isInterrupted()) {
				return false;
			}
			if (staying != null && this.layouts.isMember()) {
				log.warn("This node stops as a member: {}", staying);
				return false;
			}
			attempt.pause();
		}
		awaitOthers();
		log.info("This node has left the cluster");
		return true;
	}

	/*
	 * A member that does not know yet would count on this node; the decision holds
	 * without it.
	 */
	private void awaitOthers() {
		Deadline end = Deadline.after(KNOWN);
		Layout left = this.layouts.current();
		while (!end.isExpired() && !Thread.currentThread().isInterrupted()
				&& left.members()
					.stream()
					.anyMatch((member) -> this.membership.stateOf(member) == MemberState.UP
							&& !this.reports.hasAdopted(member, left.version()))) {
			this.pace.rest().accept(PAUSE.toNanos());
		}
	}

	/** One departure, from the first question until the node has left, or stays. */
	private final class Attempt {

		private final Supplier<@Nullable String> reasonToStay;

		private Deadline nextQuestion = Deadline.after(MemberDeparture.this.pace.reasons());

		/* Version of the layout by which this node goes, 0 before it is decided. */
		private long begun;

		private String said = "";

		private Duration pause = PAUSE;

		private Attempt(Supplier<@Nullable String> reasonToStay) {
			this.reasonToStay = reasonToStay;
		}

		/** Goes on as far as it can now, and returns the reason to stay, if any. */
		private @Nullable String step() {
			Layout now = MemberDeparture.this.layouts.current();
			this.pause = PAUSE;
			if (isLeaving(now)) {
				this.begun = now.version();
				say("the members that stay copy its keys, version %d of the layout".formatted(now.version()));
				return null;
			}
			if (this.begun > 0) {
				return (now.version() > this.begun)
						? "its removal by version %d of the layout was given up".formatted(this.begun) : null;
			}
			String objection = objection(Integer.MAX_VALUE);
			if (objection != null) {
				return objection;
			}
			if (this.nextQuestion.isExpired()) {
				String staying = reasonToStay();
				if (staying != null) {
					return staying;
				}
			}
			if (now.isJoint()) {
				say("another change of the members is under way");
				return null;
			}
			return propose(now.version());
		}

		private @Nullable String reasonToStay() {
			String staying = this.reasonToStay.get();
			this.nextQuestion = Deadline.after(MemberDeparture.this.pace.reasons());
			return staying;
		}

		private @Nullable String propose(long version) {
			try {
				PlannedChanges.Planned removal = MemberDeparture.this.changes
					.plan((its) -> its.remove(MemberDeparture.this.layouts.self(), version, BY));
				String staying = reasonToStay();
				if (staying != null) {
					return staying;
				}
				LayoutVersion decided = removal.propose().get(PROPOSAL.toSeconds(), TimeUnit.SECONDS);
				this.begun = decided.version();
				say("%s is decided".formatted(decided));
			}
			catch (ExecutionException failure) {
				notYet((failure.getCause() instanceof ChangeRefusedException refused)
						? String.valueOf(refused.getMessage()) : String.valueOf(failure.getCause()));
			}
			catch (TimeoutException silent) {
				notYet("nothing is decided within %d s".formatted(PROPOSAL.toSeconds()));
			}
			catch (InterruptedException stopped) {
				Thread.currentThread().interrupt();
			}
			return null;
		}

		private void notYet(String why) {
			this.pause = REFUSED_PAUSE;
			say("not yet, %s".formatted(why));
		}

		private void say(String step) {
			if (!step.equals(this.said)) {
				log.info("This node leaves the cluster: {}", step);
				this.said = step;
			}
		}

		private void pause() {
			MemberDeparture.this.pace.rest().accept(this.pause.toNanos());
		}

	}

}
