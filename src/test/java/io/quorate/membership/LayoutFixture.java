package io.quorate.membership;

import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import io.quorate.membership.LayoutMachine.Asked;
import io.quorate.ring.Member;

/** Layouts of members n0, n1, ... with addresses and storage ids. */
final class LayoutFixture {

	static final Asked ASKED = new Asked(7, "an operator", 1000);

	private LayoutFixture() {
	}

	static LayoutMember member(int number) {
		return member(number, "", 1);
	}

	static LayoutMember member(int number, String zone, int life) {
		return new LayoutMember(new Member("n" + number, zone), "host" + number, 7100, new UUID(life, number));
	}

	static LayoutRecord stable(int members, int factor) {
		return LayoutRecord.of(new LayoutSide(all(members), factor));
	}

	static List<LayoutMember> all(int members) {
		return IntStream.range(0, members).mapToObj(LayoutFixture::member).toList();
	}

}
