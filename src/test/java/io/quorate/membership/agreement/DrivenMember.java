package io.quorate.membership.agreement;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Ledger;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Voter;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutChange;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutFacts;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.Program;
import io.quorate.membership.reports.Upgrade;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;

/**
 * A node's part of the membership in simulated time: layouts, states and reports of
 * members, and the decisions about layouts, all as a node has them.
 */
public final class DrivenMember {

	/* They depend on nothing but members and factor, and take milliseconds each. */
	private static final Map<RingKey, Ring> RINGS = new ConcurrentHashMap<>();

	private static final Program PROGRAM = new Program("simulated", FormatLevel.NEWEST, FormatLevel.NEWEST);

	private final Layouts layouts;

	private final Membership membership;

	private final Upgrade upgrade;

	private final MemberReports reports;

	private final StoreIdentity identity;

	private final LongSupplier nanos;

	private final boolean isAlwaysMet;

	/**
	 * The configuration of all nodes.
	 *
	 * @param members ids of the first members
	 */
	public record Configured(List<String> members, int replicationFactor) {
	}

	private record RingKey(List<Member> members, int replicationFactor) {
	}

	/**
	 * A node that has just started, and knows no layout but that of its configuration.
	 * @param isAlwaysMet a fault that is planted: a peer counts as met, whatever layout
	 * it has shown
	 */
	public DrivenMember(String self, Configured configured, StoreIdentity identity, LongSupplier nanos,
			boolean isAlwaysMet) {
		List<Endpoint> endpoints = configured.members().stream().map(DrivenMember::endpoint).toList();
		Layout first = new Layout(Layout.FIRST, endpoints,
				ring(endpoints.stream().map(Endpoint::member).toList(), configured.replicationFactor()));
		Layouts layouts = new Layouts(self, first, first.hasMember(self) ? null : endpoint(self), List.of(),
				(side) -> ring(side.members().stream().map(LayoutMember::member).toList(), side.replicationFactor()));
		this(layouts, identity, nanos, isAlwaysMet);
	}

	/** A node with these layouts. */
	public DrivenMember(Layouts layouts, StoreIdentity identity, LongSupplier nanos) {
		this(layouts, identity, nanos, false);
	}

	private DrivenMember(Layouts layouts, StoreIdentity identity, LongSupplier nanos, boolean isAlwaysMet) {
		this.layouts = layouts;
		this.membership = new Membership(this.layouts, nanos);
		this.identity = identity;
		this.upgrade = new Upgrade(this.layouts, this.membership, identity, PROGRAM.at(identity.formatLevel()),
				Runnable::run);
		this.reports = new MemberReports(this.layouts, this.membership, this.upgrade, identity, nanos);
		this.nanos = nanos;
		this.isAlwaysMet = isAlwaysMet;
	}

	private static Ring ring(List<Member> members, int replicationFactor) {
		return RINGS.computeIfAbsent(new RingKey(members, replicationFactor),
				(key) -> Ring.of(key.members(), key.replicationFactor()));
	}

	/** The ring of some nodes. */
	public static Ring ringOf(List<String> nodes, int replicationFactor) {
		return ring(nodes.stream().map((node) -> endpoint(node).member()).toList(), replicationFactor);
	}

	/** The address of a node. */
	public static Endpoint endpoint(String node) {
		return Endpoint.parse("%s@%s.host:7100".formatted(node, node));
	}

	/** The state of the ledger of a node that knows nothing but its configuration. */
	public AcceptorState first() {
		return LayoutAgreement.first(this.layouts);
	}

	/**
	 * The part in the decisions of a node that has recovered its ledger.
	 * @param areBelievedReady a fault that is planted: all members are believed to have
	 * adopted the layout
	 */
	public LayoutAgreement agreement(Ledger ledger, KeyShares shares, boolean areBelievedReady) {
		return new LayoutAgreement(this.layouts,
				new Participant(new Voter(this.layouts.self(), this.identity.storageId()),
						(decree) -> LayoutCodec.read(decree).electorate(), ledger),
				() -> areBelievedReady ? allAdopted(this.reports.facts()) : this.reports.facts(), shares, this.nanos);
	}

	private LayoutFacts allAdopted(LayoutFacts facts) {
		Map<String, LayoutVersion> adopted = new HashMap<>();
		Layout current = this.layouts.current();
		current.members().forEach((member) -> adopted.put(member, new LayoutVersion(current.version(), 0)));
		return new LayoutFacts(adopted, facts.complete(), facts.ready(), facts.obstacles(), facts.directories(),
				facts.alive());
	}

	/** The shares of a store, as a node assigns them. */
	public static KeyShares shares(Store store, StoreIdentity identity) {
		return new StoreShares(store, identity);
	}

	/** A handshake with a peer has succeeded, or a keep-alive has come. */
	public void heard(String peer, StoreIdentity theirs, boolean rebuilds) {
		this.reports.met(peer, theirs.storageId());
		this.upgrade.heard(peer, PROGRAM);
		if (this.membership.stateOf(peer) != MemberState.UP) {
			this.membership.stateChanged(peer, MemberState.UP);
			this.membership.reached(peer);
		}
		if (this.isAlwaysMet || this.reports.isMet(peer)) {
			this.membership.met(peer);
		}
		this.membership.rebuildingChanged(peer, rebuilds);
	}

	/** Whether the layout names the directory of a node, or does not name the node. */
	public static boolean isNamed(LayoutAgreement agreement, String node, StoreIdentity its) {
		LayoutMember named = agreement.record().member(node);
		return named == null || named.storageId().equals(its.storageId());
	}

	/** Whether a content of the layout has a node as a member with this directory. */
	public static boolean isMember(Decree decree, String node, StoreIdentity its) {
		LayoutMember named = LayoutCodec.read(decree).member(node);
		return named != null && named.storageId().equals(its.storageId());
	}

	/** Whether a content of the layout may come after another one. */
	public static boolean mayFollow(Decision before, Decree after) {
		return LayoutMachine.mayFollow(LayoutCodec.read(before.decree()), before.version(), LayoutCodec.read(after));
	}

	/** Whether the content that came after another one is what an operator asked for. */
	public static boolean isAskedFor(ChangeRequest change, String by, Decision before, Decree after) {
		LayoutRecord base = LayoutCodec.read(before.decree());
		LayoutRecord followed = LayoutCodec.read(after);
		LayoutChange its = followed.change();
		if (change instanceof ChangeRequest.Abort) {
			return base.isJoint() && followed.equals(LayoutMachine.abort(base));
		}
		return its != null && its.by().equals(by) && its.version() == before.next();
	}

	public Layouts layouts() {
		return this.layouts;
	}

	public Membership membership() {
		return this.membership;
	}

	public MemberReports reports() {
		return this.reports;
	}

}
