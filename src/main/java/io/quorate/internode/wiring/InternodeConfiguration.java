package io.quorate.internode.wiring;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.clock.TrueTime;
import io.quorate.consensus.Ledger;
import io.quorate.internode.InternodeMeters;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.InternodeStartException;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.ProgramExchange;
import io.quorate.internode.TlsMode;
import io.quorate.internode.context.Exchanges;
import io.quorate.internode.context.InternodeClock;
import io.quorate.internode.context.Observation;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.context.ReplicaSpans;
import io.quorate.internode.context.ThisNode;
import io.quorate.internode.context.Transport;
import io.quorate.internode.frame.EventLoops;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.peer.Peers;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.change.CandidateContact;
import io.quorate.membership.change.IntroducedContact;
import io.quorate.membership.change.Introductions;
import io.quorate.membership.change.JoinRequests;
import io.quorate.membership.change.PlannedChanges;
import io.quorate.membership.change.Witnesses;
import io.quorate.membership.exchange.AdoptedLayoutFence;
import io.quorate.membership.exchange.InitialContacts;
import io.quorate.membership.exchange.LayoutThread;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.ClusterProperties;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberEncryption;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberProcesses.ProcessName;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.NodeVersion;
import io.quorate.membership.reports.Program;
import io.quorate.membership.reports.Upgrade;
import io.quorate.meter.TraceContext;
import io.quorate.replica.ArrivalFilter;
import io.quorate.replica.FencedReplica;
import io.quorate.replica.LocalReplica;
import io.quorate.replica.ReadGate;
import io.quorate.replica.ReplicaGates;
import io.quorate.replica.Replicas;
import io.quorate.replica.comparison.ComparisonService;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(InternodeProperties.class)
class InternodeConfiguration {

	@Bean
	ReplicaGates replicaGates(ReadGate reads, ArrivalFilter arrivals, SkewJudge judge) {
		return new ReplicaGates(reads, arrivals, judge);
	}

	@Bean
	LocalReplica localReplica(Layouts layouts, Store store, HybridClock clock, ReplicaGates gates,
			MeterRegistry registry) {
		return new LocalReplica(layouts.self(), store, clock, EventLoops::current, gates, registry);
	}

	@Bean
	Encryption encryption(InternodeProperties properties, SslBundles bundles, Layouts layouts, TimeSource time,
			MeterRegistry registry) {
		String bundle = properties.sslBundle();
		TlsMode mode = properties.tlsMode();
		Encryption encryption = (bundle != null && mode != TlsMode.OFF) ? Encryption.by(mode, bundle, bundles,
				layouts.current()
					.endpoints()
					.stream()
					.collect(Collectors.toUnmodifiableMap(Endpoint::id, Endpoint::host)))
				: Encryption.NONE;
		for (TlsMode each : TlsMode.values()) {
			InternodeMeters.TLS.gauge(registry, encryption, (its) -> (its.mode() == each) ? 1 : 0, each.word());
		}
		layouts.configured()
			.endpoints()
			.stream()
			.filter((first) -> !layouts.current().hasMember(first.id()))
			.forEach((left) -> {
				encryption.trust(left.id(), left.host());
				encryption.distrust(left.id());
			});
		layouts.follow(new LayoutFollower() {

			@Override
			public void left(String peer) {
				encryption.distrust(peer);
			}

		});
		InternodeMeters.CERTIFICATE_REMAINING.gauge(registry, encryption, (its) -> its.remainingSeconds(time.millis()));
		return encryption;
	}

	/**
	 * The level that this node may write is that of the protocol that it may speak.
	 * @param ledger the file of this node's votes, which is there before the level rises
	 */
	@Bean
	Upgrade upgrade(Layouts layouts, Membership membership, StoreIdentity identity, NodeVersion version,
			InternodeProperties properties, Ledger ledger) {
		int oldestVersion = Wire.oldestVersionAt(identity.formatLevel());
		if (properties.newestVersion() > Wire.VERSION) {
			throw new InternodeStartException(
					"quorate.internode.newest-version is %d, but this program speaks version %d"
						.formatted(properties.newestVersion(), Wire.VERSION),
					null);
		}
		if (properties.newestVersion() < oldestVersion) {
			throw new InternodeStartException(
					"quorate.internode.newest-version is %d, but the upgrade is finalized: members speak version %d at least"
						.formatted(properties.newestVersion(), oldestVersion),
					null);
		}
		return new Upgrade(layouts, membership, identity,
				new Program(version.version(), identity.formatLevel(), properties.newestVersion()),
				(task) -> Thread.ofVirtual().name("format-level").start(task));
	}

