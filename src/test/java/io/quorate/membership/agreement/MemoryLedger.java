package io.quorate.membership.agreement;

import java.io.IOException;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Ledger;
import org.jspecify.annotations.Nullable;

/** A ledger in memory, which counts its writes and may fail. */
public final class MemoryLedger implements Ledger {

	AcceptorState state;

	int writes;

	@Nullable IOException failure;

	/** A ledger that was kept before. */
	public MemoryLedger(AcceptorState state) {
		this.state = state;
	}

	/** Has each write fail from now on. */
	public void failWith(IOException why) {
		this.failure = why;
	}

	/** Number of writes, with those that failed. */
	public int writes() {
		return this.writes;
	}

	@Override
	public AcceptorState recovered() {
		return this.state;
	}

	@Override
	public void keep(AcceptorState next) throws IOException {
		this.writes++;
		if (this.failure != null) {
			throw this.failure;
		}
		this.state = next;
	}

}
