package io.quorate.operations.configuration;

import java.util.List;

/** Properties of ours are set that nothing reads: most likely misspelt. */
final class UnknownPropertyException extends RuntimeException {

	private final transient List<Unknown> unknown;

	UnknownPropertyException(List<Unknown> unknown) {
		super("unknown properties: " + unknown);
		this.unknown = List.copyOf(unknown);
	}

	List<Unknown> unknown() {
		return this.unknown;
	}

	/**
	 * One of them.
	 *
	 * @param name as it was written
	 * @param origin where
	 * @param suggestion what may have been meant, empty when nothing is near
	 */
	record Unknown(String name, String origin, String suggestion) {
	}

}
