package io.quorate.consensus;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;

import org.jspecify.annotations.Nullable;

/**
 * A ledger whose node may crash while it writes, or with bytes that were written and not
 * fsynced. States go through their bytes, as on a disk.
 */
final class SimulatedLedger implements Ledger {

	private final Random random;

	private final PlantedBug bug;

	private byte[] fsynced;

	/* Written and not fsynced: there after a crash by luck. */
	private byte @Nullable [] written;

	int crashPercent;

	SimulatedLedger(Decision first, Random random, PlantedBug bug) {
		this.random = random;
		this.bug = bug;
		this.fsynced = ConsensusCodec.write(AcceptorState.of(first));
	}

	/** The power fails: of what was not fsynced, all may be there, or nothing. */
	void crash() {
		if (this.written != null && this.random.nextBoolean()) {
			this.fsynced = this.written;
		}
		this.written = null;
	}

	@Override
	public AcceptorState recovered() {
		AcceptorState state = ConsensusCodec.readState(ByteBuffer.wrap(this.fsynced));
		return switch (this.bug) {
			case PROMISE_LOST_IN_A_CRASH ->
				new AcceptorState(state.round(), state.decisions(), Ballot.NONE, state.accepted());
			case VOTE_LOST_IN_A_CRASH -> new AcceptorState(state.round(), state.decisions(), state.promised(), null);
			case BALLOT_USED_AGAIN_AFTER_A_CRASH ->
				new AcceptorState(0, state.decisions(), state.promised(), state.accepted());
			default -> state;
		};
	}

	@Override
	public void keep(AcceptorState state) throws IOException {
		this.written = ConsensusCodec.write(state);
		if (this.random.nextInt(100) < this.crashPercent) {
			throw new IOException("the power fails");
		}
		if (this.bug != PlantedBug.ANSWER_BEFORE_THE_FSYNC || this.random.nextInt(4) == 0) {
			this.fsynced = this.written;
			this.written = null;
		}
	}

}
