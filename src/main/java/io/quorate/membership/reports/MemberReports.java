package io.quorate.membership.reports;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFacts;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.layout.MemberData;
import io.quorate.membership.layout.Moved;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.ring.Member;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.StoreIdentity;
import io.quorate.storage.StoreStatus;
import org.jspecify.annotations.Nullable;

/**
 * The reports of members on which the decisions about the layout depend: their storage
 * ids and the layouts that they have adopted, beside their states and programs. Nothing
 * here waits; safe for any number of threads.
 */
public final class MemberReports implements LayoutFollower {

	private final Layouts layouts;

	private final Membership membership;

	private final Upgrade upgrade;

	private final StoreIdentity identity;

	private final Map<String, UUID> storageIds = new ConcurrentHashMap<>();

	private final Map<String, LayoutVersion> adopted = new ConcurrentHashMap<>();

	private final Map<String, Long> copied = new ConcurrentHashMap<>();

	private final Map<String, MemberData> data = new ConcurrentHashMap<>();

	private final MoveRates rates = new MoveRates(System::nanoTime);

	private final NamedDirectories processes;

	/* Those that the layout names which was adopted last. */
	private Map<String, UUID> named;

	/**
	 * Starts without a report.
	 * @param identity identity of this node's own data
	 */
	public MemberReports(Layouts layouts, Membership membership, Upgrade upgrade, StoreIdentity identity) {
		this(layouts, membership, upgrade, identity, System::nanoTime);
	}

	/** As above, by another monotonic clock. */
	public MemberReports(Layouts layouts, Membership membership, Upgrade upgrade, StoreIdentity identity,
			LongSupplier nanos) {
		this.layouts = layouts;
		this.membership = membership;
		this.upgrade = upgrade;
		this.identity = identity;
		this.processes = new NamedDirectories(layouts, identity, nanos);
		this.named = layouts.current().directories();
		layouts.follow(this);
	}

	/**
	 * What was met of a member before its directory was named does not say that this one
	 * is lost, unless it is still connected.
	 */
	@Override
	public void adopted(Layout now) {
		Map<String, UUID> before = this.named;
		this.named = now.directories();
		this.named.forEach((member, directory) -> {
			if (!directory.equals(before.get(member))) {
				forgetAnother(member, directory);
			}
		});
	}

	private void forgetAnother(String member, UUID directory) {
		UUID met = this.storageIds.getOrDefault(member, directory);
		if (!met.equals(directory) && !this.processes.isPresent(member, met)) {
			this.copied.remove(member);
			this.storageIds.remove(member, met);
		}
	}

	@Override
	public void left(String peer) {
		this.storageIds.remove(peer);
		this.adopted.remove(peer);
		this.copied.remove(peer);
		this.data.remove(peer);
		this.rates.forget(peer);
	}

	/**
	 * A handshake with a peer has succeeded; comes before the change of its state to up.
	 */
	public void met(String peer, UUID storageId) {
		this.storageIds.put(peer, storageId);
	}

	/** A peer has reported the layout that it has adopted, and its progress. */
	public void heard(String peer, LayoutReport theirs) {
		this.adopted.put(peer, theirs.adopted());
		this.copied.put(peer, theirs.copied());
		MemberData its = theirs.data();
		if (its != null) {
			noteData(peer, its);
		}
	}

	/** This node has measured its own data. */
	public void measured(StoreStatus store, Moved moved) {
		noteData(this.layouts.self(), MemberData.of(store, this.membership.isRebuilding(), moved));
		// A process that this node cannot reach may be connected to it: it was not met.
		this.layouts.current().directories().forEach((member, directory) -> {
			if (this.processes.isPresent(member, directory)) {
				forgetAnother(member, directory);
			}
		});
		this.processes.takesAny(this.identity.isRestored() || !isMajorityLeft());
	}

	private boolean isMajorityLeft() {
		Layout layout = this.layouts.current();
		List<String> voters = layout.ring().members().stream().map(Member::id).toList();
		return facts().isMajorityLeft(voters, layout.directories());
	}

	/** The processes that are connected to this node as members. */
	public MemberProcesses processes() {
		return this.processes;
	}

	/**
	 * The reason for which this process is not the member of its id, in words;
	 * {@code null} when it is. Then it neither serves nor acknowledges anything.
	 */
	public @Nullable String displaced() {
		return this.processes.displaced();
	}

	/** Words about each member of which there are two processes. */
	public List<String> conflicts() {
		return this.processes.conflicts();
	}

	private void noteData(String member, MemberData its) {
		this.data.put(member, its);
		this.rates.heard(member, its.moved());
	}

	/**
	 * The data of a node, this one included, by its last report; {@code null} before
	 * that.
	 */
	public @Nullable MemberData dataOf(String node) {
		return this.data.get(node);
	}

	/** The rate at which a member copies, {@code null} while that is not known. */
	public MoveRates.@Nullable Rate rateOf(String member) {
		return this.rates.of(member);
	}

