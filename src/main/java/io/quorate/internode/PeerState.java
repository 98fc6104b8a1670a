package io.quorate.internode;

/** How a peer looks from here. */
public enum PeerState {

	/** Connected, and heard of as long as something is asked of it. */
	UP,

	/** Connected, but silent with work outstanding: to be asked last. */
	SUSPECT,

	/** Not connected: whatever is asked of it fails at once, unsent. */
	DISCONNECTED

}
