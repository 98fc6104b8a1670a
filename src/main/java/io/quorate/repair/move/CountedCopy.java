package io.quorate.repair.move;

import io.micrometer.core.instrument.Counter;
import io.quorate.repair.antientropy.CopyObserver;

/** An observer that counts bytes in a meter, and passes all on to another one. */
record CountedCopy(CopyObserver next, Counter received) implements CopyObserver {

	@Override
	public void begun() {
		this.next.begun();
	}

	@Override
	public void passed(int entries) {
		this.next.passed(entries);
	}

	@Override
	public void received(long bytes) {
		this.received.increment((double) bytes);
		this.next.received(bytes);
	}

}
