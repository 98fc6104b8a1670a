package io.quorate.internode.wiring;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Ledger;
import org.jspecify.annotations.Nullable;

/** A ledger whose first write waits. */
final class SlowLedger implements Ledger {

	final CountDownLatch slow = new CountDownLatch(1);

	private volatile AcceptorState state;

	volatile boolean isWriting;

	volatile @Nullable IOException failure;

	SlowLedger(AcceptorState state) {
		this.state = state;
	}

	SlowLedger quick() {
		this.slow.countDown();
		return this;
	}

	@Override
	public AcceptorState recovered() {
		return this.state;
	}

	@Override
	public void keep(AcceptorState next) throws IOException {
		this.isWriting = true;
		try {
			if (!this.slow.await(1, TimeUnit.MINUTES)) {
				throw new IOException("the test does not go on");
			}
		}
		catch (InterruptedException stopped) {
			throw new IOException(stopped);
		}
		IOException planned = this.failure;
		if (planned != null) {
			throw planned;
		}
		this.state = next;
	}

}
