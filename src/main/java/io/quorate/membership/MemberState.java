package io.quorate.membership;

import java.util.Locale;

/** How a member looks from this node. */
public enum MemberState {

	/** Connected, and heard of as long as something is asked of it. */
	UP,

	/** Connected, but silent with work outstanding: to be asked last. */
	SUSPECT,

	/** Connected, but about to stop: to be asked last, and soon takes nothing new. */
	DRAINING,

	/** Not connected: whatever is asked of it fails at once, unsent. */
	DISCONNECTED;

	/** The word for people, logs and meters. */
	public String word() {
		return name().toLowerCase(Locale.ROOT);
	}

}
