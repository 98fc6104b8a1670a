package io.quorate.membership.layout;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Decision;
import io.quorate.membership.members.Layouts;

/**
 * Layouts of a cluster that began with n0, n1 and n2, none of which is a member any more.
 */
public final class ReplacedMembers {

	private static final List<String> FIRST = List.of("n0@127.0.0.1:1", "n1@127.0.0.1:2", "n2@127.0.0.1:3");

	private ReplacedMembers() {
	}

	/** The layouts of a node that joins, or has joined, by its configuration. */
	public static Layouts configured(String self, String join, String... seeds) {
		return Layouts.of(self, FIRST, FIRST.size(), join, List.of(seeds));
	}

	/** A state of the ledger in which one version is decided, that of these members. */
	public static AcceptorState decided(long version, Map<Endpoint, UUID> members) {
		List<LayoutMember> all = members.entrySet()
			.stream()
			.map((member) -> LayoutMember.of(member.getKey(), member.getValue()))
			.toList();
		return AcceptorState
			.of(new Decision(version, LayoutCodec.write(LayoutRecord.of(new LayoutSide(all, FIRST.size())))));
	}

}
