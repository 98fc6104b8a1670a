package io.quorate.membership.members;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.quorate.consensus.Decision;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutException;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutSide;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;

/**
 * The layout that this node has adopted, and the member that it is.
 * <p>
 * A later layout replaces the current one at any instant. A task that needs more than one
 * answer, such as the replicas of a key and the number of acks, takes the layout once,
 * and keeps it to its end. Safe for any number of threads; no method but {@link #adopt}
 * takes longer than to read a field.
 */
public final class Layouts {

	private static final String REMEDY = "If the others hold the data, stop this node, move its directory away, and start it with quorate.cluster.seeds naming some of them; if not, stop them";

	private final String self;

	/* Address of this node as a candidate. */
	private final @Nullable Endpoint joining;

	/*
	 * Nodes that a candidate takes for members, beside those of its layout, and so does a
	 * node whose configuration has no other member, while it has lost its layout.
	 */
	private final List<Endpoint> seeds;

	private final List<DerivedValue<?>> derived = new ArrayList<>();

	private final FollowedPeers followed;

	private final Layout configured;

	private final Function<LayoutSide, Ring> rings;

	private volatile Layout current;

	private volatile long fence;

	private volatile boolean hasLeft;

	private volatile boolean hasLostLayout;

	private volatile boolean isAdmitting;

	/* The version that a seed has shown; none is as high before. */
	private volatile long toReach = Long.MAX_VALUE;

	/* Words about the node that has a later layout, which this one cannot learn. */
	private volatile @Nullable String overtakenBy;

	/**
	 * The layouts of a member.
	 * @param self id of this node
	 */
	public Layouts(String self, Layout first) {
		this(self, first, null, List.of(), LayoutSide::ring);
	}

	/**
	 * The layouts of a node.
	 * @param joining address of a candidate, {@code null} for a member
	 * @param seeds nodes that a candidate takes for members, too
	 * @param rings ring of a side, as {@link LayoutSide#ring} computes it
	 */
	public Layouts(String self, Layout first, @Nullable Endpoint joining, List<Endpoint> seeds,
			Function<LayoutSide, Ring> rings) {
		this.rings = rings;
		this.self = self;
		this.joining = joining;
		this.seeds = seeds;
		this.configured = first;
		this.current = first;
		this.fence = first.version();
		this.followed = new FollowedPeers(contacts(), this::isSeed);
	}

	/**
	 * The layouts of a member, of which the first is that of its configuration.
	 * @param self id of this node
	 * @param members {@code id@host:port[/zone]} of each, this node included; none for a
	 * node alone
	 * @param replicationFactor greatest number of members that hold an entry,
	 * {@code null} for all of them
	 * @throws LayoutException when there can be no such cluster
	 */
	public static Layouts of(String self, List<String> members, @Nullable Integer replicationFactor) {
		return of(self, members, replicationFactor, null, List.of());
	}

	/**
	 * As above, or those of a candidate, which the configuration does not name.
	 * @param join {@code id@host:port[/zone]} of the candidate
	 * @param seeds {@code id@host:port[/zone]} of nodes that the candidate takes for
	 * members, too
	 */
	public static Layouts of(String self, List<String> members, @Nullable Integer replicationFactor,
			@Nullable String join, List<String> seeds) {
		try {
			List<Endpoint> endpoints = members.stream().map(Endpoint::parse).toList();
			ConfiguredMembers.requireApart(endpoints);
			if (endpoints.isEmpty() && (join != null || !seeds.isEmpty())) {
				throw new IllegalArgumentException(
						"quorate.cluster.members is missing: a node that is to join a cluster has "
								+ "the members of the first start there, beside quorate.cluster.join and quorate.cluster.seeds");
			}
			List<Member> all = endpoints.isEmpty() ? List.of(Member.of(self))
					: endpoints.stream().map(Endpoint::member).toList();
			Ring ring = Ring.of(all, (replicationFactor != null) ? replicationFactor : all.size());
			Layout first = new Layout(Layout.FIRST, endpoints, ring);
			List<Endpoint> known = ConfiguredMembers.seeds(seeds, first)
				.stream()
				.filter((seed) -> !seed.id().equals(self))
				.toList();
			return first.hasMember(self)
					? new Layouts(self, first, null, (all.size() == 1) ? known : List.of(), LayoutSide::ring)
					: new Layouts(self, first, ConfiguredMembers.candidate(self, endpoints, join), known,
							LayoutSide::ring);
		}
		catch (IllegalArgumentException wrong) {
			throw new LayoutException(String.valueOf(wrong.getMessage()), wrong);
		}
	}

