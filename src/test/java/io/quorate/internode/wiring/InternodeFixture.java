package io.quorate.internode.wiring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.concurrent.Future;
import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.internode.IdleExchanges;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.ProgramExchange;
import io.quorate.internode.ScarceAllocator;
import io.quorate.internode.TestComparison;
import io.quorate.internode.TestReplica;
import io.quorate.internode.context.Exchanges;
import io.quorate.internode.context.Observation;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.context.ReplicaSpans;
import io.quorate.internode.context.TestClock;
import io.quorate.internode.context.ThisNode;
import io.quorate.internode.context.Transport;
import io.quorate.internode.frame.EventLoops;
import io.quorate.internode.peer.PeerLink;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.server.ServedReplica;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.exchange.LayoutExchange;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.FencedReplica;
import io.quorate.replica.PageReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import io.quorate.replica.WritesUnderWay;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;
import reactor.netty.resources.LoopResources;

/** A node that serves, and other nodes that are its peers, over real sockets. */
public final class InternodeFixture implements AutoCloseable {

	public static final int MAX_VALUE_BYTES = 16 * 1024 * 1024;

	public static final Duration PATIENCE = Duration.ofMinutes(1);

	/** Of who finds out soon that a peer is silent. */
	public static final InternodeProperties PROPERTIES = new InternodeProperties("127.0.0.1", null, null, 1024,
			DataSize.ofMegabytes(48), Duration.ofMillis(200), Duration.ofMillis(50), Duration.ofMillis(1500),
			Duration.ofSeconds(1), Duration.ofMillis(500), Wire.VERSION);

	/**
	 * Keep-alive interval so long that none is sent while a test runs, unless asked for.
	 */
	public static final InternodeProperties FEW_SIGNS_OF_LIFE = new InternodeProperties("127.0.0.1", null, null, 1024,
			DataSize.ofMegabytes(48), Duration.ofMinutes(1), Duration.ofMillis(50), Duration.ofMinutes(2),
			Duration.ofMinutes(2), Duration.ofMillis(500), Wire.VERSION);

	/** Of who gives nobody up for silence: what ends within a minute ends otherwise. */
	public static final InternodeProperties PATIENT = new InternodeProperties("127.0.0.1", null, null, 1024,
			DataSize.ofMegabytes(48), Duration.ofMillis(200), Duration.ofMinutes(2), Duration.ofMinutes(2),
			Duration.ofMinutes(2), Duration.ofMillis(500), Wire.VERSION);

	/** Connections that a node has to each peer. */
	public static final int CONNECTIONS = 3;

	private static final LoopResources LOOPS = LoopResources.create("internode-test", CONNECTIONS - 1, true);

	public static final LocalNode SERVER = new LocalNode("server", "test", 42, new UUID(1, 2));

	public static final LocalNode CLIENT = new LocalNode("client", "test", 42, new UUID(3, 4));

	/** Ids of the peers of each node. */
	static final Set<String> OTHERS = Set.of("server", "client", "other");

	public final TestReplica replica = new TestReplica();

	public final TestComparison comparisons = new TestComparison();

	public final TestClock serverClock = new TestClock(1000, 5_000);

	public final TestClock clientClock = new TestClock(2000, 6_000);

	public final MeterRegistry serverMeters = new SimpleMeterRegistry();

	public final MeterRegistry clientMeters = new SimpleMeterRegistry();

	PeerStatusExchange serverAcquaintances = IdleExchanges.STATUSES;

	PeerStatusExchange clientAcquaintances = IdleExchanges.STATUSES;

	public ProgramExchange serverPrograms = IdleExchanges.PROGRAMS;

	public LayoutExchange serverLayouts = IdleExchanges.LAYOUTS;

	public LayoutExchange clientLayouts = IdleExchanges.LAYOUTS;

	public ReplicaSpans serverSpans = ReplicaSpans.NONE;

	public ProgramExchange clientPrograms = IdleExchanges.PROGRAMS;