	/**
	 * Whether a peer has reported a version of the layout, or a later one, as adopted.
	 */
	public boolean hasAdopted(String peer, long version) {
		LayoutVersion theirs = this.adopted.get(peer);
		return theirs != null && theirs.version() >= version;
	}

	/** Whether a member has reported a later layout than this node has adopted. */
	public boolean isBehind() {
		return this.adopted.values().stream().anyMatch(this::isLater);
	}

	/**
	 * The ids of the members that have reported a later layout than this node has
	 * adopted, also of those that are disconnected by now.
	 */
	public List<String> ahead() {
		return this.adopted.entrySet()
			.stream()
			.filter((each) -> isLater(each.getValue()))
			.map(Map.Entry::getKey)
			.sorted()
			.toList();
	}

	/**
	 * Whether a peer that this node hears counts as met: this node has adopted the layout
	 * that the peer has reported. While its directory is new, it has adopted those that
	 * any peer has reported: it may have left before, and others may know that as little
	 * as it does.
	 */
	public boolean isMet(String peer) {
		LayoutVersion theirs = this.adopted.get(peer);
		return this.identity.isNew() ? !isBehind() : (theirs == null || !isLater(theirs));
	}

	private boolean isLater(LayoutVersion theirs) {
		return theirs.version() > this.layouts.current().version();
	}

	/**
	 * Whether the layout with which this node has started may be long past: a member has
	 * a later one, and this node has not {@linkplain Membership#hasMetMajority() met a
	 * majority} yet.
	 */
	public boolean startsBehind() {
		return !this.membership.hasMetMajority() && isBehind();
	}

	/**
	 * Whether this node takes part in the decisions about the layout: it knows its format
	 * level.
	 */
	public boolean takesPart() {
		return this.upgrade.own().formatLevel() != FormatLevel.UNDECIDED;
	}

	/** The state of a member. */
	public MemberState stateOf(String member) {
		return this.membership.states().getOrDefault(member, MemberState.DISCONNECTED);
	}

	/**
	 * The time for which this node has had no connection to a member, zero when there is
	 * one; empty when the layout names no such member.
	 */
	public Optional<Duration> silenceOf(String member) {
		return this.layouts.current().hasMember(member) ? Optional.of(this.membership.disconnectedFor(member))
				: Optional.empty();
	}

	/** The states of the members. */
	public Membership membership() {
		return this.membership;
	}

	/** The facts of this instant, but for the layout that this node has adopted. */
	public LayoutFacts facts() {
		Layout layout = this.layouts.current();
		Map<String, LayoutMember> ready = new HashMap<>();
		Map<String, String> obstacles = new HashMap<>();
		Map<String, Program> programs = this.upgrade.programs();
		for (Member member : layout.rings().members()) {
			String obstacle = obstacleOf(member.id(), programs);
			UUID storageId = member.id().equals(this.layouts.self()) ? this.identity.storageId()
					: this.storageIds.get(member.id());
			if (obstacle != null || storageId == null) {
				obstacles.put(member.id(),
						(obstacle != null) ? obstacle : "the directory of %s is not known yet".formatted(member.id()));
				continue;
			}
			try {
				ready.put(member.id(), present(member, layout.endpointOf(member.id()), storageId));
			}
			catch (IllegalArgumentException impossible) {
				obstacles.put(member.id(), "the address of %s: %s".formatted(member.id(), impossible.getMessage()));
			}
		}
		Map<String, UUID> directories = new HashMap<>(this.storageIds);
		directories.put(this.layouts.self(), this.identity.storageId());
		return new LayoutFacts(this.adopted, this.copied, ready, obstacles, directories, this.processes.alive());
	}

	private static LayoutMember present(Member member, @Nullable Endpoint endpoint, UUID storageId) {
		return (endpoint != null) ? new LayoutMember(member, endpoint.host(), endpoint.port(), storageId)
				: new LayoutMember(member, "", 0, storageId);
	}

	private @Nullable String obstacleOf(String member, Map<String, Program> programs) {
		if (member.equals(this.layouts.self())) {
			return ownObstacle();
		}
		MemberState state = this.membership.stateOf(member);
		if (state != MemberState.UP) {
			return "%s is %s".formatted(member, state.word());
		}
		Program program = programs.get(member);
		if (program == null) {
			return "%s has not reported its program yet".formatted(member);
		}
		return obstacleOf(member, program);
	}

	private static @Nullable String obstacleOf(String member, Program program) {
		return (program.formatLevel() == FormatLevel.UNDECIDED)
				? "%s has a new directory, and does not know the format level of the others yet".formatted(member)
				: null;
	}

	/*
	 * A new directory may stand for a lost one, and its file LAYOUT is made anew when it
	 * is missing: until the directory is settled, this node gives no vote that could be
	 * lost.
	 */
	private @Nullable String ownObstacle() {
		if (!takesPart()) {
			return obstacleOf(this.layouts.self(), this.upgrade.own());
		}
		String unfit = this.layouts.unfit();
		if (unfit != null) {
			return unfit;
		}
		return this.identity.isNew()
				? "%s has a new directory, and has not met a majority of the members yet".formatted(this.layouts.self())
				: null;
	}

}
