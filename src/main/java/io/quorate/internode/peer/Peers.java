package io.quorate.internode.peer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import io.quorate.consensus.Request;
import io.quorate.membership.agreement.LayoutPeers;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutFollower;
import org.jspecify.annotations.Nullable;

/**
 * The peers of this node, as replicas. A peer that joins is connected to before a layout
 * with it is adopted; one that has left is closed when the requests to it are over. Safe
 * for any number of threads.
 */
public final class Peers implements LayoutFollower, LayoutPeers, AutoCloseable {

	/**
	 * Time for which connections to and from a node that has left stay open: the longest
	 * time that a client may give a request by default.
	 */
	public static final Duration LAST_REQUESTS = Duration.ofSeconds(30);

	private final Function<Endpoint, PeerReplica> factory;

	/* Those that have left, for the requests that are under way to them. */
	private final List<PeerReplica> leaving = new ArrayList<>();

	private volatile Map<String, PeerReplica> byId = Map.of();

	private boolean isConnecting;

	/**
	 * No peers yet.
	 * @param factory makes the replica of a peer, not connected yet
	 */
	public Peers(Function<Endpoint, PeerReplica> factory) {
		this.factory = factory;
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
	public void ask(String member, Request request, Duration limit, Consumer<Outcome> outcome) {
		PeerReplica peer = of(member);
		if (peer != null) {
			peer.ask(request, limit, outcome);
		}
	}

	@Override
	public synchronized void joins(Endpoint peer) {
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
			gone.retire();
			this.leaving.add(gone);
			var _ = CompletableFuture.runAsync(() -> closeLater(gone),
					CompletableFuture.delayedExecutor(LAST_REQUESTS.toSeconds(), TimeUnit.SECONDS));
		}
	}

	private synchronized void closeLater(PeerReplica gone) {
		this.leaving.remove(gone);
		gone.close();
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