	public Encryption serverEncryption = Encryption.NONE;

	public Encryption clientEncryption = Encryption.NONE;

	/** Ids of the peers of a node with both ends. */
	Supplier<Set<String>> others = () -> OTHERS;

	private final List<Runnable> open = new ArrayList<>();

	private final List<ScarceAllocator> allocators = new CopyOnWriteArrayList<>();

	public InternodeServer serve() {
		return serve(SERVER);
	}

	public InternodeServer serve(LocalNode node) {
		return serve(node, PATIENT);
	}

	public InternodeServer serve(InternodeProperties properties) {
		return serve(SERVER, properties);
	}

	private InternodeServer serve(LocalNode node, InternodeProperties properties) {
		return start(new Internode(new PeerContext(new ThisNode(node, () -> OTHERS), this.serverClock, properties,
				transport(this.serverEncryption),
				new Exchanges(this.serverAcquaintances, this.serverPrograms, this.serverLayouts),
				new Observation(this.serverSpans, this.serverMeters)), LOOPS)
			.server(new FencedReplica(this.replica, this.serverLayouts, new WritesUnderWay()), this.comparisons,
					"127.0.0.1", 0));
	}

	/** A server that has so little room outside the heap for what it sends. */
	public InternodeServer serveWithRoomFor(int bytes) {
		return start(new InternodeServer(context(SERVER, this.serverClock, bytes, this.serverMeters), LOOPS,
				new ServedReplica(this.replica, this.comparisons), "127.0.0.1", 0, (_, _) -> {
				}));
	}

	private InternodeServer start(InternodeServer server) {
		server.start().orTimeout(1, TimeUnit.MINUTES).join();
		this.open.add(server::close);
		return server;
	}

	public PeerReplica peer(int port) {
		return peer(port, PATIENT);
	}

	public PeerReplica peer(int port, InternodeProperties properties) {
		return peer(CLIENT, "server", "127.0.0.1", port, properties, new PeerListener() {
		});
	}

	public PeerReplica peer(LocalNode self, String expected, String host, int port, InternodeProperties properties,
			PeerListener listener) {
		PeerReplica peer = new Internode(client(self, () -> OTHERS, properties), LOOPS).peer(expected, host, port,
				listener);
		this.open.add(peer::close);
		peer.connect();
		return peer;
	}

	/** Both ends of the client's node, for peers that it reaches and that reach it. */
	public Internode internode(InternodeProperties properties) {
		return new Internode(client(CLIENT, this.others, properties), LOOPS);
	}

	private PeerContext client(LocalNode self, Supplier<Set<String>> members, InternodeProperties properties) {
		return new PeerContext(new ThisNode(self, members), this.clientClock, properties,
				transport(this.clientEncryption),
				new Exchanges(this.clientAcquaintances, this.clientPrograms, this.clientLayouts),
				new Observation(ReplicaSpans.NONE, this.clientMeters));
	}

	private static Transport transport(Encryption encryption) {
		return new Transport(encryption, Wire.maxMessageBytes(MAX_VALUE_BYTES));
	}

	/** Both ends of another node, with an encryption of its own. */
	public Internode internode(LocalNode node, Encryption encryption) {
		return new Internode(
				new PeerContext(new ThisNode(node, () -> OTHERS), this.serverClock, PATIENT, transport(encryption),
						IdleExchanges.ALL, new Observation(ReplicaSpans.NONE, new SimpleMeterRegistry())),
				LOOPS);
	}

	public InternodeServer serve(Internode node) {
		return start(node.server(this.replica, this.comparisons, "127.0.0.1", 0));
	}

	public PeerReplica peer(Internode node, int port) {
		PeerReplica peer = node.peer("server", "127.0.0.1", port, new PeerListener() {
		});
		this.open.add(peer::close);
		peer.connect();
		return peer;
	}

	public PeerReplica connected(LocalNode self, String expected, int port) {
		PeerReplica peer = peer(self, expected, "127.0.0.1", port, PATIENT, new PeerListener() {
		});
		awaitReady(peer);
		return peer;
	}

