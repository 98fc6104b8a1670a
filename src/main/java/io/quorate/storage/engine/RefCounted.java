package io.quorate.storage.engine;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Something that is given back when the last of those who hold it lets go. Held once by
 * its maker.
 */
abstract class RefCounted {

	private final AtomicInteger holders = new AtomicInteger(1);

	/** Holds it, unless it was given back already. */
	final boolean tryHold() {
		int held = this.holders.get();
		while (held > 0) {
			if (this.holders.compareAndSet(held, held + 1)) {
				return true;
			}
			held = this.holders.get();
		}
		return false;
	}

	/** Holds it on behalf of somebody who is known to be among several holders. */
	final void hold() {
		if (!tryHold()) {
			throw new IllegalStateException(this + " was given back already");
		}
	}

	final void letGo() {
		int left = this.holders.decrementAndGet();
		if (left == 0) {
			giveBack();
		}
		else if (left < 0) {
			throw new IllegalStateException(this + " was let go of more often than held");
		}
	}

	/** Called once, by whoever lets go last; must not wait for the disk. */
	abstract void giveBack();

}
