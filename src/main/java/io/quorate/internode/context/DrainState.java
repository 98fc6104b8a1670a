package io.quorate.internode.context;

/**
 * The state of this node's shutdown: announced (peers learn of it, all requests are
 * served), then draining (new requests are refused). It never goes back. Safe for any
 * number of threads.
 */
public final class DrainState {

	private volatile boolean announced;

	private volatile boolean draining;

	/** Handshakes and keep-alives announce the shutdown from now on. */
	public void announce() {
		this.announced = true;
	}

	/** New requests are refused from now on, too. */
	public void drain() {
		this.announced = true;
		this.draining = true;
	}

	public boolean isAnnounced() {
		return this.announced;
	}

	public boolean isDraining() {
		return this.draining;
	}

}
