package io.quorate.membership.members;

import java.util.Locale;

/** The state of a member as this node sees it. */
public enum MemberState {

	/** Connected, and not silent while requests to it are outstanding. */
	UP,

	/** Connected, but silent with work outstanding: to be asked last. */
	SUSPECT,

	/** Connected, but about to stop: to be asked last, and soon takes nothing new. */
	DRAINING,

	/** Not connected: every request to it fails at once, unsent. */
	DISCONNECTED;

	/** The word for people, logs and meters. */
	public String word() {
		return name().toLowerCase(Locale.ROOT);
	}

}
