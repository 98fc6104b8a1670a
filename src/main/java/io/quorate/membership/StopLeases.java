package io.quorate.membership;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Decides whether a member may stop as far as this node is concerned: one at a time, and
 * none while another member is away, about to stop, being rebuilt, or behind. A member
 * that is about to stop asks all members, itself included, again and again, and stops
 * when all of them have agreed at once.
 * <p>
 * Two rules of each node keep two members from stopping together:
 * <ol>
 * <li>a member that may stop holds a lease, and no other member may stop before the lease
 * has run out; until then the other members have learned that the holder drains, which is
 * an objection as long as it lasts;</li>
 * <li>of several members that ask, only the one with the smallest id may stop, so that
 * they do not wait for each other.</li>
 * </ol>
 * Nothing here waits or does any I/O; safe for any number of threads.
 */
public final class StopLeases implements LayoutFollower {

	/** A check that may object to the stop of a member. */
	@FunctionalInterface
	public interface Objection {

		/**
		 * The reason, in words, or {@code null} for none. Must neither block nor fail.
		 * @param member id of the member that would like to stop
		 */
		@Nullable String to(String member);

	}

	/** Time that a lease lasts, and that a member counts as asking after it has asked. */
	public static final Duration LEASE = Duration.ofSeconds(3);

	private static final String NO_MEMBER = "";

	private final Layouts layouts;

	private final Membership membership;

	private final LongSupplier nanos;

	private final List<Objection> objections = new CopyOnWriteArrayList<>();

	/* Holds members only, and so has a bounded size. */
	private final Map<String, Long> askedNanos = new HashMap<>();

	private String holder = NO_MEMBER;

	private long leasedNanos;

	/**
	 * Starts with no member that has asked.
	 * @param nanos the monotonic clock
	 */
	public StopLeases(Layouts layouts, Membership membership, LongSupplier nanos) {
		this.layouts = layouts;
		this.membership = membership;
		this.nanos = nanos;
		layouts.follow(this);
	}

	@Override
	public synchronized void left(String peer) {
		this.askedNanos.remove(peer);
		if (this.holder.equals(peer)) {
			this.holder = NO_MEMBER;
		}
	}

	/** Adds an objection that is asked before any member may stop. */
	public void unless(Objection objection) {
		this.objections.add(objection);
	}

	/** Whether a node is a member: others may stop at any time. */
	public boolean isMember(String node) {
		return this.layouts.current().hasMember(node);
	}

	/**
	 * Decides on the question of a member that would like to stop now.
	 * @return the reason against it, or {@code null} when it may and has the lease
	 */
	public synchronized @Nullable String ask(String member) {
		if (!isMember(member)) {
			return "%s is no member".formatted(member);
		}
		this.askedNanos.put(member, this.nanos.getAsLong());
		this.membership.toldToStop(member);
		String objection = objectionTo(member);
		if (objection == null) {
			this.holder = member;
			this.leasedNanos = this.nanos.getAsLong();
		}
		else if (this.holder.equals(member)) {
			this.holder = NO_MEMBER;
		}
		return objection;
	}

	private @Nullable String objectionTo(String member) {
		if (!this.holder.equals(NO_MEMBER) && !this.holder.equals(member) && isRecent(this.leasedNanos)) {
			return "%s is about to stop".formatted(this.holder);
		}
		for (String other : this.askedNanos.keySet()) {
			if (other.compareTo(member) < 0 && isAsking(other)) {
				return "%s would like to stop, too, and comes first".formatted(other);
			}
		}
		return objectionOfState(member);
	}

	private @Nullable String objectionOfState(String member) {
		for (Map.Entry<String, MemberState> other : memberStates().entrySet()) {
			if (!other.getKey().equals(member) && other.getValue() != MemberState.UP) {
				return "%s is %s".formatted(other.getKey(), other.getValue().word());
			}
		}
		if (this.membership.isRebuilding() && !this.layouts.self().equals(member)) {
			return "%s is being rebuilt".formatted(this.layouts.self());
		}
		for (Objection each : this.objections) {
			String reason = each.to(member);
			if (reason != null) {
				return reason;
			}
		}
		return null;
	}

	/* Without the peers that are connected to because they are about to join. */
	private Map<String, MemberState> memberStates() {
		Map<String, MemberState> members = new TreeMap<>(this.membership.states());
		members.keySet().removeIf((member) -> !isMember(member));
		return members;
	}

	private boolean isAsking(String member) {
		Long asked = this.askedNanos.get(member);
		return asked != null && isRecent(asked);
	}

	private boolean isRecent(long instant) {
		return this.nanos.getAsLong() - instant < LEASE.toNanos();
	}

	/**
	 * Whether no other member stays: each has stopped, is about to stop, or would like
	 * to. Then there is nothing to wait for.
	 * <p>
	 * A member that is merely not reached does not count. If only the network is broken,
	 * the member runs, may reach this node all the same and need it for a quorum, and has
	 * hints stored here. Two machines that are drained meanwhile would lose their nodes
	 * together, and the third node stay alone when the network is back. This node cannot
	 * distinguish such a member from one that was killed; to wait in vain for a killed
	 * one costs the wait, which has an end.
	 */
	public synchronized boolean areAllLeaving() {
		return memberStates().entrySet()
			.stream()
			.filter((other) -> !other.getKey().equals(this.layouts.self()))
			.allMatch((other) -> other.getValue() == MemberState.DRAINING || isAsking(other.getKey())
					|| this.membership.hasStopped(other.getKey()));
	}

	/**
	 * Reason why each member should not stop now, as far as this node knows; members that
	 * may stop are left out.
	 */
	public synchronized Map<String, String> objections() {
		Map<String, String> all = new TreeMap<>();
		for (String member : memberStates().keySet()) {
			String objection = objectionTo(member);
			if (objection != null) {
				all.put(member, objection);
			}
		}
		return all;
	}

}
