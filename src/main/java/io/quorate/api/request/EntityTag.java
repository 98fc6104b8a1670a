package io.quorate.api.request;

import io.quorate.clock.Timestamp;

/** The strong entity tag of a version, opaque to clients. Pure. */
public final class EntityTag {

	private EntityTag() {
	}

	/** The tag in its quotes. */
	public static String of(Timestamp version) {
		return "\"" + version + "\"";
	}

}
