package io.quorate.membership.agreement;

import java.time.Duration;
import java.util.function.Consumer;

import io.quorate.consensus.Answer;
import io.quorate.consensus.Request;

/** The other members, as {@link LayoutAgreement} asks them. */
@FunctionalInterface
public interface LayoutPeers {

	/**
	 * Sends a request to a member, or does nothing when it is not reached. Must not
	 * block.
	 * @param limit time after which the answer is of no use
	 * @param outcome receives the answer or the refusal, if one comes, on the thread that
	 * uses the agreement
	 */
	void ask(String member, Request request, Duration limit, Consumer<Outcome> outcome);

	/** The outcome of a request. */
	sealed interface Outcome {

		/** The member has answered. */
		record Answered(Answer answer) implements Outcome {
		}

		/**
		 * The member gives no answer.
		 *
		 * @param why reason in words
		 */
		record Refused(String why) implements Outcome {
		}

	}

}
