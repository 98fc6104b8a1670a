package io.quorate.membership.agreement;

import java.util.function.Supplier;

import io.quorate.consensus.Decision;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Request;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutFacts;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The conditions on which this node votes about the layout, and learns what others have
 * decided.
 */
final class VoteConditions {

	private static final Logger log = LoggerFactory.getLogger(VoteConditions.class);

	private final String self;

	private final Supplier<LayoutFacts> facts;

	private final LayoutAdoption adoption;

	private final LayoutTrouble trouble;

	/**
	 * The conditions of a node.
	 * @param trouble receives the reasons for which nothing is learned
	 */
	VoteConditions(String self, Supplier<LayoutFacts> facts, LayoutAdoption adoption, LayoutTrouble trouble) {
		this.self = self;
		this.facts = facts;
		this.adoption = adoption;
		this.trouble = trouble;
	}

	/** Whether this node can vote now. */
	boolean isVoting() {
		return this.facts.get().ready().containsKey(this.self);
	}

	/** Whether this node may answer a request, and learn what it builds on. */
	boolean mayAnswer(Request request) {
		boolean mayAnswer = switch (request) {
			case Request.Prepare _ -> isVoting();
			case Request.Accept accept -> isVoting() && mayVoteFor(accept.base(), accept.decree());
			case Request.Learn _, Request.Get _ -> true;
		};
		return mayAnswer && !isRefused(request);
	}

	private boolean isRefused(Request request) {
		String why = this.adoption.refusal(request);
		if (why != null) {
			this.trouble.met(why);
		}
		return why != null;
	}

	private boolean mayVoteFor(Decision base, Decree decree) {
		try {
			LayoutRecord before = LayoutCodec.read(base.decree());
			LayoutRecord after = LayoutCodec.read(decree);
			String alive = replacedAlive(before, after);
			if (alive != null) {
				log.warn("The layout of the cluster: this node gives no vote for version {}, which names another "
						+ "directory as {} than that of the process which it is, or was a moment ago, connected to",
						base.next(), alive);
				return false;
			}
			if (LayoutMachine.mayFollow(before, base.version(), after)) {
				return true;
			}
			log.warn("A layout is proposed for version {} that may not follow: {}", base.next(), after);
		}
		catch (IllegalArgumentException unknown) {
			log.warn("A layout is proposed for version {} that this program cannot read: {}", base.next(),
					unknown.getMessage());
		}
		return false;
	}

	/* A member that joins is named for the first time. */
	private @Nullable String replacedAlive(LayoutRecord before, LayoutRecord after) {
		LayoutFacts now = this.facts.get();
		for (LayoutMember named : after.members()) {
			LayoutMember known = before.member(named.id());
			if (known != null && now.isReplacedAlive(known, named)) {
				return named.id();
			}
		}
		return null;
	}

}
