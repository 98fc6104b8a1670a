package io.quorate.internode.context;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.quorate.internode.InternodeMeters;
import io.quorate.internode.wire.Operation;
import io.quorate.meter.MeterByTag;

/**
 * The meters of one peer. Every series exists from the beginning, so that the first event
 * is seen as an increase.
 */
public final class PeerMetrics {

	private final MeterByTag<Operation, RequestTimers> requests;

	private final Counter sentBytes;

	private final Counter receivedBytes;

	private final Counter connected;

	private final Counter notConnected;

	private final Counter suspected;

	private final Counter refusedByRequests;

	private final Counter refusedByBytes;

	private final Counter refusedAsDisconnected;

	public PeerMetrics(MeterRegistry registry, String peer) {
		this.requests = new MeterByTag<>(Operation.class,
				(operation) -> new RequestTimers(registryOf(operation, registry), peer, operation));
		this.sentBytes = InternodeMeters.TRANSFERRED.counter(registry, peer, "sent");
		this.receivedBytes = InternodeMeters.TRANSFERRED.counter(registry, peer, "received");
		this.connected = InternodeMeters.CONNECTS.counter(registry, peer, "up");
		this.notConnected = InternodeMeters.CONNECTS.counter(registry, peer, "failed");
		this.suspected = InternodeMeters.SUSPECTED.counter(registry, peer);
		this.refusedByRequests = InternodeMeters.REFUSED.counter(registry, peer, "requests");
		this.refusedByBytes = InternodeMeters.REFUSED.counter(registry, peer, "bytes");
		this.refusedAsDisconnected = InternodeMeters.REFUSED.counter(registry, peer, "disconnected");
	}

	/**
	 * Comparisons have meters of their own, which are fewer, and a request for arrivals
	 * waits on purpose: these timers go to an empty registry.
	 */
	private static MeterRegistry registryOf(Operation operation, MeterRegistry registry) {
		boolean isTimed = operation != Operation.COMPARISON && operation != Operation.CHANGES;
		return isTimed ? registry : new CompositeMeterRegistry();
	}

	public RequestTimers requests(Operation operation) {
		return this.requests.of(operation);
	}

	/** A request is handed to a connection. */
	public void sent(int sizeBytes) {
		this.sentBytes.increment(sizeBytes);
	}

	/** A reply has come. */
	public void received(int sizeBytes) {
		this.receivedBytes.increment(sizeBytes);
	}

	/** A connection is up. */
	public void connected() {
		this.connected.increment();
	}

	/** An attempt to connect has ended without a connection. */
	public void notConnected() {
		this.notConnected.increment();
	}

	public void suspected() {
		this.suspected.increment();
	}

	/** Counter of requests that were not sent because too many were in flight. */
	public Counter refusedByRequests() {
		return this.refusedByRequests;
	}

	/**
	 * Counter of requests that were not sent because there was no room for their bytes.
	 */
	public Counter refusedByBytes() {
		return this.refusedByBytes;
	}

	/** Counter of requests that were not sent because there was no connection. */
	public Counter refusedAsDisconnected() {
		return this.refusedAsDisconnected;
	}

}
