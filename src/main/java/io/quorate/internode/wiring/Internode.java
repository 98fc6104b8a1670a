package io.quorate.internode.wiring;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.quorate.internode.context.PeerContext;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.frame.EventLoopLag;
import io.quorate.internode.frame.EventLoops;
import io.quorate.internode.join.CandidateMeeting;
import io.quorate.internode.join.Invitations;
import io.quorate.internode.peer.JoinLine;
import io.quorate.internode.peer.PeerGauges;
import io.quorate.internode.peer.PeerLink;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.HandshakeListener;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.server.ServedReplica;
import io.quorate.membership.change.CandidateContact;
import io.quorate.membership.change.Introductions;
import io.quorate.membership.change.JoinRequests;
import io.quorate.membership.layout.Endpoint;
import io.quorate.replica.Replica;
import io.quorate.replica.comparison.ComparisonService;
import io.quorate.security.Printable;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.HttpResources;
import reactor.netty.resources.LoopResources;

/**
 * Makes this node's ends of the connections between nodes. They run on the event loops
 * that HTTP runs on.
 */
public final class Internode {

	/* By then the layout is decided, and the node a peer. */
	private static final int INVITED_SECONDS = 60;

	/* Of a reason that the other node may have sent. */
	private static final int MAX_PRINTED = 200;

	private final PeerContext context;

	private final LoopResources loops;

	private final Map<String, PeerLink> links = new ConcurrentHashMap<>();

	private final Invitations invitations = new Invitations(this::invited, this::uninvited);

	private volatile @Nullable InternodeServer server;

	private volatile @Nullable Joins joins;

	private volatile @Nullable Introductions introductions;

	/** A factory of one node's ends. */
	Internode(PeerContext context) {
		this(context, HttpResources.get());
	}

	Internode(PeerContext context, LoopResources loops) {
		this.context = context.withOthers(this::withInvited);
		this.loops = loops;
	}

	/* A peer that joins is connected to before the layout with it is adopted. */
	private Set<String> withInvited(Set<String> members) {
		Set<String> all = new TreeSet<>(members);
		all.addAll(this.links.keySet());
		all.addAll(this.invitations.candidates());
		return all;
	}

	/**
	 * A peer, not connected yet.
	 * @param node id of the node that has to answer
	 */
	public PeerReplica peer(String node, String host, int port, PeerListener listener) {
		PeerLink link = new PeerLink(node, host, port, this.context, EventLoops.of(this.loops), listener);
		PeerGauges.register(link, this.context.observation().registry());
		this.links.put(node, link);
		return new PeerReplica(link);
	}

	/**
	 * A member by the layout, not connected yet. From now on this node trusts its
	 * certificate.
	 */
	public PeerReplica member(Endpoint node, PeerListener listener) {
		PeerReplica peer = peer(node.id(), node.host(), node.port(), listener);
		this.invitations.forget(node.id());
		this.context.transport().encryption().trust(node.id(), node.host());
		return peer;
	}

	/**
	 * Connects to a node that is no member yet, until the handshake, and closes the
	 * connections again. For the next minute the node may connect to this one.
	 * @return its report
	 */
	CompletableFuture<CandidateContact.Candidate> meet(Endpoint node) {
		CandidateMeeting meeting = new CandidateMeeting(this.context);
		CompletableFuture<CandidateContact.Candidate> met = meeting.met();
		PeerLink link = new PeerLink(node.id(), node.host(), node.port(), meeting.around(), EventLoops.of(this.loops),
				meeting);
		PeerReplica candidate = new PeerReplica(link);
		Invitations.Invitation invitation = this.invitations.invite(node);
		candidate.connect();
		long limitMillis = this.context.properties().connectTimeout().multipliedBy(2).toMillis();
		var _ = CompletableFuture.runAsync(
				() -> met.completeExceptionally(new IOException("no handshake within %d ms, %s".formatted(limitMillis,
						Printable.of(link.lastEnd(), MAX_PRINTED)))),
				CompletableFuture.delayedExecutor(limitMillis, TimeUnit.MILLISECONDS));
		return met.whenComplete((_, failure) -> {
			candidate.close();
			if (failure != null) {
				invitation.withdraw();
				return;
			}
			var _ = CompletableFuture.runAsync(invitation::withdraw,
					CompletableFuture.delayedExecutor(INVITED_SECONDS, TimeUnit.SECONDS));
		});
	}

