package io.quorate.api.problem;

/** The end of a request, with this problem as its answer. Cheap: without stack trace. */
public final class ProblemException extends RuntimeException {

	private final transient Problem problem;

	/** Ends a request with a problem. */
	public ProblemException(Problem problem) {
		super(problem.detail(), null, false, false);
		this.problem = problem;
	}

	/** A request that says something wrong: 400. */
	public static ProblemException badRequest(String detail) {
		return new ProblemException(Problem.badRequest(detail));
	}

	/** The answer. */
	public Problem problem() {
		return this.problem;
	}

}
