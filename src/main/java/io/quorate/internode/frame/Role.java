package io.quorate.internode.frame;

/** The role of this node in a connection. */
enum Role {

	/** This node has connected: it sends requests. */
	CLIENT(Frame.header(Frame.REQUEST, 0)),

	/** This node was connected to: it sends replies. */
	SERVER(Frame.header(Frame.PAYLOAD, 0));

	private final int firstHeader;

	Role(int firstHeader) {
		this.firstHeader = firstHeader;
	}

	/** Header of the first frame of a message, apart from flags for its length. */
	int firstHeader() {
		return this.firstHeader;
	}

}
