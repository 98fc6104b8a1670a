package io.quorate.client;

import java.util.Optional;

/**
 * The refusal of a request whose condition does not hold. Read the value and decide anew
 * before you name {@link #current}: else you overwrite what you have not seen.
 */
public class PreconditionFailedException extends RefusedException {

	PreconditionFailedException(String message, Problem problem) {
		super(message, problem, null);
	}

	/** Returns the version of the value; it is empty if there is no value. */
	public Optional<String> current() {
		return member("current");
	}

	/**
	 * Returns the version of a key without a value, that of its deletion or of the value
	 * that has expired; it is empty if there is none, or a value.
	 */
	public Optional<String> absentVersion() {
		return member(Problems.ABSENT_VERSION);
	}

	private Optional<String> member(String name) {
		return problem().map((problem) -> problem.members().get(name))
			.filter(String.class::isInstance)
			.map(String.class::cast);
	}

}
