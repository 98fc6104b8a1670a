package io.quorate.storage.engine;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A reference-counted resource, disposed when the last reference is released. Its creator
 * holds the first.
 */
abstract class RefCounted {

	private final AtomicInteger holders = new AtomicInteger(1);

	/** Takes a reference, unless the resource was disposed already. */
	final boolean tryRetain() {
		int held = this.holders.get();
		while (held > 0) {
			if (this.holders.compareAndSet(held, held + 1)) {
				return true;
			}
			held = this.holders.get();
		}
		return false;
	}

	/** Takes a reference while another one is known to be held. */
	final void retain() {
		if (!tryRetain()) {
			throw new IllegalStateException(this + " was disposed already");
		}
	}

	final void release() {
		int left = this.holders.decrementAndGet();
		if (left == 0) {
			dispose();
		}
		else if (left < 0) {
			throw new IllegalStateException(this + " was released more often than it was held");
		}
	}

	/**
	 * Disposes the resource. Called once, on the thread that releases the last reference;
	 * must not wait for the disk.
	 */
	abstract void dispose();

}