	/** Id of this node. */
	public String self() {
		return this.self;
	}

	/** The layout of the configuration, which all nodes of the cluster have alike. */
	public Layout configured() {
		return this.configured;
	}

	/** The layout that this node has adopted last. */
	public Layout current() {
		return this.current;
	}

	/**
	 * The lowest version of a layout whose requests this node carries out: that of the
	 * current one, or of one before it which is known to assign keys as it does. None
	 * while it {@linkplain #awaitsSeed() awaits} its layout.
	 */
	public long fence() {
		return this.hasLostLayout ? Long.MAX_VALUE : this.fence;
	}

	/**
	 * Has this node carry out no request of the current layout any more: members have a
	 * later one, which it must not adopt.
	 */
	public synchronized void refuseBefore(long version) {
		this.fence = Math.max(this.fence, version);
	}

	/** Whether members have a later layout, which this node must not adopt. */
	public boolean isOvertaken() {
		return fence() > this.current.version();
	}

	/** Whether the configuration names this node, and no other one. */
	public boolean isFirstAlone() {
		return isOnly(this.configured);
	}

	/**
	 * This node, the only one of its configuration, may have lost a directory that knew
	 * of other members. If it has seeds, it serves nothing until one of them has shown it
	 * the layout. To be called before this node adopts what its directory knows.
	 * @param known last layout that its directory knows
	 * @param isNew whether the directory is new
	 * @param hasGrown whether the data in it is of a cluster whose members have changed
	 */
	public synchronized void mayHaveLost(Decision known, boolean isNew, boolean hasGrown) {
		boolean isLost = (isNew && isAloneBy(known)) || (hasGrown && known.version() == Layout.FIRST);
		if (isLost && isFirstAlone() && !this.seeds.isEmpty()) {
			this.hasLostLayout = true;
			contacts().forEach(this.followed::joins);
		}
	}

	/* A new directory that has learned some layouts is on the way to those after. */
	private boolean isAloneBy(Decision known) {
		try {
			return LayoutCodec.read(known.decree()).members().size() == 1;
		}
		catch (IllegalArgumentException newer) {
			// The start fails by that.
			return false;
		}
	}

	/**
	 * A node that this one takes for a member has shown it layouts up to a version. If
	 * this node awaits one, it passes over those before: by the first of them it would be
	 * the only member.
	 */
	public synchronized void isToReach(long version) {
		this.toReach = (this.toReach == Long.MAX_VALUE) ? version : Math.max(this.toReach, version);
	}

	/** Whether this node waits for a seed that shows it the layout of its cluster. */
	public boolean awaitsSeed() {
		return this.hasLostLayout;
	}

	/**
	 * A node that is no member by the current layout has adopted a later one, and takes
	 * this node for a member. If neither the configuration nor the layout has another
	 * member, from which this node would learn that, it may have begun a cluster of its
	 * own with an empty or an old directory: it carries out no request any more.
	 * @param stranger id of the node
	 * @return reason in words
	 */
	public synchronized @Nullable String overtakenBy(String stranger, LayoutVersion theirs) {
		boolean learns = !isFirstAlone() || !isAlone();
		if (learns || theirs.version() <= Math.max(this.current.version(), this.fence)) {
			return null;
		}
		String why = "'%s' has adopted %s of the layout, and this node knows version %d: it has lost its directory, or has an old one, and serves nothing. %s"
			.formatted(stranger, theirs, this.current.version(), REMEDY);
		this.overtakenBy = why;
		refuseBefore(theirs.version());
		return why;
	}

