package io.quorate.membership.members;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;

/**
 * The states of the members, as the connections to them report them. Nothing here waits;
 * safe for any number of threads.
 */
public final class Membership implements LayoutFollower {

	private final Layouts layouts;

	private final Map<String, MemberState> states = new ConcurrentHashMap<>();

	/* Instant at which each disconnected peer was connected last, or became a member. */
	private final Map<String, Long> awaySince = new ConcurrentHashMap<>();

	private final LongSupplier nanos;

	private final Set<String> met = new HashSet<>();

	/* Peers that have reported last that they are being rebuilt. */
	private final Set<String> rebuiltPeers = ConcurrentHashMap.newKeySet();

	/* Peers that can be sent requests of every size. */
	private final Set<String> reached = ConcurrentHashMap.newKeySet();

	private final List<Consumer<String>> arrivals = new CopyOnWriteArrayList<>();

	private final List<Consumer<String>> suspicions = new CopyOnWriteArrayList<>();

	private final List<Runnable> majorities = new CopyOnWriteArrayList<>();

	private final List<Runnable> departures = new CopyOnWriteArrayList<>();

	private volatile boolean majorityMet;

	private volatile boolean knowsLayout;

	private volatile boolean rebuilding;

	private final AtomicLong endedRebuilds = new AtomicLong();

	/*
	 * Whether the store to be rebuilt is empty yet, and since which instant of the
	 * monotonic clock.
	 */
	private volatile boolean emptied;

	private volatile long emptiedNanos;

	private volatile boolean leaving;

	/** Starts with every member disconnected but this node itself. */
	public Membership(Layouts layouts) {
		this(layouts, System::nanoTime);
	}

	/** As above, by another monotonic clock. */
	public Membership(Layouts layouts, LongSupplier nanos) {
		this(layouts, nanos, true);
	}

	private Membership(Layouts layouts, LongSupplier nanos, boolean knowsLayout) {
		this.layouts = layouts;
		this.nanos = nanos;
		this.knowsLayout = knowsLayout;
		layouts.current().members().forEach(this::begin);
		this.states.put(layouts.self(), MemberState.UP);
		layouts.follow(this);
		met(layouts.self());
	}

	/**
	 * The membership of a node that has not read yet what it knows of the layout. No
	 * majority counts as met before {@link #layoutRead()}: the only node of a
	 * configuration is not alone any more if its cluster has grown.
	 */
	public static Membership beforeLayout(Layouts layouts) {
		return new Membership(layouts, System::nanoTime, false);
	}

	/** This node has adopted the last layout that it knows. */
	public void layoutRead() {
		this.knowsLayout = true;
		met(this.layouts.self());
	}

	@Override
	public void joins(Endpoint peer) {
		this.reached.remove(peer.id());
		begin(peer.id());
	}

	private void begin(String member) {
		this.awaySince.putIfAbsent(member, this.nanos.getAsLong());
		this.states.putIfAbsent(member, MemberState.DISCONNECTED);
	}

	/* A start knows the members of the configuration first: this one may be alone now. */
	@Override
	public void adopted(Layout now) {
		if (now.hasMember(this.layouts.self())) {
			met(this.layouts.self());
		}
	}

	@Override
	public void left(String peer) {
		this.states.remove(peer);
		this.awaySince.remove(peer);
		this.rebuiltPeers.remove(peer);
		this.reached.remove(peer);
	}

	/** Records the state of a peer. */
	public void stateChanged(String peer, MemberState state) {
		/* Before the state, so that none is disconnected since an instant long ago. */
		if (state == MemberState.DISCONNECTED && stateOf(peer) != state) {
			this.awaySince.replace(peer, this.nanos.getAsLong());
		}
		MemberState before = this.states.replace(peer, state);
		if (state == MemberState.DISCONNECTED) {
			this.reached.remove(peer);
		}
		if (before == MemberState.UP && state != MemberState.UP) {
			this.suspicions.forEach((listener) -> listener.accept(peer));
		}
	}

	/**
	 * Records that all connections to a peer are up: it can be sent requests of every
	 * size.
	 */
	public void reached(String peer) {
		if (this.states.containsKey(peer) && this.reached.add(peer)) {
			this.arrivals.forEach((listener) -> listener.accept(peer));
		}
	}

	/**
	 * Whether all connections to a peer have been up since it was disconnected last.
	 */
	public boolean isReached(String peer) {
		return this.reached.contains(peer);
	}

	/**
	 * Registers a listener that is called with each peer to which all connections have
	 * come up, on any thread, after {@link #isReached} says so. The listener must neither
	 * block nor fail.
	 */
	public void onReached(Consumer<String> listener) {
		this.arrivals.add(listener);
	}

