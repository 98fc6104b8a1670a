package io.quorate.internode;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.replica.Replica;
import io.quorate.replica.comparison.ComparisonService;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.HttpResources;
import reactor.netty.resources.LoopResources;

/**
 * Makes this node's ends of the connections between nodes. They run on the event loops
 * that HTTP runs on.
 */
public final class Internode {

	private final PeerContext context;

	private final LoopResources loops;

	private final Map<String, PeerLink> links = new ConcurrentHashMap<>();

	/**
	 * The ends of a node.
	 * @param others ids of all members but this node
	 * @param maxValueBytes size of the largest value
	 * @param encryption how connections are protected
	 * @param peerStatusExchange what peers are told, and remembered of them
	 * @param registry of the meters
	 */
	Internode(LocalNode self, Set<String> others, InternodeClock clock, InternodeProperties properties,
			int maxValueBytes, Encryption encryption, PeerStatusExchange peerStatusExchange, MeterRegistry registry) {
		this(self, others, clock, properties, maxValueBytes, encryption, peerStatusExchange, registry,
				HttpResources.get());
	}

	Internode(LocalNode self, Set<String> others, InternodeClock clock, InternodeProperties properties,
			int maxValueBytes, Encryption encryption, PeerStatusExchange peerStatusExchange, MeterRegistry registry,
			LoopResources loops) {
		this.context = new PeerContext(self, others, clock, properties, Wire.maxMessageBytes(maxValueBytes), encryption,
				peerStatusExchange, registry);
		this.loops = loops;
	}

	/**
	 * A peer, not connected yet.
	 * @param node id of the node that has to be there
	 */
	public PeerReplica peer(String node, String host, int port, PeerListener listener) {
		PeerLink link = new PeerLink(node, host, port, this.context, EventLoops.of(this.loops), listener);
		link.metrics().watch(link);
		this.links.put(node, link);
		return new PeerReplica(link);
	}

	/**
	 * A server, not started yet, through which peers reach this node.
	 * @param replica what they write to and read from
	 * @param comparisonService what they compare their stores with
	 * @param departures says to a peer why it should not stop now, or {@code null}
	 * @param port where to listen, 0 for any free port
	 */
	public InternodeServer server(Replica replica, ComparisonService comparisonService,
			Function<String, @Nullable String> departures, String host, int port) {
		return new InternodeServer(this.context, this.loops, new ServedReplica(replica, comparisonService, departures),
				host, port, this::greetedBy);
	}

	/** Who has reached this node can be reached. */
	private void greetedBy(String node) {
		PeerLink link = this.links.get(node);
		if (link != null) {
			link.hurry();
		}
	}

	/** The probe of the event loops, not started yet. */
	EventLoopLag lag() {
		return new EventLoopLag(EventLoops.of(this.loops), this.context.registry());
	}

}
