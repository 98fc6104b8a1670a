package io.quorate.internode.peer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.quorate.membership.Endpoint;
import io.quorate.membership.LayoutFollower;
import org.jspecify.annotations.Nullable;

/**
 * The peers of this node, as replicas. A peer that joins is connected to before a layout
 * with it is adopted; one that has left is closed when the requests to it are over. Safe
 * for any number of threads.
 */
public final class Peers implements LayoutFollower, AutoCloseable {

	/* The longest time that a client may give a request by default. */
	private static final Duration LAST_REQUESTS = Duration.ofSeconds(30);

	private final Function<Endpoint, PeerReplica> factory;

	private final Duration lastRequests;

	/* Those that have left, for the requests that are under way to them. */
	private final List<PeerReplica> leaving = new ArrayList<>();

	private volatile Map<String, PeerReplica> byId = Map.of();

	private boolean isConnecting;

	/**
	 * No peers yet.
	 * @param factory makes the replica of a peer, not connected yet
	 */
	public Peers(Function<Endpoint, PeerReplica> factory) {
		this(factory, LAST_REQUESTS);
	}

	Peers(Function<Endpoint, PeerReplica> factory, Duration lastRequests) {
		this.factory = factory;
		this.lastRequests = lastRequests;
	}

	/** One replica for each peer, in the order in which they became members. */
	public Collection<PeerReplica> all() {
		return this.byId.values();
	}

	/** The peer of an id, or {@code null}. */
	public @Nullable PeerReplica of(String id) {
		return this.byId.get(id);
	}

	@Override
	public synchronized void joins(Endpoint peer) {
		List<PeerReplica> former = this.leaving.stream().filter((gone) -> gone.nodeId().equals(peer.id())).toList();
		former.forEach(this::closeNow);
		PeerReplica joined = this.factory.apply(peer);
		Map<String, PeerReplica> later = new LinkedHashMap<>(this.byId);
		PeerReplica before = later.put(peer.id(), joined);
		this.byId = later;
		if (before != null) {
			before.close();
		}
		if (this.isConnecting) {
			joined.connect();
		}
	}

	@Override
	public synchronized void left(String peer) {
		Map<String, PeerReplica> later = new LinkedHashMap<>(this.byId);
		PeerReplica gone = later.remove(peer);
		this.byId = later;
		if (gone != null) {
			this.leaving.add(gone);
			var _ = CompletableFuture.runAsync(() -> closeNow(gone),
					CompletableFuture.delayedExecutor(this.lastRequests.toMillis(), TimeUnit.MILLISECONDS));
		}
	}

	private synchronized void closeNow(PeerReplica gone) {
		if (this.leaving.remove(gone)) {
			gone.close();
		}
	}

	/** Begins to connect to all peers, and to each that joins. */
	public synchronized void connect() {
		this.isConnecting = true;
		List.copyOf(this.byId.values()).forEach(PeerReplica::connect);
	}

	@Override
	public synchronized void close() {
		this.isConnecting = false;
		List.copyOf(this.byId.values()).forEach(PeerReplica::close);
		this.leaving.forEach(PeerReplica::close);
	}

}
