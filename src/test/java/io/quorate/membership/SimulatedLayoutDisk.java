package io.quorate.membership;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.UUID;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.ConsensusCodec;
import io.quorate.consensus.Ledger;
import io.quorate.storage.FormatLevel;
import org.jspecify.annotations.Nullable;

/**
 * The directory of one simulated node: storage id, format level, whether it is new, and
 * the file {@code LAYOUT}, whose writes may be cut off by a power failure.
 */
final class SimulatedLayoutDisk implements Ledger {

	private final Random random;

	private final PlantedLayoutBug bug;

	private final AcceptorState first;

	UUID storageId;

	int level;

	boolean isNew = true;

	int crashPercent;

	boolean hasFailed;

	private byte @Nullable [] fsynced;

	/* Written and not fsynced: there after a crash by luck. */
	private byte @Nullable [] written;

	SimulatedLayoutDisk(UUID storageId, AcceptorState first, Random random, PlantedLayoutBug bug) {
		this.storageId = storageId;
		this.first = first;
		this.random = random;
		this.bug = bug;
	}

	/** The rules of the file at a start, as {@code LayoutFile} has them. */
	void start() {
		this.hasFailed = false;
		boolean isMissing = this.fsynced == null;
		if (isMissing && this.level >= FormatLevel.LAYOUTS && !this.isNew) {
			throw new AssertionError("the file is missing, and the node may have voted");
		}
		if (isMissing || this.level < FormatLevel.LAYOUTS
				|| this.bug == PlantedLayoutBug.FILE_MADE_ANEW_AT_EACH_START) {
			this.fsynced = ConsensusCodec.write(this.first);
		}
	}

	/** The power fails: of what was not fsynced, all may be there, or nothing. */
	void crash() {
		if (this.written != null && this.random.nextBoolean()) {
			this.fsynced = this.written;
		}
		this.written = null;
	}

	/** The file alone is lost. */
	void loseFile() {
		this.fsynced = null;
	}

	/** A salvage: the data has another identity, and the file has its decisions. */
	void renew(UUID other) {
		this.storageId = other;
		if (this.fsynced != null) {
			this.fsynced = ConsensusCodec.write(AcceptorState.of(recovered().decisions()));
		}
	}

	@Override
	public AcceptorState recovered() {
		byte[] bytes = this.fsynced;
		return (bytes != null) ? ConsensusCodec.readState(ByteBuffer.wrap(bytes)) : this.first;
	}

	@Override
	public void keep(AcceptorState state) throws IOException {
		this.written = ConsensusCodec.write(state);
		if (this.random.nextInt(100) < this.crashPercent) {
			this.hasFailed = true;
			throw new IOException("the power fails");
		}
		if (this.bug != PlantedLayoutBug.VOTE_BEFORE_THE_FSYNC || this.random.nextInt(4) == 0) {
			this.fsynced = this.written;
			this.written = null;
		}
	}

}
