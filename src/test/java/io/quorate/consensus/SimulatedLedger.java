package io.quorate.consensus;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;

/**
 * A ledger whose node may crash while it writes, or with bytes that were written and not
 * fsynced. States go through their bytes, as on a disk.
 */
final class SimulatedLedger implements Ledger {

	private static final Voter OWNER = new Voter("n", new UUID(0, 0));

	private final PlantedBug bug;

	final SimulatedFile file;

	SimulatedLedger(Decision first, Random random, PlantedBug bug) {
		this.bug = bug;
		this.file = new SimulatedFile(random);
		this.file.set(bytes(AcceptorState.of(first)));
	}

	private static byte[] bytes(AcceptorState state) {
		return ConsensusCodec.write(new ConsensusCodec.OwnedState(OWNER, state));
	}

	@Override
	public AcceptorState recovered() {
		AcceptorState state = ConsensusCodec
			.readOwnedState(ByteBuffer.wrap(Objects.requireNonNull(this.file.durable())))
			.state();
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
		this.file.replace(bytes(state), this.bug == PlantedBug.ANSWER_BEFORE_THE_FSYNC);
	}

}
