package io.quorate.internode.wiring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.LayoutExchange;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.ProgramExchange;
import io.quorate.internode.ScratchReplicas;
import io.quorate.internode.TlsMode;
import io.quorate.internode.context.InternodeClock;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.context.ReplicaSpans;
import io.quorate.internode.frame.EventLoops;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.wire.LocalNode;
import io.quorate.membership.MemberState;
import io.quorate.replica.ArrivalFilter;
import io.quorate.replica.LocalReplica;
import io.quorate.replica.ReadGate;
import io.quorate.replica.Replica;
import io.quorate.replica.comparison.ComparisonService;
import io.quorate.storage.Store;

/** The replicas of a warm-up. Their connections run on the event loops of the node. */
final class LoopbackReplicas implements ScratchReplicas {

	private static final String CLUSTER = "warm-up";

	private static final String LOOPBACK = "127.0.0.1";

	/*
	 * The code of a handshake is cold, and several nodes may start on one machine at
	 * once.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final InternodeProperties properties;

	private final int maxValueBytes;

	private final TimeSource time;

	/**
	 * Replicas whose connections have the properties of the node's own.
	 * @param maxValueBytes size of the largest value
	 */
	LoopbackReplicas(InternodeProperties properties, int maxValueBytes, TimeSource time) {
		this.properties = new InternodeProperties(LOOPBACK, null, TlsMode.OFF, properties.maxRequests(),
				properties.maxBytes(), properties.keepAlive(), properties.suspectAfter(), properties.disconnectAfter(),
				PATIENCE, properties.maxBackoff(), properties.newestVersion());
		this.maxValueBytes = maxValueBytes;
		this.time = time;
	}

	@Override
	public Opened open(SequencedMap<String, Store> stores, HybridClock clock, SkewJudge judge, MeterRegistry meters) {
		List<LocalReplica> served = stores.sequencedEntrySet()
			.stream()
			.map((each) -> new LocalReplica(each.getKey(), each.getValue(), clock, judge, EventLoops::current,
					ReadGate.OPEN, ArrivalFilter.OPEN, meters))
			.toList();
		return new Connections(served, InternodeClock.of(clock, judge, this.time), meters).connected();
	}

	/** The replicas of one warm-up, and both ends of their connections. */
	private final class Connections implements Opened {

		private final Map<String, Replica> replicas = new HashMap<>();

		private final List<InternodeServer> servers = new ArrayList<>();

		private final List<PeerReplica> peers = new ArrayList<>();

		private final List<CompletableFuture<Void>> up = new ArrayList<>();

		private final List<LocalReplica> served;

		private final InternodeClock clock;

		private final MeterRegistry meters;

		private Connections(List<LocalReplica> served, InternodeClock clock, MeterRegistry meters) {
			this.served = served;
			this.clock = clock;
			this.meters = meters;
		}

		private Opened connected() {
			try {
				LocalReplica local = this.served.getFirst();
				List<LocalReplica> others = this.served.subList(1, this.served.size());
				Internode near = end(local.nodeId(),
						others.stream().map(LocalReplica::nodeId).collect(Collectors.toUnmodifiableSet()));
				this.replicas.put(local.nodeId(), local);
				others.forEach((other) -> connect(near, local.nodeId(), other));
				CompletableFuture.allOf(this.up.toArray(CompletableFuture[]::new))
					.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
					.join();
				return this;
			}
			catch (CompletionException failure) {
				close();
				throw new IllegalStateException("the node does not reach itself over loopback: " + failure.getCause(),
						failure);
			}
			catch (RuntimeException failure) {
				close();
				throw failure;
			}
		}

		private Internode end(String id, Set<String> others) {
			return new Internode(new LocalNode(id, CLUSTER, 0, UUID.randomUUID()), () -> others, this.clock,
					LoopbackReplicas.this.properties, LoopbackReplicas.this.maxValueBytes, Encryption.NONE,
					PeerStatusExchange.NONE, ProgramExchange.NONE, LayoutExchange.NONE, ReplicaSpans.NONE, this.meters);
		}

		private void connect(Internode near, String local, LocalReplica other) {
			String id = other.nodeId();
			InternodeServer server = end(id, Set.of(local)).server(other, ComparisonService.NONE, LOOPBACK,
					0);
			this.servers.add(server);
			server.start().orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
			CompletableFuture<Void> isUp = new CompletableFuture<>();
			PeerReplica peer = near.peer(id, LOOPBACK, server.port(), new PeerListener() {

				@Override
				public boolean isLogged() {
					return false;
				}

				@Override
				public void stateChanged(String node, MemberState state) {
					if (state == MemberState.UP) {
						isUp.complete(null);
					}
				}

			});
			this.peers.add(peer);
			this.up.add(isUp);
			this.replicas.put(id, peer);
			peer.connect();
		}

		@Override
		public Map<String, Replica> replicas() {
			return Map.copyOf(this.replicas);
		}

		@Override
		public void close() {
			this.peers.forEach(PeerReplica::close);
			this.servers.forEach(InternodeServer::close);
		}

	}

}