	@Bean
	ThisNode thisNode(Layouts layouts, ClusterProperties cluster, StoreIdentity identity,
			InternodeProperties properties) {
		LocalNode self = new LocalNode(layouts.self(), cluster.name(), layouts.configured().epoch(),
				identity.storageId(), ProcessName.drawn(listening(properties.address(), layouts.own())));
		return new ThisNode(self,
				layouts.derive((layout) -> layout.members()
					.stream()
					.filter((member) -> !member.equals(layouts.self()))
					.collect(Collectors.toUnmodifiableSet())));
	}

	@Bean
	InternodeClock internodeClock(HybridClock clock, SkewJudge judge, TimeSource time) {
		return InternodeClock.of(clock, judge, time);
	}

	@Bean
	Transport transport(Encryption encryption, StorageProperties storage) {
		return new Transport(encryption, Wire.maxMessageBytes(Math.toIntExact(storage.maxValueSize().toBytes())));
	}

	@Bean
	Exchanges exchanges(PeerStatusExchange statuses, Upgrade upgrade, LayoutThread layouts) {
		return new Exchanges(statuses, new UpgradePrograms(upgrade), layouts);
	}

	@Bean
	Observation observation(Layouts layouts, ObjectProvider<Tracer> tracer, MeterRegistry registry) {
		Tracer found = tracer.getIfAvailable();
		return new Observation((found != null) ? new TracerSpans(found, layouts.self()) : ReplicaSpans.NONE, registry);
	}

	@Bean
	PeerContext peerContext(ThisNode node, InternodeClock clock, InternodeProperties properties, Transport transport,
			Exchanges exchanges, Observation observation) {
		return new PeerContext(node, clock, properties, transport, exchanges, observation);
	}

	@Bean
	Internode internode(Layouts layouts, PeerContext context) {
		Internode internode = new Internode(context);
		layouts.follow(new PeerSeries(context.observation().registry()));
		layouts.follow(new LayoutFollower() {

			@Override
			public void left(String peer) {
				internode.forget(peer, Peers.LAST_REQUESTS);
			}

		});
		return internode;
	}

	/* The host is the one that a peer sees if this node listens on all of its machine. */
	private static String listening(String host, @Nullable Endpoint own) {
		if (own == null) {
			return "";
		}
		boolean isAny = host.isEmpty() || host.equals("0.0.0.0") || host.equals("::");
		return isAny ? ":" + own.port() : (host.contains(":") ? "[" + host + "]" : host) + ":" + own.port();
	}

	/** The contact that falls back on members that a candidate knows. */
	@Bean
	CandidateContact candidateContact(Layouts layouts, Internode internode, Peers peers) {
		return new IntroducedContact(internode::meet, layouts, (member, candidate, limit) -> {
			PeerReplica peer = peers.of(member);
			return (peer != null) ? peer.introduce(candidate, limit)
					: CompletableFuture.completedFuture("it is no member any more");
		});
	}

	/** A member that is asked by another one meets the candidate itself. */
	@Bean
	Introductions introductions(Layouts layouts, Internode internode) {
		Introductions introductions = new Introductions(layouts, internode::meet);
		internode.takeIntroductions(introductions);
		return introductions;
	}

	/**
	 * Changes need peers, which need the ends of connections: so the requests come last.
	 */
	@Bean
	JoinRequests joinRequests(Layouts layouts, PlannedChanges changes, ClusterProperties cluster, Internode internode,
			Encryption encryption) {
		JoinRequests requests = new JoinRequests(layouts, changes, cluster.joiningHosts(),
				(step) -> Thread.ofVirtual().name("join").start(step));
		encryption.admit(cluster.joiningHosts());
		internode.takeJoins(requests::ask);
		return requests;
	}

	/** A layout of the past, which this node learns, may have had a member of its id. */
	@Bean
	Candidacy candidacy(ClusterProperties cluster, Layouts layouts, MemberReports reports, Internode internode) {
		return new Candidacy(cluster.joinByItself() ? layouts.own() : null, layouts::contacts,
				() -> layouts.isMember() && !reports.isBehind(), (member) -> internode.joinLine(member)::ask);
	}

	@Bean
	MemberEncryption memberEncryption(Encryption encryption, Internode internode) {
		return new ConnectionForms(encryption, internode);
	}

