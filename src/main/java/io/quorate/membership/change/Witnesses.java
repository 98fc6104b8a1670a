package io.quorate.membership.change;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The other members, when they are asked whether they hear one of them. */
@FunctionalInterface
public interface Witnesses {

	/**
	 * Asks a member for how long it has had no connection to another one.
	 * @param witness member that is asked
	 * @param limit time after which its answer is of no use
	 * @return the time, zero when there is a connection; empty when the witness gives no
	 * answer. Never fails, and has an outcome within the limit.
	 */
	CompletableFuture<Optional<Duration>> silenceOf(String member, String witness, Duration limit);

}
