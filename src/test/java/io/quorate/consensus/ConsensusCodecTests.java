package io.quorate.consensus;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ConsensusCodecTests {

	private static final String BALLOT = "0000000000000005" + "00000000000000aa00000000000000bb";

	private static final String BASE = "0000000000000007" + "00000002" + "0102";

	private static final String DECREE = "00000001" + "03";

	private static final String VOTER = "02" + "6e31" + "00000000000000cc00000000000000dd";

	private static final String VERSION = "0000000000000008";

	private static final Ballot SOME_BALLOT = new Ballot(5, new UUID(0xaa, 0xbb));

	private static final Decision SOME_BASE = new Decision(7, Decree.copyOf(new byte[] { 1, 2 }));

	private static final Decree SOME_DECREE = Decree.copyOf(new byte[] { 3 });

	private static final Voter SOME_VOTER = new Voter("n1", new UUID(0xcc, 0xdd));

	static Stream<Arguments> requests() {
		return Stream.of(Arguments.of(new Request.Prepare(SOME_BASE, SOME_BALLOT), "01" + BASE + BALLOT),
				Arguments.of(new Request.Accept(SOME_BASE, SOME_BALLOT, SOME_DECREE), "02" + BASE + BALLOT + DECREE),
				Arguments.of(new Request.Learn(SOME_BASE), "03" + BASE),
				Arguments.of(new Request.Get(8), "04" + VERSION));
	}

	static Stream<Arguments> answers() {
		return Stream.of(
				Arguments.of(new Answer.Promise(8, SOME_VOTER, SOME_BALLOT, null),
						"01" + VERSION + VOTER + BALLOT + "00"),
				Arguments.of(new Answer.Promise(8, SOME_VOTER, SOME_BALLOT, new Vote(SOME_BALLOT, SOME_DECREE)),
						"01" + VERSION + VOTER + BALLOT + "01" + BALLOT + DECREE),
				Arguments.of(new Answer.Accepted(8, SOME_VOTER, SOME_BALLOT), "02" + VERSION + VOTER + BALLOT),
				Arguments.of(new Answer.Refused(8, SOME_BALLOT), "03" + VERSION + BALLOT),
				Arguments.of(new Answer.NotNamed(8), "04" + VERSION),
				Arguments.of(new Answer.Later(Decisions.of(SOME_BASE).with(new Decision(8, SOME_DECREE))),
						"05" + "02" + BASE + VERSION + DECREE),
				Arguments.of(new Answer.Learned(8), "06" + VERSION));
	}

	static Stream<Arguments> states() {
		return Stream.of(
				Arguments.of(
						new AcceptorState(9, Decisions.of(SOME_BASE), SOME_BALLOT, new Vote(SOME_BALLOT, SOME_DECREE)),
						VOTER + "01" + "0000000000000009" + "01" + BASE + BALLOT + "01" + BALLOT + DECREE),
				Arguments.of(AcceptorState.of(SOME_BASE),
						VOTER + "01" + "0000000000000000" + "01" + BASE + "0".repeat(48) + "00"));
	}

	@ParameterizedTest
	@MethodSource("requests")
	void aRequestHasTheseBytes(Request request, String hex) {
		assertThat(HexFormat.of().formatHex(ConsensusCodec.write(request))).isEqualTo(hex);
		assertThat(ConsensusCodec.readRequest(bytes(hex))).isEqualTo(request);
		assertNoOtherLength(hex, ConsensusCodec::readRequest);
	}

	@ParameterizedTest
	@MethodSource("answers")
	void anAnswerHasTheseBytes(Answer answer, String hex) {
		assertThat(HexFormat.of().formatHex(ConsensusCodec.write(answer))).isEqualTo(hex);
		assertThat(ConsensusCodec.readAnswer(bytes(hex))).isEqualTo(answer);
		assertNoOtherLength(hex, ConsensusCodec::readAnswer);
	}

	@ParameterizedTest
	@MethodSource("states")
	void aStateHasTheseBytes(AcceptorState state, String hex) {
		ConsensusCodec.OwnedState owned = new ConsensusCodec.OwnedState(SOME_VOTER, state);
		assertThat(HexFormat.of().formatHex(ConsensusCodec.write(owned))).isEqualTo(hex);
		assertThat(ConsensusCodec.readOwnedState(bytes(hex))).isEqualTo(owned);
		assertNoOtherLength(hex, ConsensusCodec::readOwnedState);
	}

	@Test
	void aReaderLeavesTheBufferAsItIs() {
		ByteBuffer buffer = bytes("06" + VERSION);
		ConsensusCodec.readAnswer(buffer);
		assertThat(buffer.position()).isZero();
	}

	@Test
	void aReaderRefusesBytesThatAreNoMessage() {
		assertMalformed("00" + VERSION, ConsensusCodec::readAnswer, "no answer");
		assertMalformed("05" + BASE, ConsensusCodec::readRequest, "no request");
		assertMalformed(VOTER + "02" + VERSION, ConsensusCodec::readOwnedState, "format 2 of a state, not 1");
		assertMalformed("05" + "00", ConsensusCodec::readAnswer, "1 to 16 decisions, not 0");
		assertMalformed("05" + "02" + BASE + BASE, ConsensusCodec::readAnswer, "version 7 follows version 7");
		assertMalformed("03" + "0000000000000000" + DECREE, ConsensusCodec::readRequest, "below 1");
		assertMalformed("03" + VERSION + "7fffffff" + "00", ConsensusCodec::readRequest, "of which 1 are there");
		assertMalformed("03" + VERSION + "ffffffff" + "00", ConsensusCodec::readRequest, "a part of -1 bytes");
		assertMalformed("02" + VERSION + "01ff" + "0".repeat(32) + BALLOT, ConsensusCodec::readAnswer, "not UTF-8");
		assertMalformed("01" + VERSION + VOTER + BALLOT + "02", ConsensusCodec::readAnswer, "neither a vote nor none");
		assertMalformed("03" + VERSION + "ff" + BALLOT.substring(2), ConsensusCodec::readAnswer, "is negative");
	}

	/* Any bytes are read or refused: nothing else happens. */
	@Test
	void aReaderOfRandomBytesReadsOrRefuses() {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		List<byte[]> written = Stream.concat(requests(), Stream.concat(answers(), states()))
			.map((each) -> HexFormat.of().parseHex((String) each.get()[1]))
			.toList();
		for (int i = 0; i < 20_000; i++) {
			byte[] bytes = written.get(random.nextInt(written.size())).clone();
			for (int change = random.nextInt(4); change >= 0; change--) {
				bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
			}
			byte[] cut = Arrays.copyOf(bytes, random.nextInt(bytes.length + 4));
			ByteBuffer buffer = ByteBuffer.wrap(cut);
			readOrRefuse(() -> assertSame(cut, ConsensusCodec.write(ConsensusCodec.readRequest(buffer)), seed));
			readOrRefuse(() -> assertSame(cut, ConsensusCodec.write(ConsensusCodec.readAnswer(buffer)), seed));
			readOrRefuse(() -> assertSame(cut, ConsensusCodec.write(ConsensusCodec.readOwnedState(buffer)), seed));
		}
	}

	private static void assertSame(byte[] read, byte[] again, long seed) {
		assertThat(again).as("seed %d", seed).isEqualTo(read);
	}

	private static void readOrRefuse(Runnable read) {
		try {
			read.run();
		}
		catch (MalformedBytesException refused) {
			assertThat(refused).hasMessageNotContaining("null");
		}
	}

	private static ByteBuffer bytes(String hex) {
		return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
	}

	private interface Reader {

		Object read(ByteBuffer bytes);

	}

	private static void assertMalformed(String hex, Reader reader, String why) {
		assertThatExceptionOfType(MalformedBytesException.class).isThrownBy(() -> reader.read(bytes(hex)))
			.withMessageContaining(why);
	}

	private static void assertNoOtherLength(String hex, Reader reader) {
		for (int length = 0; length < hex.length(); length += 2) {
			String shorter = hex.substring(0, length);
			assertThatExceptionOfType(MalformedBytesException.class).as(shorter)
				.isThrownBy(() -> reader.read(bytes(shorter)));
		}
		assertMalformed(hex + "00", reader, "1 bytes too many");
	}

}
