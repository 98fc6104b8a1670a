package io.quorate.membership.layout;

import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.membership.layout.LayoutChange.Kind;
import io.quorate.ring.Member;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LayoutCodecTests {

	private static final String N1 = "0002" + "6e31" + "0001" + "61" + "0002" + "6e30" + "0001" + "68" + "1bbc"
			+ "00000000000000010000000000000002";

	private static final String N2 = "0002" + "6e32" + "0001" + "61" + "0002" + "6e32" + "0000" + "0000"
			+ "00000000000000000000000000000000";

	private static final String STABLE = "01" + "02" + "02" + N1 + N2 + "00" + "00";

	private static final String JOINT = "01" + "02" + "02" + N1 + N2 + "01" + "0002" + "6e32" + "01" + "01" + "01" + N1
			+ "02" + "0002" + "6e32" + "0000000000000008" + "0003" + "c3bc6f" + "00000000000003e8";

	private static final LayoutMember FIRST = new LayoutMember(new Member("n1", "a", "n0"), "h", 7100, new UUID(1, 2));

	private static final LayoutMember SECOND = new LayoutMember(new Member("n2", "a"), "", 0, LayoutMember.UNKNOWN);

	private static final LayoutSide BOTH = new LayoutSide(List.of(SECOND, FIRST), 2);

	private static Decree decree(String hex) {
		return Decree.copyOf(HexFormat.of().parseHex(hex));
	}

	private static String hex(Decree decree) {
		byte[] bytes = new byte[decree.size()];
		decree.buffer().get(bytes);
		return HexFormat.of().formatHex(bytes);
	}

	@Test
	void aLayoutHasTheseBytes() {
		LayoutRecord joint = new LayoutRecord(BOTH, new LayoutSide(List.of(FIRST), 1), Set.of("n2"),
				new LayoutChange(Kind.REMOVE, "n2", 8, "\u00fco", 1000));
		assertThat(hex(LayoutCodec.write(LayoutRecord.of(BOTH)))).isEqualTo(STABLE);
		assertThat(LayoutCodec.read(decree(STABLE))).isEqualTo(LayoutRecord.of(BOTH));
		assertThat(hex(LayoutCodec.write(joint))).isEqualTo(JOINT);
		assertThat(LayoutCodec.read(decree(JOINT))).isEqualTo(joint);
	}

	private static LayoutMember longest(int number) {
		String id = "%063d".formatted(number);
		return new LayoutMember(new Member(id, "z".repeat(63), id), "%0253d".formatted(number), 65_535,
				new UUID(1, number));
	}

	/*
	 * A node that is no member is shown at least the last one by the reply to its
	 * handshake.
	 */
	@Test
	void theLargestLayoutFitsIntoAReplyToAHandshake() {
		LayoutSide all = new LayoutSide(IntStream.range(0, 255).mapToObj(LayoutCodecTests::longest).toList(), 3);
		LayoutRecord joint = new LayoutRecord(all, all.replicated(4), Set.of(),
				new LayoutChange(Kind.REPLICATION, "", 8, "b".repeat(255), 1000));
		assertThat(LayoutCodec.write(joint).size()).isGreaterThan(200_000).isLessThanOrEqualTo(Decisions.MESSAGE_BYTES);
	}

	@Test
	void aReaderRefusesBytesOfAnotherForm() {
		for (int length = 0; length < JOINT.length(); length += 2) {
			String shorter = JOINT.substring(0, length);
			assertThatIllegalArgumentException().as(shorter).isThrownBy(() -> LayoutCodec.read(decree(shorter)));
		}
		assertThatIllegalArgumentException().isThrownBy(() -> LayoutCodec.read(decree(JOINT + "00")))
			.withMessage("1 bytes too many");
		assertThatIllegalArgumentException().isThrownBy(() -> LayoutCodec.read(decree("02" + STABLE.substring(2))))
			.withMessage("format 2 of a layout, not 1");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LayoutCodec.read(decree(STABLE.substring(0, STABLE.length() - 2) + "02")))
			.withMessage("neither a stable nor a joint layout");
	}

	@Test
	void aReaderOfRandomBytesReadsOrRefuses() {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		for (int i = 0; i < 5000; i++) {
			byte[] bytes = HexFormat.of().parseHex(random.nextBoolean() ? STABLE : JOINT);
			bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
			Decree changed = Decree.copyOf(bytes);
			try {
				assertThat(LayoutCodec.read(changed)).as("seed %d", seed).isNotNull();
			}
			catch (IllegalArgumentException refused) {
				assertThat(refused.getMessage()).as("seed %d", seed).isNotEmpty();
			}
		}
	}

	/* As large as a layout can be. */
	@Test
	void aLayoutOfTheMostMembersFitsADecree() {
		List<LayoutMember> members = IntStream.range(0, 255)
			.mapToObj((number) -> new LayoutMember(
					new Member("%063d".formatted(number), "z".repeat(63), "%063d".formatted(number + 500)),
					"h".repeat(250) + number, 7100, new UUID(1, number)))
			.toList();
		LayoutRecord joint = new LayoutRecord(new LayoutSide(members, 3), new LayoutSide(members, 4), Set.of(),
				new LayoutChange(Kind.REPLICATION, "", 8, "x".repeat(255), 1000));
		assertThat(LayoutCodec.read(LayoutCodec.write(joint))).isEqualTo(joint);
	}

}