	public PeerReplica connected(int port) {
		return connected(port, PATIENT);
	}

	public PeerReplica connected(int port, InternodeProperties properties) {
		PeerReplica peer = peer(port, properties);
		awaitReady(peer);
		return peer;
	}

	/** A peer for which there is so little room outside the heap. */
	public PeerReplica connectedWithRoomFor(int bytes, int port) {
		PeerReplica peer = new PeerReplica(new PeerLink("server", "127.0.0.1", port,
				context(CLIENT, this.clientClock, bytes, this.clientMeters), EventLoops.of(LOOPS), new PeerListener() {
				}));
		this.open.add(peer::close);
		peer.connect();
		awaitReady(peer);
		return peer;
	}

	private PeerContext context(LocalNode self, TestClock clock, int room, MeterRegistry registry) {
		ScarceAllocator allocator = new ScarceAllocator(room);
		this.allocators.add(allocator);
		return new PeerContext(new ThisNode(self, () -> OTHERS), clock, PATIENT,
				new Transport(Encryption.NONE, Wire.maxMessageBytes(MAX_VALUE_BYTES), allocator), IdleExchanges.ALL,
				new Observation(ReplicaSpans.NONE, registry));
	}

	/** Bytes of messages that are not released, of nodes with room for so many. */
	public int outsideTheHeap() {
		return this.allocators.stream().mapToInt(ScarceAllocator::taken).sum();
	}

	public static InternodeProperties with(int maxRequests, int maxMegabytes) {
		return with(maxRequests, maxMegabytes, PATIENT);
	}

	/** Limits of a peer, with the times of other properties. */
	public static InternodeProperties with(int maxRequests, int maxMegabytes, InternodeProperties times) {
		return new InternodeProperties("127.0.0.1", null, null, maxRequests, DataSize.ofMegabytes(maxMegabytes),
				times.keepAlive(), times.suspectAfter(), times.disconnectAfter(), times.connectTimeout(),
				times.maxBackoff(), Wire.VERSION);
	}

	/** Waits until small and large requests get through. */
	public static void awaitReady(PeerReplica peer) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).until(peer::isReady);
	}

	/** Waits until the clients have tried some more times to connect, in vain. */
	public void awaitFailedConnects() {
		Counter failed = this.clientMeters.get("quorate.internode.connects").tag("outcome", "failed").counter();
		double before = failed.count();
		Awaitility.await().until(() -> failed.count() > before + CONNECTIONS);
	}

	/** Waits until what the event loops run now has ended. */
	public static void awaitEventLoops() {
		EventLoops.of(LOOPS).stream().map((loop) -> loop.submit(() -> {
		})).toList().forEach(Future::syncUninterruptibly);
	}

	public static Deadline soon() {
		return Deadline.after(PATIENCE);
	}

	public static Deadline in(int millis) {
		return Deadline.after(Duration.ofMillis(millis));
	}

	public static Entry live(int size) {
		byte[] bytes = new byte[size];
		for (int i = 0; i < size; i++) {
			bytes[i] = (byte) (i * 31 + (i >>> 8));
		}
		return live(Value.wrap(bytes));
	}

	public static Entry live(Value value) {
		return new Entry.Live(new Timestamp(17, 3), 2, Entry.NEVER, value);
	}

	public static Key key(int number) {
		return Key.of("key-%06d".formatted(number));
	}

	/** Why a replica did not do what it was asked; fails when it did. */
	public static Reason reason(@Nullable Object reply) {
		return switch (reply) {
			case WriteReply.Failed(var failure) -> failure.reason();
			case ReadReply.Failed(var failure) -> failure.reason();
			case PageReply.Failed(var failure) -> failure.reason();
			case null, default -> throw new AssertionError("no failure: " + reply);
		};
	}

	@Override
	public void close() {
		this.open.reversed().forEach(Runnable::run);
	}

}
