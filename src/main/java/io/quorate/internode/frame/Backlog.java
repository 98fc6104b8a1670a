package io.quorate.internode.frame;

import io.netty.channel.Channel;

/**
 * The small frames of a connection that its peer has not taken yet. A peer that asks on
 * and on, and reads no reply, would fill the memory even with refusals: while they are
 * too many, nothing is read of the peer. Parts of large messages are left out, as these
 * have budgets, and a peer may well send a request while it takes a large reply. Belongs
 * to the event loop of the connection.
 */
final class Backlog {

	/** Bytes above which nothing is read of the peer. */
	static final int MAX_BYTES = 256 * 1024;

	/* The buffers of a frame, and its places in queues. */
	static final int COST_BESIDES_BYTES = 512;

	private final Channel channel;

	private final boolean isBounded;

	private long bytes;

	private boolean paused;

	/**
	 * A backlog without frames.
	 * @param isBounded whether its bound applies: not at the node that sends requests,
	 * which have budgets, lest two nodes wait for each other
	 */
	Backlog(Channel channel, boolean isBounded) {
		this.channel = channel;
		this.isBounded = isBounded;
	}

	/** Adds the cost of frames that are to be written. */
	void add(int cost) {
		this.bytes += cost;
		if (this.isBounded && !this.paused && this.bytes > MAX_BYTES) {
			this.paused = true;
			this.channel.config().setAutoRead(false);
		}
	}

	/** Removes the cost of frames that are written, or cannot be. */
	void remove(int cost) {
		this.bytes -= cost;
		if (this.paused && this.bytes <= MAX_BYTES / 2) {
			this.paused = false;
			this.channel.config().setAutoRead(true);
		}
	}

	/** Whether nothing is read of the peer, because it takes no replies. */
	boolean isPaused() {
		return this.paused;
	}

}
