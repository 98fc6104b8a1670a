package io.quorate.consensus;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The bytes of requests, answers and states, numbers with the highest byte first:
 *
 * <pre>
 * request   prepare    1 | decision | ballot
 *           accept     2 | decision | ballot | decree
 *           learn      3 | decision
 *           get        4 | version 8
 * answer    promise    1 | version 8 | voter | ballot | vote
 *           accepted   2 | version 8 | voter | ballot
 *           refused    3 | version 8 | ballot
 *           not named  4 | version 8
 *           later      5 | decisions
 *           learned    6 | version 8
 * state                1 | round 8 | decisions | ballot | vote         1: format
 *
 * ballot    round 8 | storage id 16
 * decree    length 4 | bytes
 * decision  version 8 | decree
 * decisions count 1 | decision ...
 * vote      0  or  1 | ballot | decree
 * voter     length 1 | id in UTF-8 | storage id 16
 * </pre>
 *
 * A checksum is the business of the one who keeps or sends the bytes. Bytes of any other
 * form are refused with {@link MalformedBytesException}.
 */
public final class ConsensusCodec {

	/** The format of states, in their first byte. */
	static final int STATE_FORMAT = 1;

	private static final int PREPARE = 1;

	private static final int ACCEPT = 2;

	private static final int LEARN = 3;

	private static final int GET = 4;

	private static final int PROMISE = 1;

	private static final int ACCEPTED = 2;

	private static final int REFUSED = 3;

	private static final int NOT_NAMED = 4;

	private static final int LATER = 5;

	private static final int LEARNED = 6;

	private ConsensusCodec() {
	}

	/** The bytes of a request. */
	public static byte[] write(Request request) {
		ByteWriter writer = new ByteWriter();
		return (switch (request) {
			case Request.Prepare(Decision base, Ballot ballot) -> writer.number1(PREPARE).decision(base).ballot(ballot);
			case Request.Accept(Decision base, Ballot ballot, Decree decree) ->
				writer.number1(ACCEPT).decision(base).ballot(ballot).decree(decree);
			case Request.Learn(Decision decision) -> writer.number1(LEARN).decision(decision);
			case Request.Get(long after) -> writer.number1(GET).number8(after);
		}).bytes();
	}

	/** The request that has these bytes. */
	public static Request readRequest(ByteBuffer bytes) {
		return ByteReader.readAll(bytes, (reader) -> switch (reader.number1()) {
			case PREPARE -> new Request.Prepare(reader.decision(), reader.ballot());
			case ACCEPT -> new Request.Accept(reader.decision(), reader.ballot(), reader.decree());
			case LEARN -> new Request.Learn(reader.decision());
			case GET -> new Request.Get(reader.number8());
			default -> throw new MalformedBytesException("no request of the consensus");
		});
	}

	/** The bytes of an answer. */
	public static byte[] write(Answer answer) {
		ByteWriter writer = new ByteWriter();
		return (switch (answer) {
			case Answer.Promise promise -> writer.number1(PROMISE)
				.number8(promise.version())
				.voter(promise.voter())
				.ballot(promise.ballot())
				.vote(promise.accepted());
			case Answer.Accepted(long version, Voter voter, Ballot ballot) ->
				writer.number1(ACCEPTED).number8(version).voter(voter).ballot(ballot);
			case Answer.Refused(long version, Ballot promised) ->
				writer.number1(REFUSED).number8(version).ballot(promised);
			case Answer.NotNamed(long version) -> writer.number1(NOT_NAMED).number8(version);
			case Answer.Later(Decisions decisions) -> writer.number1(LATER).decisions(decisions);
			case Answer.Learned(long version) -> writer.number1(LEARNED).number8(version);
		}).bytes();
	}

	/** The answer that has these bytes. */
	public static Answer readAnswer(ByteBuffer bytes) {
		return ByteReader.readAll(bytes, (reader) -> switch (reader.number1()) {
			case PROMISE -> new Answer.Promise(reader.number8(), reader.voter(), reader.ballot(), reader.vote());
			case ACCEPTED -> new Answer.Accepted(reader.number8(), reader.voter(), reader.ballot());
			case REFUSED -> new Answer.Refused(reader.number8(), reader.ballot());
			case NOT_NAMED -> new Answer.NotNamed(reader.number8());
			case LATER -> new Answer.Later(reader.decisions());
			case LEARNED -> new Answer.Learned(reader.number8());
			default -> throw new MalformedBytesException("no answer of the consensus");
		});
	}

	private static ByteWriter state(AcceptorState state, ByteWriter writer) {
		return writer.number1(STATE_FORMAT)
			.number8(state.round())
			.decisions(state.decisions())
			.ballot(state.promised())
			.vote(state.accepted());
	}

	private static AcceptorState state(ByteReader reader) {
		int format = reader.number1();
		if (format != STATE_FORMAT) {
			throw new MalformedBytesException("format %d of a state, not %d".formatted(format, STATE_FORMAT));
		}
		return new AcceptorState(reader.number8(), reader.decisions(), reader.ballot(), reader.vote());
	}

	/** The bytes of a voter and its state. */
	public static byte[] write(OwnedState owned) {
		return state(owned.state(), new ByteWriter().voter(owned.owner())).bytes();
	}

	/** The voter and the state that have these bytes. */
	public static OwnedState readOwnedState(ByteBuffer bytes) {
		return ByteReader.readAll(bytes, (reader) -> new OwnedState(reader.voter(), state(reader)));
	}

	/** A state with the voter whose promises and votes it has. */
	public record OwnedState(Voter owner, AcceptorState state) {
	}

	/** Writes the parts of {@link ConsensusCodec} one behind the other. */
	private static final class ByteWriter {

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

}
