package io.quorate.membership.change;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;

/**
 * The conditions on the members under which a change may begin: those that stay are up
 * and have their data, and one that is declared dead is heard by no other one. Nothing
 * here waits; safe for any number of threads.
 */
public final class ChangeConditions {

	/**
	 * Time for which a member that is declared dead has to be disconnected from all
	 * others: a break of the network, or a restart, is over by then.
	 */
	static final Duration AWAY = Duration.ofSeconds(30);

	/* Time after which the answer of a witness is not awaited any more. */
	private static final Duration ANSWER = Duration.ofSeconds(2);

	private final Layouts layouts;

	private final Membership membership;

	private final Witnesses witnesses;

	/** The conditions as a node sees them. */
	public ChangeConditions(Layouts layouts, Membership membership, Witnesses witnesses) {
		this.layouts = layouts;
		this.membership = membership;
		this.witnesses = witnesses;
	}

	/**
	 * Requires that all members are up and have their data: a change would wait for a
	 * member that is away, and one that is being rebuilt lacks what others would copy
	 * from it.
	 * @param dead member that is declared dead; empty for none
	 * @throws ChangeRefusedException when one is not
	 */
	void requireOthersUp(String dead) {
		for (Map.Entry<String, MemberState> member : this.membership.states().entrySet()) {
			boolean isNeeded = this.layouts.current().hasMember(member.getKey()) && !member.getKey().equals(dead);
			if (isNeeded && member.getValue() != MemberState.UP) {
				throw refused("%s is %s: wait until it is up, or declare the member that goes dead"
					.formatted(member.getKey(), member.getValue().word()));
			}
			if (isNeeded && this.membership.isRebuilding(member.getKey())) {
				throw refused("%s is being rebuilt: wait until it has its data".formatted(member.getKey()));
			}
		}
	}

	/**
	 * Requires that neither this node nor another member has had a connection to a member
	 * that is declared dead for a while. The other members are asked.
	 * @return the members that have not answered; fails with a
	 * {@link ChangeRefusedException}, and has an outcome within a bounded time
	 */
	CompletableFuture<List<String>> requireDead(String member) {
		if (!this.layouts.current().hasMember(member)) {
			return CompletableFuture.failedFuture(refused("%s is no member".formatted(member)));
		}
		MemberState state = this.membership.stateOf(member);
		if (state != MemberState.DISCONNECTED) {
			return CompletableFuture
				.failedFuture(refused("%s is %s: a member that can be reached is not dead, stop it first"
					.formatted(member, state.word())));
		}
		Duration own = this.membership.disconnectedFor(member);
		if (own.compareTo(AWAY) < 0) {
			return CompletableFuture.failedFuture(tooEarly(member, this.layouts.self(), own));
		}
		return silences(member).thenApply((answers) -> silent(member, answers));
	}

	/* Without an answer of a member empty. */
	private CompletableFuture<Map<String, Optional<Duration>>> silences(String member) {
		Map<String, CompletableFuture<Optional<Duration>>> asked = new TreeMap<>();
		for (String witness : this.layouts.current().members()) {
			if (!witness.equals(this.layouts.self()) && !witness.equals(member)) {
				asked.put(witness, this.witnesses.silenceOf(member, witness, ANSWER));
			}
		}
		return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply((_) -> {
			Map<String, Optional<Duration>> answers = new TreeMap<>();
			asked.forEach((witness, answer) -> answers.put(witness, answer.join()));
			return answers;
		});
	}

	private static List<String> silent(String member, Map<String, Optional<Duration>> answers) {
		List<String> silent = new ArrayList<>();
		answers.forEach((witness, answer) -> answer.ifPresentOrElse((silence) -> requireLong(member, witness, silence),
				() -> silent.add(witness)));
		return silent;
	}

	private static void requireLong(String member, String witness, Duration silence) {
		if (silence.isZero()) {
			throw refused(
					"%s hears %s: a member that can be reached is not dead, stop it first".formatted(witness, member));
		}
		if (silence.compareTo(AWAY) < 0) {
			throw tooEarly(member, witness, silence);
		}
	}

	private static ChangeRefusedException tooEarly(String member, String witness, Duration silence) {
		return refused("%s has had no connection to %s for %d s: it may be declared dead after %d s".formatted(witness,
				member, silence.toSeconds(), AWAY.toSeconds()));
	}

	private static ChangeRefusedException refused(String why) {
		return new ChangeRefusedException(Reason.IMPOSSIBLE, why, null);
	}

}
