package io.quorate.internode.peer;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Timestamp;
import io.quorate.internode.IdleExchanges;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.ProgramExchange;
import io.quorate.internode.TestComparison;
import io.quorate.internode.TestReplica;
import io.quorate.internode.context.Exchanges;
import io.quorate.internode.context.InternodeClock;
import io.quorate.internode.context.Observation;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.context.ReplicaSpans;
import io.quorate.internode.context.ThisNode;
import io.quorate.internode.context.Transport;
import io.quorate.internode.server.EmbeddedPort;
import io.quorate.internode.server.ServedReplica;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wire.Wire;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.membership.exchange.LayoutExchange;
import io.quorate.replica.FencedReplica;
import io.quorate.replica.WritesUnderWay;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A node that serves, and others that are its peers, over connections in memory. Nothing
 * happens but on the thread of the test, and no time passes but by {@link #pass}.
 */
public final class DrivenNodes implements AutoCloseable {

	static final long PHYSICAL_MILLIS = 5_000;

	private static final Set<String> OTHERS = Set.of("server", "client", "other");

	public final TestReplica replica = new TestReplica();

	public final TestComparison comparisons = new TestComparison();

	public ProgramExchange serverPrograms = IdleExchanges.PROGRAMS;

	public ProgramExchange clientPrograms = IdleExchanges.PROGRAMS;

	public LayoutExchange serverLayouts = IdleExchanges.LAYOUTS;

	public LayoutExchange clientLayouts = IdleExchanges.LAYOUTS;

	private final EmbeddedNetwork network = new EmbeddedNetwork();

	/** From now on the network leads to a node that serves. */
	public EmbeddedPort serve(InternodeProperties properties) {
		EmbeddedPort port = new EmbeddedPort(
				context(InternodeFixture.SERVER, properties, this.serverPrograms, this.serverLayouts),
				new ServedReplica(new FencedReplica(this.replica, this.serverLayouts, new WritesUnderWay()),
						this.comparisons),
				(_, _) -> {
				});
		this.network.lead(port);
		return port;
	}

	/** A link that is not opened. */
	PeerLink link(LocalNode self, InternodeProperties properties, PeerListener listener) {
		return new PeerLink("server", "memory", context(self, properties, this.clientPrograms, this.clientLayouts),
				this.network.loops(), listener, this.network::client);
	}

	/** A peer that begins to connect to the node that serves. */
	public PeerReplica peer(LocalNode self, InternodeProperties properties, PeerListener listener) {
		PeerReplica peer = new PeerReplica(link(self, properties, listener));
		peer.connect();
		return peer;
	}

	private PeerContext context(LocalNode self, InternodeProperties properties, ProgramExchange programs,
			LayoutExchange layouts) {
		return new PeerContext(new ThisNode(self, () -> OTHERS), new Clock(), properties,
				new Transport(Encryption.NONE, Wire.maxMessageBytes(InternodeFixture.MAX_VALUE_BYTES)),
				new Exchanges(IdleExchanges.STATUSES, programs, layouts),
				new Observation(ReplicaSpans.NONE, new SimpleMeterRegistry()));
	}

	EmbeddedNetwork network() {
		return this.network;
	}

	/** Has everything happen that waits for no time. */
	public void settle() {
		this.network.settle();
	}

	/** Has time pass, and everything happen that waits for it. */
	public void pass(Duration span) {
		this.network.pass(span);
	}

	long nanos() {
		return this.network.nanos();
	}

	/** The outcome of a request, which waits for no time. */
	public <T> T outcome(Mono<T> request) {
		CompletableFuture<T> replied = new CompletableFuture<>();
		var _ = request.subscribe(replied::complete, replied::completeExceptionally);
		return outcome(replied);
	}

	/** As above. */
	public <T> T outcome(CompletableFuture<T> request) {
		settle();
		assertThat(request).isDone();
		return request.join();
	}

	@Override
	public void close() {
		this.network.cut();
	}

	private final class Clock implements InternodeClock {

		@Override
		public Timestamp current() {
			return new Timestamp(1000, 7);
		}

		@Override
		public void observe(Timestamp seen) {
			// It stands still.
		}

		@Override
		public long physicalMillis() {
			return PHYSICAL_MILLIS;
		}

		@Override
		public long bootNanos() {
			return nanos();
		}

		@Override
		public long nanos() {
			return DrivenNodes.this.network.nanos();
		}

	}

}
