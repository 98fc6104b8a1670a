package io.quorate.internode;

import java.util.UUID;

/**
 * What nodes tell each other of their data, and remember of it. Called on event loops,
 * and by several at once; must neither block nor fail.
 */
public interface PeerStatusExchange {

	/** Of a node that remembers nothing. */
	PeerStatusExchange NONE = new PeerStatusExchange() {

		@Override
		public DataStatus dataStatus(String peer) {
			return DataStatus.EMPTY;
		}

		@Override
		public Position position() {
			return Position.NONE;
		}

		@Override
		public LastKnownStatus recollectionOf(String peer) {
			return LastKnownStatus.NONE;
		}

		@Override
		public void met(String peer, UUID storageId, DataStatus theirs, LastKnownStatus ofUs) {
		}

		@Override
		public void heard(String peer, UUID storageId, DataStatus theirs) {
		}

		@Override
		public boolean isOfOneMind(String peer) {
			return true;
		}

		@Override
		public void acknowledged(String peer, UUID storageId, Position position) {
		}

	};

	/** How it stands with this node now, as a peer is told. */
	DataStatus dataStatus(String peer);

	/** How far this node's data is now. */
	Position position();

	/** What this node remembers of a peer. */
	LastKnownStatus recollectionOf(String peer);

	/**
	 * A handshake with a peer has succeeded, whoever began it; comes before anything else
	 * of the connection, and before this node answers the greeting.
	 * @param storageId identity of the data that the peer has now
	 * @param ofUs what the peer remembers of this node
	 */
	void met(String peer, UUID storageId, DataStatus theirs, LastKnownStatus ofUs);

	/**
	 * A peer has given a sign of life, after it has heard what this node remembers of it.
	 */
	void heard(String peer, UUID storageId, DataStatus theirs);

	/**
	 * Whether a peer was of this node's incarnation of the cluster when it was heard
	 * last.
	 */
	boolean isOfOneMind(String peer);

	/**
	 * A peer has acknowledged a write.
	 * @param storageId identity of its data as of the handshake of this connection
	 * @param position how far its data is, the write included
	 */
	void acknowledged(String peer, UUID storageId, Position position);

}