	/**
	 * The reason for which this node must neither serve nor vote by the layout that it
	 * knows, {@code null} when there is none.
	 */
	public @Nullable String unfit() {
		if (awaitsSeed()) {
			return "this node, %s, does not know the layout of its cluster any more, and none of quorate.cluster.seeds has shown it yet. If it is to begin a new cluster, start it without quorate.cluster.seeds"
				.formatted(this.self);
		}
		return isOvertaken() ? this.overtakenBy : null;
	}

	/** The ring of the current layout. */
	public Ring ring() {
		return this.current.ring();
	}

	/**
	 * The layout that a record describes. A member of the configuration is reached at the
	 * address there, which may be another on each node, and any other one at the address
	 * that the record names. Takes as long as {@link Ring#of}, unless the current layout
	 * has the ring.
	 */
	public Layout of(long version, LayoutRecord record) {
		Ring stable = ringOf(record.stable());
		LayoutSide target = record.target();
		RingPair rings = new RingPair(stable, (target != null) ? ringOf(target) : stable,
				this.configured.ring().replicationFactor());
		return new Layout(version, endpoints(record), rings, record.dead(), record.directories());
	}

	private List<Endpoint> endpoints(LayoutRecord record) {
		List<Endpoint> endpoints = new ArrayList<>();
		this.configured.endpoints()
			.stream()
			.filter((endpoint) -> record.member(endpoint.id()) != null)
			.forEach(endpoints::add);
		record.members()
			.stream()
			.filter((member) -> this.configured.endpointOf(member.id()) == null && !member.host().isEmpty())
			.map((member) -> new Endpoint(member.member(), member.host(), member.port()))
			.forEach(endpoints::add);
		return endpoints;
	}

	private Ring ringOf(LayoutSide side) {
		RingPair known = this.current.rings();
		return Stream.of(known.before(), known.after())
			.filter(side::isAssignedBy)
			.findFirst()
			.orElseGet(() -> this.rings.apply(side));
	}

	/**
	 * Replaces the current layout by a later one, once the peers that join are known, and
	 * all that is derived from it is there; does nothing when the layout is not later.
	 * Takes as long as to derive all.
	 * @throws RuntimeException when something cannot be derived, or a follower cannot
	 * take a peer that joins: the current layout stays, and those that were to join have
	 * left. So it is after an error, too.
	 */
	public synchronized void adopt(Layout later) {
		adopt(later, isMember() || this.hasLeft);
	}

	/**
	 * As above.
	 * @param wasMember whether the directory of this node is, or was, that of a member
	 */
	public synchronized void adopt(Layout later, boolean wasMember) {
		if (later.version() <= this.current.version()) {
			return;
		}
		boolean leaves = wasMember && !later.hasMember(this.self);
		List<Endpoint> contacts = contacts(later, leaves);
		List<Runnable> changes;
		boolean isReassigned = !later.assignsAs(this.current);
		try {
			contacts.forEach(this.followed::joins);
			changes = changesTo(later);
			if (isReassigned) {
				this.followed.reassigns(later);
			}
		}
		catch (RuntimeException | Error impossible) {
			expectNone();
			throw impossible;
		}
		if (isReassigned || later.version() != this.current.version() + 1) {
			this.fence = Math.max(this.fence, later.version());
		}
		this.hasLeft = leaves;
		this.current = later;
		this.hasLostLayout = isLostAt(later);
		changes.forEach(Runnable::run);
		this.followed.adopted(later);
		this.followed.keep(contacts);
	}

