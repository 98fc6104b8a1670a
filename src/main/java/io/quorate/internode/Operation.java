package io.quorate.internode;

import java.util.Locale;

/** What a replica is asked to do. */
enum Operation {

	APPLY, READ, PAGE;

	/** The word that meters use for it. */
	String word() {
		return name().toLowerCase(Locale.ROOT);
	}

}
