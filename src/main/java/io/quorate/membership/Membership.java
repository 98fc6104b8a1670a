package io.quorate.membership;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * What is known of the members' states, as the connections to them tell it. Nothing here
 * waits; safe for any number of threads.
 */
public final class Membership {

	private final Topology topology;

	private final Map<String, MemberState> states = new ConcurrentHashMap<>();

	private final Set<String> met = new HashSet<>();

	/* Those that were told to stop, and have not been back since. */
	private final Set<String> stopping = ConcurrentHashMap.newKeySet();

	private final List<Consumer<String>> suspicions = new CopyOnWriteArrayList<>();

	private final List<Runnable> majorities = new CopyOnWriteArrayList<>();

	private final List<Runnable> departures = new CopyOnWriteArrayList<>();

	private volatile boolean majorityMet;

	private volatile boolean rebuilding;

	/* Whether that store is empty yet, and since when by the monotonic clock. */
	private volatile boolean emptied;

	private volatile long emptiedNanos;

	private volatile boolean leaving;

	/** Knows the members, and has heard of none yet but this node itself. */
	public Membership(Topology topology) {
		this.topology = topology;
		topology.ring().members().forEach((member) -> this.states.put(member.id(), MemberState.DISCONNECTED));
		this.states.put(topology.self(), MemberState.UP);
		met(topology.self());
	}

	/** Takes note of the state of a peer. */
	public void stateChanged(String peer, MemberState state) {
		MemberState before = this.states.replace(peer, state);
		if (state == MemberState.UP) {
			this.stopping.remove(peer);
		}
		else if (state == MemberState.DRAINING) {
			this.stopping.add(peer);
		}
		if (before == MemberState.UP && state != MemberState.UP) {
			this.suspicions.forEach((listener) -> listener.accept(peer));
		}
	}

	/** Takes note that a member was told to stop: it says so, and does not go back. */
	public void toldToStop(String member) {
		if (this.states.containsKey(member)) {
			this.stopping.add(member);
		}
	}

	/** Whether a member is not there, and had said before that it would stop. */
	public boolean hasStopped(String member) {
		return stateOf(member) == MemberState.DISCONNECTED && this.stopping.contains(member);
	}

	/** Takes note of a handshake: a member was there, and of the same mind. */
	public void met(String member) {
		if (!this.majorityMet && isMajorityWith(member)) {
			this.majorityMet = true;
			this.majorities.forEach(Runnable::run);
		}
	}

	/** True for one call. */
	private synchronized boolean isMajorityWith(String member) {
		return this.met.add(member) && this.met.size() == this.topology.majority();
	}

	/** The state of a member. */
	public MemberState stateOf(String member) {
		return this.states.getOrDefault(member, MemberState.DISCONNECTED);
	}

	/** The state of each member, in the order of their ids. */
	public Map<String, MemberState> states() {
		Map<String, MemberState> all = new TreeMap<>(this.states);
		if (this.leaving) {
			all.put(this.topology.self(), MemberState.DRAINING);
		}
		return all;
	}

	/**
	 * This node is about to stop. It still does everything, but the other members are to
	 * ask it last from now on.
	 */
	public void leave() {
		this.leaving = true;
		this.departures.forEach(Runnable::run);
	}

	/**
	 * Has a listener told when this node is about to stop; at once if it is. It must
	 * neither block nor fail, and does no harm when it is told twice.
	 */
	public void onLeave(Runnable listener) {
		this.departures.add(listener);
		if (this.leaving) {
			listener.run();
		}
	}

	/**
	 * Whether, since this process has started, it has met so many peers that they and it
	 * are a majority of the members. It stays so when they go.
	 */
	public boolean hasMetMajority() {
		return this.majorityMet;
	}

	/** Whether this node fills its store anew, and so cannot be read. */
	public boolean isRebuilding() {
		return this.rebuilding;
	}

	/**
	 * The time for which this node, while it fills its store anew, has lost nothing more
	 * in this process: zero until what it held is set aside.
	 */
	public Duration emptiedFor() {
		return this.emptied ? Duration.ofNanos(System.nanoTime() - this.emptiedNanos) : Duration.ZERO;
	}

	/** Takes note of whether this node fills its store anew. */
	public void rebuildingChanged(boolean rebuilds) {
		this.emptied &= rebuilds;
		this.rebuilding = rebuilds;
	}

	/** Takes note that the store is empty, which is to be filled anew. */
	public void storeEmptied() {
		this.emptiedNanos = System.nanoTime();
		this.emptied = true;
	}

	/**
	 * Has a listener told of each member that was up and is not any more, from any
	 * thread, after {@link #stateOf} says so. It must neither block nor fail.
	 */
	public void onSuspect(Consumer<String> listener) {
		this.suspicions.add(listener);
	}

	/**
	 * Has a listener told once a majority has been met; at once if it has been. It must
	 * neither block nor fail, and does no harm when it is told twice.
	 */
	public void onMajority(Runnable listener) {
		this.majorities.add(listener);
		if (this.majorityMet) {
			listener.run();
		}
	}

}
