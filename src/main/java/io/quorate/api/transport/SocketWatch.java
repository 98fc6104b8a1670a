package io.quorate.api.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;

/**
 * Measures the time that bytes read from a connection may have waited in its socket
 * because event loops stood still; the first handler of the pipeline. Its result is a
 * moment in the growing time of stalls of the loop ({@link LoopTurns}) before which the
 * bytes cannot have come.
 * <p>
 * Bytes cannot have come before the socket was last seen empty. Nor before the last turns
 * of the loop, if the loop was asked all the while to look at the socket: the turn after
 * a stall sees the bytes that came in it. A new connection may have waited for the loop
 * that accepts, too.
 */
final class SocketWatch extends ChannelDuplexHandler {

	/*
	 * One turn that sees the end of a stall, and one that has looked at all sockets
	 * since.
	 */
	private static final int SETTLED_TURNS = 2;

	private final LoopTurns turns;

	/* The moment before which no byte can have come that was not read. */
	private long emptySince;

	private boolean mayHoldMore;

	private boolean isReading;

	private long readingSinceTurn;

	private long earliest;

	private long answered;

	/**
	 * The watch of a connection that was accepted just now.
	 * @param turns the turns of its loop
	 * @param accepting the turns of the loop that has accepted it
	 */
	SocketWatch(LoopTurns turns, LoopTurns accepting) {
		this.turns = turns;
		this.emptySince = turns.stalledNanos() - Math.max(lately(turns), lately(accepting));
		this.earliest = this.emptySince;
		this.answered = this.emptySince;
	}

	private static long lately(LoopTurns turns) {
		return turns.stalledNanos() - turns.stalledNanosBefore(LoopTurns.REMEMBERED);
	}

	/** The moment before which the bytes that were read last cannot have come. */
	long earliest() {
		return this.earliest;
	}

	/** Notes that the last request that was read has its answer. */
	void answered() {
		this.answered = this.turns.stalledNanos();
	}

	/**
	 * The moment before which the bytes that were read last have not come from a client
	 * that sends its next request when it has the answer to the one before: the loop may
	 * have stood still because of that answer.
	 */
	long earliestBehindAnswer() {
		return Math.max(this.earliest, this.answered);
	}

	@Override
	public void read(ChannelHandlerContext context) {
		if (!this.isReading) {
			this.isReading = true;
			this.readingSinceTurn = this.turns.number();
		}
		context.read();
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		boolean isLookedAt = this.isReading && this.turns.number() - this.readingSinceTurn > SETTLED_TURNS;
		this.earliest = (isLookedAt && !this.mayHoldMore)
				? Math.max(this.emptySince, this.turns.stalledNanosBefore(SETTLED_TURNS)) : this.emptySince;
		this.mayHoldMore = message instanceof ByteBuf bytes && !bytes.isWritable();
		this.emptySince = this.mayHoldMore ? this.earliest : this.turns.stalledNanos();
		// The handler that takes the bytes may ask for more at once.
		this.isReading = context.channel().config().isAutoRead();
		context.fireChannelRead(message);
	}

}