	/* A peer is trusted at the address of the layout. */
	private void invited(Endpoint node) {
		if (!this.links.containsKey(node.id())) {
			this.context.transport().encryption().trust(node.id(), node.host());
		}
	}

	/*
	 * A member is trusted because of the layout. One that has not become a member is not
	 * connected any more.
	 */
	private void uninvited(String node) {
		if (!this.links.containsKey(node)) {
			this.context.transport().encryption().uninvite(node);
			dismiss(node);
		}
	}

	private void dismiss(String node) {
		InternodeServer serving = this.server;
		if (serving != null && !this.context.node().others().get().contains(node)) {
			serving.dismiss(node);
		}
	}

	/** Has this node take the requests of candidates from now on. */
	void takeJoins(Joins requests) {
		this.joins = requests;
	}

	/** Has this node meet candidates at the request of peers from now on. */
	void takeIntroductions(Introductions requests) {
		this.introductions = requests;
	}

	/** The way of this node to a member that is to have it join. */
	JoinLine joinLine(Endpoint member) {
		return new JoinLine(member, this.context, EventLoops.of(this.loops).getFirst());
	}

	/**
	 * Forgets a peer that has left. The connections to it are closed elsewhere; those
	 * that it has opened are closed after a while, unless it is a peer again.
	 * @param lastRequests time for the requests that it has under way
	 */
	void forget(String node, Duration lastRequests) {
		this.links.remove(node);
		this.invitations.forget(node);
		var _ = CompletableFuture.runAsync(() -> dismiss(node),
				CompletableFuture.delayedExecutor(lastRequests.toMillis(), TimeUnit.MILLISECONDS));
	}

	/**
	 * A server, not started yet, through which peers reach this node.
	 * @param replica replica that peers write to and read from
	 * @param comparisonService service that peers compare their stores with
	 * @param port port to listen on, 0 for any free one
	 */
	public InternodeServer server(Replica replica, ComparisonService comparisonService, String host, int port) {
		InternodeServer made = new InternodeServer(this.context, this.loops,
				new ServedReplica(replica, comparisonService), host, port, new PortListener());
		this.server = made;
		return made;
	}

	/** Ids of the members to or from which a connection without encryption is open. */
	SortedSet<String> membersInPlain() {
		SortedSet<String> members = new TreeSet<>();
		this.links.values()
			.stream()
			.filter((link) -> link.connections(false) > 0)
			.forEach((link) -> members.add(link.peer()));
		InternodeServer serving = this.server;
		if (serving != null) {
			members.addAll(serving.peersInPlain());
		}
		return members;
	}

	/** The probe of the event loops, not started yet. */
	EventLoopLag lag() {
		return new EventLoopLag(EventLoops.of(this.loops), this.context.observation().registry());
	}

	/** The receiver of the requests of candidates. */
	@FunctionalInterface
	interface Joins {

		/** As {@link JoinRequests#ask}. */
		CompletableFuture<String> ask(String node, String candidate,
				Function<String, CompletableFuture<@Nullable String>> objection);

	}

	/** The listener to the nodes that reach this node. */
	private final class PortListener implements HandshakeListener {

		/**
		 * Connects at once to a peer that has reached this node: it can be reached, too.
		 */
		@Override
		public void greetedBy(String node, boolean encrypted) {
			PeerLink link = Internode.this.links.get(node);
			if (link != null) {
				link.cameHere(encrypted);
			}
		}

		@Override
		public CompletableFuture<String> asksToJoin(String node, String candidate,
				Function<String, CompletableFuture<@Nullable String>> objection) {
			Joins requests = Internode.this.joins;
			return (requests != null) ? requests.ask(node, candidate, objection)
					: CompletableFuture.completedFuture("it starts, and adds no members yet");
		}

		@Override
		public CompletableFuture<String> introduces(String peer, String candidate) {
			Introductions requests = Internode.this.introductions;
			return (requests != null) ? requests.introduce(peer, candidate)
					: CompletableFuture.completedFuture("it starts, and meets no candidates yet");
		}

	}

}
