package io.quorate.spring.boot.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * The error of a property that a client cannot have. Its message names the property, and
 * never quotes a token or an endpoint, which may have a password.
 */
public class InvalidQuoratePropertyException extends RuntimeException {

	private static final long serialVersionUID = 1;

	private final String property;

	InvalidQuoratePropertyException(String name, @Nullable String reason, @Nullable Throwable cause) {
		super("The property " + QuorateProperties.PREFIX + "." + name + " is invalid: " + reason + ".", cause);
		this.property = QuorateProperties.PREFIX + "." + name;
	}

	/** Returns the full name of the property. */
	public String property() {
		return this.property;
	}

}
