package io.quorate.operations.configuration;

import java.util.List;

/**
 * The failure of a start with properties of ours that nothing reads: most likely
 * misspelt.
 */
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
	 * An unknown property.
	 *
	 * @param name as it was written
	 * @param origin the source in which it was written
	 * @param suggestion the name that may have been meant, empty if none is near
	 */
	record Unknown(String name, String origin, String suggestion) {
	}

}
