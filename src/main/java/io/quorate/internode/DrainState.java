package io.quorate.internode;

/**
 * How far this node is on its way out: first it says so, and does what it is asked; then
 * it takes nothing new. Never goes back. Safe for any number of threads.
 */
final class DrainState {

	private volatile boolean announced;

	private volatile boolean draining;

	/** From now on peers are told. */
	void announce() {
		this.announced = true;
	}

	/** From now on nothing new is taken, either. */
	void drain() {
		this.announced = true;
		this.draining = true;
	}

	boolean isAnnounced() {
		return this.announced;
	}

	boolean isDraining() {
		return this.draining;
	}

}
