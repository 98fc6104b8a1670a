package io.quorate.consensus;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Random;

/**
 * A ledger whose node may crash while it writes, or with bytes that were written and not
 * fsynced. States go through their bytes, as on a disk.
 */
final class SimulatedLedger implements Ledger {

	private final PlantedBug bug;

	final SimulatedFile file;

	SimulatedLedger(Decision first, Random random, PlantedBug bug) {
		this.bug = bug;
		this.file = new SimulatedFile(random);
		this.file.set(ConsensusCodec.write(AcceptorState.of(first)));
	}

	@Override
	public AcceptorState recovered() {
		AcceptorState state = ConsensusCodec.readState(ByteBuffer.wrap(Objects.requireNonNull(this.file.durable())));
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
		this.file.replace(ConsensusCodec.write(state), this.bug == PlantedBug.ANSWER_BEFORE_THE_FSYNC);
	}

}
