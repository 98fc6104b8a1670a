package io.quorate.membership.layout;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.quorate.consensus.Request;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.agreement.LayoutPeers;
import io.quorate.membership.layout.LayoutMachine.Asked;
import io.quorate.ring.Member;

/** Layouts of members n0, n1, ... with addresses and storage ids. */
public final class LayoutFixture {

	public static final Asked ASKED = new Asked(7, "an operator", 1000);

	private LayoutFixture() {
	}

	public static LayoutMember member(int number) {
		return member(number, "", 1);
	}

	public static LayoutMember member(int number, String zone, int life) {
		return new LayoutMember(new Member("n" + number, zone), "host" + number, 7100, new UUID(life, number));
	}

	public static LayoutRecord stable(int members, int factor) {
		return LayoutRecord.of(new LayoutSide(all(members), factor));
	}

	/** Facts of a node that has met no members but those that are ready. */
	public static LayoutFacts met(Map<String, LayoutVersion> adopted, Map<String, Long> complete,
			Map<String, LayoutMember> ready, Map<String, String> obstacles) {
		return facts(adopted, complete, ready, obstacles, Map.of());
	}

	/** Facts of such a node that has had connections a moment ago. */
	public static LayoutFacts facts(Map<String, LayoutVersion> adopted, Map<String, LayoutMember> ready,
			Map<String, String> obstacles, Map<String, UUID> alive) {
		return facts(adopted, Map.of(), ready, obstacles, alive);
	}

	private static LayoutFacts facts(Map<String, LayoutVersion> adopted, Map<String, Long> complete,
			Map<String, LayoutMember> ready, Map<String, String> obstacles, Map<String, UUID> alive) {
		Map<String, UUID> directories = ready.values()
			.stream()
			.collect(Collectors.toMap(LayoutMember::id, LayoutMember::storageId));
		return new LayoutFacts(adopted, complete, ready, obstacles, directories, alive);
	}

	/** The outcome of a request that a member answers at once. */
	public static LayoutPeers.Outcome outcome(LayoutAgreement asked, Request request) {
		try {
			return asked
				.answer(request).<LayoutPeers
						.Outcome>map(LayoutPeers.Outcome.Answered::new)
				.orElseGet(() -> new LayoutPeers.Outcome.Refused("no vote"));
		}
		catch (IOException failed) {
			throw new AssertionError(failed);
		}
	}

	public static List<LayoutMember> all(int members) {
		return IntStream.range(0, members).mapToObj(LayoutFixture::member).toList();
	}

}
