package io.quorate.membership;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.Deadline;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The departure of a member by the same change by which an operator removes one. It is
 * asked for again until it has begun. A change that has begun goes on by itself, also
 * when this process is killed: then the node is an absent member until it is over.
 */
final class MemberDeparture implements Departure {

	private static final Logger log = LoggerFactory.getLogger(MemberDeparture.class);

	private static final String BY = "the node itself";

	private static final Duration PAUSE = Duration.ofMillis(500);

	/* Longer than a proposal waits for its decision. */
	private static final Duration PROPOSAL = Duration.ofSeconds(40);

	/* The others learn of a decision within a second or two, from each other too. */
	private static final Duration KNOWN = Duration.ofSeconds(30);

	private final Layouts layouts;

	private final Membership membership;

	private final MemberReports reports;

	private final ClusterChanges changes;

	MemberDeparture(Layouts layouts, Membership membership, MemberReports reports, ClusterChanges changes) {
		this.layouts = layouts;
		this.membership = membership;
		this.reports = reports;
		this.changes = changes;
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
	public boolean leave(Duration longest) {
		Deadline end = Deadline.after(longest);
		String said = "";
		while (this.layouts.isMember()) {
			String objection = isLeaving(this.layouts.current()) ? null : objection(Integer.MAX_VALUE);
			if (objection != null) {
				log.warn("This node stops as a member: {}", objection);
				return false;
			}
			if (end.isExpired()) {
				log.warn("This node has not left the cluster within {} s: it stops as a member", longest.toSeconds());
				return false;
			}
			String step = step();
			if (!step.equals(said)) {
				log.info("This node leaves the cluster: {}", step);
				said = step;
			}
			if (Thread.currentThread().isInterrupted()) {
				return false;
			}
			LockSupport.parkNanos(PAUSE.toNanos());
		}
		awaitOthers();
		log.info("This node has left the cluster");
		return true;
	}

	/** Begins the change if it can begin now, and returns the progress in words. */
	private String step() {
		Layout now = this.layouts.current();
		if (isLeaving(now)) {
			return "the members that stay copy its keys, version %d of the layout".formatted(now.version());
		}
		if (now.isJoint()) {
			return "another change of the members is under way";
		}
		try {
			return "%s is decided".formatted(this.changes.remove(this.layouts.self(), now.version(), BY)
				.get(PROPOSAL.toSeconds(), TimeUnit.SECONDS));
		}
		catch (ExecutionException failure) {
			return (failure.getCause() instanceof ChangeRefusedException refused)
					? "not yet, %s".formatted(refused.getMessage()) : "not yet, %s".formatted(failure.getCause());
		}
		catch (TimeoutException silent) {
			return "not yet, nothing is decided within %d s".formatted(PROPOSAL.toSeconds());
		}
		catch (InterruptedException stopped) {
			Thread.currentThread().interrupt();
			return "interrupted";
		}
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
			LockSupport.parkNanos(PAUSE.toNanos());
		}
	}

}