	/**
	 * Whether this node is about to adopt the layout by which it joins, or has adopted it
	 * and not noted yet that its directory is a member's: what it acknowledges would
	 * count as incomplete, and it is not read.
	 */
	public boolean isAdmitting() {
		return this.isAdmitting;
	}

	/** This node begins to admit its directory as a member's, or has ended that. */
	public void admits(boolean begins) {
		this.isAdmitting = begins;
	}

	private List<Runnable> changesTo(Layout later) {
		List<Runnable> changes = new ArrayList<>();
		for (DerivedValue<?> each : this.derived) {
			changes.add(each.changeTo(later));
		}
		return changes;
	}

	/**
	 * Makes the peers known that join by a layout which is to be adopted, so that they
	 * are connected to before. They are left again when one without them is expected or
	 * adopted.
	 * @return their ids
	 */
	public synchronized Set<String> expect(LayoutRecord later) {
		List<Endpoint> peers = endpoints(later).stream().filter((peer) -> !peer.id().equals(this.self)).toList();
		return this.followed.expect(contacts(), peers);
	}

	/** Has the peers leave that were expected: the layout with them is not adopted. */
	public synchronized void expectNone() {
		this.followed.keep(contacts());
	}

	/**
	 * Has a component follow the changes: {@link LayoutFollower#joins} is called now with
	 * each peer of the current layout.
	 */
	public synchronized void follow(LayoutFollower follower) {
		this.followed.add(follower);
	}

	/**
	 * Derives a value from each layout: now from the current one, and from every later
	 * one before that is adopted. The supplier returns the value of the current layout.
	 * @param form derivation, which depends on nothing but the layout
	 */
	public synchronized <T> Supplier<T> derive(Function<Layout, T> form) {
		DerivedValue<T> value = new DerivedValue<>(form, this.current);
		this.derived.add(value);
		return value;
	}

	/**
	 * Address of this node itself, or {@code null} when it is alone and needs none. A
	 * candidate of the configuration may have learned of layouts without it.
	 */
	public @Nullable Endpoint own() {
		return Stream
			.of(Optional.ofNullable(this.current.endpointOf(this.self)), Optional.ofNullable(this.joining),
					Optional.ofNullable(this.configured.endpointOf(this.self)))
			.flatMap(Optional::stream)
			.findFirst()
			.orElse(null);
	}

	/** Whether this node is a member by the current layout. */
	public boolean isMember() {
		return this.current.hasMember(this.self);
	}

	/**
	 * Whether the directory of this node was that of a member, and the current layout
	 * does not name it.
	 */
	public boolean hasLeft() {
		return this.hasLeft;
	}

	/**
	 * Whether this node, once it has left, sets its files aside and joins as a new node.
	 * A node that the configuration names would begin anew as a member of the first
	 * layout, and two of them could be a majority of it: these are left to operators.
	 */
	public boolean mayBeginAnew(ClusterProperties cluster) {
		return cluster.joinByItself() && !this.configured.hasMember(this.self);
	}

	/** All members of the current layout but this node. */
	public List<Endpoint> peers() {
		return peers(this.current);
	}

	/**
	 * The nodes that this node takes for members now: {@link #peers}, and as long as it
	 * is a candidate or {@linkplain #awaitsSeed() awaits} one, the seeds of its
	 * configuration. The members of the layout that a candidate knows may all have been
	 * replaced since.
	 */
	public List<Endpoint> contacts() {
		return contacts(this.current, this.hasLeft);
	}

	private List<Endpoint> contacts(Layout layout, boolean left) {
		List<Endpoint> all = new ArrayList<>(peers(layout));
		if (!left && (isLostAt(layout) || !layout.hasMember(this.self))) {
			this.seeds.stream().filter((seed) -> !layout.hasMember(seed.id())).forEach(all::add);
		}
		return all;
	}

	private boolean isLostAt(Layout layout) {
		return this.hasLostLayout && layout.version() < this.toReach;
	}

