package io.quorate.membership;

import java.io.IOException;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Ledger;
import org.jspecify.annotations.Nullable;

/** A ledger in memory, which counts its writes and may fail. */
final class MemoryLedger implements Ledger {

	AcceptorState state;

	int writes;

	@Nullable IOException failure;

	MemoryLedger(AcceptorState state) {
		this.state = state;
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
