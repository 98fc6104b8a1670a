package io.quorate.api;

import io.quorate.clock.Timestamp;

/** The strong entity tag of a version: its timestamp, opaque to clients. */
final class EntityTag {

	private EntityTag() {
	}

	/** The tag in its quotes. */
	static String of(Timestamp timestamp) {
		return "\"" + timestamp + "\"";
	}

}
