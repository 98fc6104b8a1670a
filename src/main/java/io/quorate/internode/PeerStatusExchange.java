package io.quorate.internode;

import java.util.UUID;

/**
 * The reports of this node on its data to its peers, and its records of theirs. Called on
 * event loops, by several at once; must neither block nor fail.
 */
public interface PeerStatusExchange {

	/** This node's report on its data to a peer, as of now. */
	DataStatus dataStatus(String peer);

	/** Position of this node's data now, as it may be sent to a peer. */
	Position position(String peer);

	/** This node's record of a peer. */
	LastKnownStatus recollectionOf(String peer);

	/**
	 * A handshake with a peer has succeeded, on a connection that either side made.
	 * Called before anything else of the connection, and before this node answers the
	 * handshake.
	 * @param storageId identity of the data that the peer has now
	 * @param ofUs the peer's record of this node
	 */
	void met(String peer, UUID storageId, DataStatus theirs, LastKnownStatus ofUs);

	/**
	 * A keep-alive has brought the peer's report, after the peer has received this node's
	 * record of it.
	 */
	void heard(String peer, UUID storageId, DataStatus theirs);

	/**
	 * Whether a peer was of this node's incarnation of the cluster when it was heard
	 * last.
	 */
	boolean isInSameIncarnation(String peer);

	/**
	 * A peer has acknowledged a write.
	 * @param storageId identity of its data as of the handshake of this connection
	 * @param position position of its data, the write included
	 */
	void acknowledged(String peer, UUID storageId, Position position);

}
