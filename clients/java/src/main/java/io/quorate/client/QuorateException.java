package io.quorate.client;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The base of all errors of this client. Two questions decide the reaction of a program:
 * the outcome of a write, and the sense of another try.
 * <ul>
 * <li>{@link OutcomeUnknownException}: the write may have happened, may still happen, or
 * may never happen.</li>
 * <li>Every other error of a write: nothing was written, unless a proxy repeats writes,
 * or has answered in place of the node that got the request.</li>
 * <li>{@link UnavailableException}: no node can do it for now; later one may.</li>
 * <li>{@link RefusedException}: the node refuses the request; another try makes no
 * sense.</li>
 * </ul>
 */
public abstract class QuorateException extends RuntimeException {

	private static final long serialVersionUID = 1;

	private final @Nullable Problem problem;

	private List<FailedAttempt> failures = List.of();

	QuorateException(String message, @Nullable Problem problem, @Nullable Throwable cause) {
		super(message, cause);
		this.problem = problem;
	}

	/**
	 * Returns the problem document of the node, with its status, type and numbers. It is
	 * empty if the error is not the answer of a node.
	 */
	public final Optional<Problem> problem() {
		return Optional.ofNullable(this.problem);
	}

	/** Returns the attempts of the call that have failed, in their order. */
	public final List<FailedAttempt> failures() {
		return this.failures;
	}

	final void haveFailures(List<FailedAttempt> failures) {
		this.failures = List.copyOf(failures);
	}

}