	/** Whether this node takes a node for a member by its seeds alone. */
	public boolean isSeed(String node) {
		return !this.current.hasMember(node) && contacts().stream().anyMatch((seed) -> seed.id().equals(node));
	}

	private List<Endpoint> peers(Layout layout) {
		return layout.endpoints().stream().filter((endpoint) -> !endpoint.id().equals(this.self)).toList();
	}

	/** Whether this node is the only member of the cluster, as far as it knows. */
	public boolean isAlone() {
		return isOnly(this.current) && !awaitsSeed();
	}

	/**
	 * Whether this node was the only member before the change under way, and may have
	 * acted so until it adopted that.
	 */
	public boolean wasAloneBefore() {
		return this.current.isJoint()
				&& this.current.rings().before().members().stream().map(Member::id).toList().equals(List.of(this.self));
	}

	private boolean isOnly(Layout layout) {
		return layout.members().equals(List.of(this.self));
	}

	/** The seeds of the configuration, without this node. */
	public List<Endpoint> seeds() {
		return this.seeds;
	}

	/**
	 * A value that is derived from the current layout. Changed by one thread at a time,
	 * read by any.
	 */
	private static final class DerivedValue<T> implements Supplier<T> {

		private final Function<Layout, T> form;

		private volatile T value;

		DerivedValue(Function<Layout, T> form, Layout first) {
			this.form = form;
			this.value = form.apply(first);
		}

		/** Derives the value of a later layout; the change that is returned sets it. */
		Runnable changeTo(Layout later) {
			T next = this.form.apply(later);
			return () -> this.value = next;
		}

		@Override
		public T get() {
			return this.value;
		}

	}

	/**
	 * The checks of the nodes that a configuration names. A configuration that is wrong
	 * is reported by an {@link IllegalArgumentException}.
	 */
	private static final class ConfiguredMembers {

		private ConfiguredMembers() {
		}

		/**
		 * Address of this node, which the configuration does not name as a member.
		 * @param join value of {@code quorate.cluster.join}
		 */
		static Endpoint candidate(String self, List<Endpoint> members, @Nullable String join) {
			if (join == null) {
				throw new IllegalArgumentException(
						"this node, '%s' (quorate.node.id), is not among the members %s; a node that is to join them later has quorate.cluster.join"
							.formatted(self, members));
			}
			Endpoint own = Endpoint.parse(join);
			if (!own.id().equals(self)) {
				throw new IllegalArgumentException(
						"quorate.cluster.join is %s, and this node is '%s' (quorate.node.id)".formatted(own, self));
			}
			return own;
		}

		/**
		 * The nodes of a list of seeds. Of an id that both lists have, zone and address
		 * are those of the members.
		 */
		static List<Endpoint> seeds(List<String> seeds, Layout first) {
			List<Endpoint> endpoints = seeds.stream().map(Endpoint::parse).toList();
			requireApart(endpoints);
			Map<String, Endpoint> byId = new TreeMap<>();
			for (Endpoint seed : endpoints) {
				Endpoint configured = first.endpointOf(seed.id());
				Endpoint other = byId.put(seed.id(), (configured != null) ? configured : seed);
				other = (configured != null) ? configured : other;
				if (other != null && !other.hasAddressOf(seed)) {
					throw new IllegalArgumentException(
							"the seed %s (quorate.cluster.seeds) has two addresses: %s is the other".formatted(seed,
									other));
				}
			}
			return List.copyOf(byId.values());
		}

		/** Requires that no two nodes of a list have one address. */
		static void requireApart(List<Endpoint> endpoints) {
			Map<String, Endpoint> byAddress = new HashMap<>();
			for (Endpoint endpoint : endpoints) {
				Endpoint other = byAddress.put(endpoint.host() + " " + endpoint.port(), endpoint);
				if (other != null && !other.id().equals(endpoint.id())) {
					throw new IllegalArgumentException(
							"the members %s and %s have one address".formatted(other, endpoint));
				}
			}
		}

	}

}
