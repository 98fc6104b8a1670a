package io.quorate.consensus;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/** Writes the parts of {@link ConsensusCodec} one behind the other. */
final class ByteWriter {

	private static final int FIRST_BYTES = 256;

	private ByteBuffer target = ByteBuffer.allocate(FIRST_BYTES);

	ByteWriter number1(int number) {
		room(Byte.BYTES).put((byte) number);
		return this;
	}

	ByteWriter number8(long number) {
		room(Long.BYTES).putLong(number);
		return this;
	}

	ByteWriter id(UUID id) {
		return number8(id.getMostSignificantBits()).number8(id.getLeastSignificantBits());
	}

	ByteWriter ballot(Ballot ballot) {
		return number8(ballot.round()).id(ballot.proposer());
	}

	ByteWriter decree(Decree decree) {
		room(Integer.BYTES + decree.size()).putInt(decree.size()).put(decree.buffer());
		return this;
	}

	ByteWriter decision(Decision decision) {
		return number8(decision.version()).decree(decision.decree());
	}

	ByteWriter decisions(Decisions decisions) {
		number1(decisions.kept().size());
		decisions.kept().forEach(this::decision);
		return this;
	}

	ByteWriter vote(@Nullable Vote vote) {
		return (vote != null) ? number1(1).ballot(vote.ballot()).decree(vote.decree()) : number1(0);
	}

	ByteWriter voter(Voter voter) {
		byte[] id = voter.id().getBytes(StandardCharsets.UTF_8);
		room(Byte.BYTES + id.length).put((byte) id.length).put(id);
		return id(voter.storageId());
	}

	byte[] bytes() {
		byte[] written = new byte[this.target.position()];
		this.target.flip().get(written);
		return written;
	}

	private ByteBuffer room(int more) {
		if (this.target.remaining() < more) {
			int needed = this.target.position() + more;
			this.target = ByteBuffer.allocate(Math.max(needed, 2 * this.target.capacity())).put(this.target.flip());
		}
		return this.target;
	}

}
