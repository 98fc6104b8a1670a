package io.quorate.membership.agreement;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.UUID;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.ConsensusCodec;
import io.quorate.consensus.Ledger;
import io.quorate.consensus.SimulatedFile;
import io.quorate.consensus.Voter;
import io.quorate.storage.FormatLevel;

/**
 * The directory of one simulated node: storage id, format level, whether it is new, and
 * the file {@code LAYOUT}, whose writes may be cut off by a power failure.
 */
final class SimulatedLayoutDisk implements Ledger {

	private final PlantedLayoutBug bug;

	private final AcceptorState first;

	UUID storageId;

	int level;

	boolean isNew = true;

	boolean hasFailed;

	private final SimulatedFile file;

	SimulatedLayoutDisk(UUID storageId, AcceptorState first, Random random, PlantedLayoutBug bug) {
		this.storageId = storageId;
		this.first = first;
		this.file = new SimulatedFile(random);
		this.bug = bug;
	}

	/** The rules of the file at a start, as {@code LayoutFile} has them. */
	void start() {
		this.hasFailed = false;
		boolean isMissing = this.file.durable() == null;
		if (isMissing && this.level >= FormatLevel.FIRST && !this.isNew) {
			throw new AssertionError("the file is missing, and the node may have voted");
		}
		if (isMissing || this.level < FormatLevel.FIRST || this.bug == PlantedLayoutBug.FILE_MADE_ANEW_AT_EACH_START) {
			this.file.set(bytes(this.first));
		}
	}

	/** Has the power fail in this share of writes from now on. */
	void crash(int percent) {
		this.file.crashPercent = percent;
	}

	/** The power fails. */
	void crash() {
		this.file.crash();
	}

	/** The file alone is lost. */
	void loseFile() {
		this.file.set(null);
	}

	/** A salvage: the data has another identity, and the file has its decisions. */
	void renew(UUID other) {
		this.storageId = other;
		if (this.file.durable() != null) {
			this.file.set(bytes(AcceptorState.of(recovered().decisions())));
		}
	}

	private byte[] bytes(AcceptorState state) {
		return ConsensusCodec.write(new ConsensusCodec.OwnedState(new Voter("n", this.storageId), state));
	}

	@Override
	public AcceptorState recovered() {
		byte[] bytes = this.file.durable();
		return (bytes != null) ? ConsensusCodec.readOwnedState(ByteBuffer.wrap(bytes)).state() : this.first;
	}

	@Override
	public void keep(AcceptorState state) throws IOException {
		try {
			this.file.replace(bytes(state), this.bug == PlantedLayoutBug.VOTE_BEFORE_THE_FSYNC);
		}
		catch (IOException failed) {
			this.hasFailed = true;
			throw failed;
		}
	}

}