	@Bean
	MembershipUpdater membershipUpdater(Membership membership, MemberReports reports, SkewJudge judge,
			TrueTime trueTime, InitialContacts meetings, PeerStatusExchange peerStatusExchange) {
		return new MembershipUpdater(membership, reports, judge, trueTime, meetings, peerStatusExchange);
	}

	@Bean
	Peers peers(Layouts layouts, Internode internode, MembershipUpdater listener) {
		Peers peers = new Peers((endpoint) -> internode.member(endpoint, listener));
		layouts.follow(peers);
		return peers;
	}

	@Bean
	Witnesses witnesses(Peers peers) {
		return (member, witness, limit) -> {
			PeerReplica peer = peers.of(witness);
			return (peer != null) ? peer.silenceOf(member, limit) : CompletableFuture.completedFuture(Optional.empty());
		};
	}

	@Bean
	FencedReplica fencedReplica(LocalReplica local, AdoptedLayoutFence fence) {
		return new FencedReplica(local, fence, local.underWay());
	}

	@Bean
	Replicas replicas(FencedReplica fenced, Peers peers) {
		return new Replicas(fenced, peers::all);
	}

	@Bean
	PeersPort peersPort(Layouts layouts, Internode internode, PeerContext context, Replicas replicas,
			ComparisonService comparisonService, Membership membership) {
		Endpoint own = layouts.own();
		InternodeProperties properties = context.properties();
		InternodeServer server = (own != null)
				? internode.server(replicas.local(), comparisonService, properties.address(), own.port()) : null;
		PeersPort port = new PeersPort(server, own, properties, context.transport().encryption().mode());
		membership.onLeave(port::announceDeparture);
		return port;
	}

	@Bean
	InternodeLifecycle internodeLifecycle(PeersPort port, Peers peers, InitialContacts meetings, Internode internode,
			LayoutThread layoutThread, Layouts layouts) {
		return new InternodeLifecycle(port, peers, meetings, internode.lag(), layoutThread, layouts);
	}

	@Bean
	ClockMetrics clockMetrics(Layouts layouts, HybridClock clock, SkewJudge judge, TimeSource time) {
		return new ClockMetrics(layouts, clock, judge, time);
	}

	@Bean
	DirectMemoryMetrics directMemoryMetrics() {
		return new DirectMemoryMetrics();
	}

	/**
	 * Tells operators of the forms of the connections between this node and its peers.
	 */
	private record ConnectionForms(Encryption encryption, Internode internode) implements MemberEncryption {

		@Override
		public String mode() {
			return this.encryption.mode().word();
		}

		@Override
		public SortedSet<String> membersInPlain() {
			return this.internode.membersInPlain();
		}

	}

	/** Passes the reports of peers on their programs on to the upgrade of the cluster. */
	private record UpgradePrograms(Upgrade upgrade) implements ProgramExchange {

		@Override
		public Program own() {
			return this.upgrade.own();
		}

		@Override
		public void heard(String peer, Program theirs) {
			this.upgrade.heard(peer, theirs);
		}

		@Override
		public void refused(String peer, @Nullable String why) {
			this.upgrade.refused(peer, why);
		}

	}

	/**
	 * Removes the meters of a peer that has left, of all rooms: those that have its id in
	 * a tag for peers or members.
	 */
	private record PeerSeries(MeterRegistry registry) implements LayoutFollower {

		private static final List<String> TAGS = List.of("peer", "member");

		@Override
		public void left(String peer) {
			List.copyOf(this.registry.getMeters())
				.stream()
				.map(Meter::getId)
				.filter((id) -> TAGS.stream().anyMatch((tag) -> peer.equals(id.getTag(tag))))
				.forEach(this.registry::remove);
		}

	}

	/** Makes the spans of requests of peers by the tracer of this node. */
	private record TracerSpans(Tracer tracer, String node) implements ReplicaSpans {

		@Override
		public Open begin(TraceContext place, String work) {
			io.micrometer.tracing.TraceContext parent = this.tracer.traceContextBuilder()
				.traceId(place.traceId())
				.spanId(place.parentId())
				.sampled(true)
				.build();
			Span span = this.tracer.spanBuilder()
				.setParent(parent)
				.kind(Span.Kind.SERVER)
				.name("replica " + work)
				.tag("quorate.node", this.node)
				.start();
			return (outcome) -> span.tag("quorate.outcome", outcome).end();
		}

	}

}