	/**
	 * Records a handshake with a member whose configuration agrees, and which has shown
	 * no later layout than this node has adopted.
	 */
	public void met(String member) {
		if (!this.majorityMet && isMajorityWith(member)) {
			this.majorities.forEach(Runnable::run);
		}
	}

	/* Whether this member makes the majority: true for one call. */
	private synchronized boolean isMajorityWith(String member) {
		if (this.majorityMet || this.layouts.awaitsSeed()) {
			return false;
		}
		this.met.add(member);
		if (!this.knowsLayout) {
			return false;
		}
		this.majorityMet = this.layouts.current().isMajority(this.met::contains);
		return this.majorityMet;
	}

	/** The state of a member. */
	public MemberState stateOf(String member) {
		return this.states.getOrDefault(member, MemberState.DISCONNECTED);
	}

	/**
	 * The time for which a member has been disconnected without a break; since the start
	 * of this process, or since it is a member, if it never was connected.
	 */
	public Duration disconnectedFor(String member) {
		Long since = this.awaySince.get(member);
		return (since != null && stateOf(member) == MemberState.DISCONNECTED)
				? Duration.ofNanos(this.nanos.getAsLong() - since) : Duration.ZERO;
	}

	/** The state of each member, in the order of their ids. */
	public Map<String, MemberState> states() {
		Map<String, MemberState> all = new TreeMap<>(this.states);
		if (this.leaving) {
			all.put(this.layouts.self(), MemberState.DRAINING);
		}
		return all;
	}

	/**
	 * Announces that this node is about to stop. It still serves everything, but the
	 * other members are to ask it last from now on.
	 */
	public void leave() {
		this.leaving = true;
		this.departures.forEach(Runnable::run);
	}

	/**
	 * Registers a listener that is called when this node is about to stop; at once if it
	 * is. The listener must neither block nor fail, and does no harm when it is called
	 * twice.
	 */
	public void onLeave(Runnable listener) {
		this.departures.add(listener);
		if (this.leaving) {
			listener.run();
		}
	}

	/**
	 * Whether this process has met so many peers since its start that they and this node
	 * are a majority of the members, each when this node had adopted the layout which
	 * that peer had shown. It stays true when peers disconnect.
	 */
	public boolean hasMetMajority() {
		return this.majorityMet;
	}

	/** Whether this node is being rebuilt, and so answers no reads. */
	public boolean isRebuilding() {
		return this.rebuilding;
	}

	/**
	 * The time for which this node, while it is being rebuilt, has lost nothing more in
	 * this process: zero until its old store is set aside.
	 */
	public Duration emptiedFor() {
		return this.emptied ? Duration.ofNanos(System.nanoTime() - this.emptiedNanos) : Duration.ZERO;
	}

	/** Records whether this node is being rebuilt. */
	public void rebuildingChanged(boolean rebuilds) {
		if (this.rebuilding && !rebuilds) {
			this.endedRebuilds.incrementAndGet();
		}
		this.emptied &= rebuilds;
		this.rebuilding = rebuilds;
	}

	/**
	 * Number of rebuilds of this node that have ended in this process. It counts one
	 * before {@link #isRebuilding} says that it is over.
	 */
	public long endedRebuilds() {
		return this.endedRebuilds.get();
	}

	/** Records whether a peer is being rebuilt. */
	public void rebuildingChanged(String peer, boolean rebuilds) {
		if (rebuilds && this.states.containsKey(peer)) {
			this.rebuiltPeers.add(peer);
		}
		else {
			this.rebuiltPeers.remove(peer);
		}
	}

	/** Whether a member is being rebuilt, as far as this node has heard. */
	public boolean isRebuilding(String member) {
		return member.equals(this.layouts.self()) ? this.rebuilding : this.rebuiltPeers.contains(member);
	}

	/** Records that the store to be rebuilt has data that is going to be set aside. */
	public void storeToBeEmptied() {
		this.emptied = false;
	}

	/** Records that the store to be rebuilt is empty. */
	public void storeEmptied() {
		this.emptiedNanos = System.nanoTime();
		this.emptied = true;
	}

	/**
	 * Registers a listener that is called with each member that was up and is not any
	 * more, on any thread, after {@link #stateOf} returns its new state. The listener
	 * must neither block nor fail.
	 */
	public void onSuspect(Consumer<String> listener) {
		this.suspicions.add(listener);
	}

	/**
	 * Registers a listener that is called once a majority has been met; at once if it has
	 * been. The listener must neither block nor fail, and does no harm when it is called
	 * twice.
	 */
	public void onMajority(Runnable listener) {
		this.majorities.add(listener);
		if (this.majorityMet) {
			listener.run();
		}
	}

}
