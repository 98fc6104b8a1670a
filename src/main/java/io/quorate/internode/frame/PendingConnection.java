package io.quorate.internode.frame;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.quorate.internode.wire.Wire;
import io.quorate.security.RefusalLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * An incoming connection to this node's port, from its first byte on. Until its handshake
 * as a member has succeeded, it may send one message of at most {@value #MAX_BYTES}
 * bytes, has a place among the {@link PendingConnections}, and a time limit, the
 * handshake of TLS included. Belongs to its event loop.
 */
public final class PendingConnection extends ChannelInboundHandlerAdapter implements PendingConnections.Place {

	/** Most bytes of a handshake, with the setup frame before it. */
	public static final int MAX_BYTES = 4 * 1024;

	/* The setup frame, and the handshake. */
	private static final int MAX_FRAMES = 2;

	static final String BEGINS_IN_ANOTHER_WAY = "it does not begin as nodes do";

	private final PendingConnections pendingConnections;

	private final Duration limit;

	private final RefusalLog refusals;

	private volatile @Nullable Channel channel;

	private volatile String address = "";

	private volatile boolean hasSpoken;

	private @Nullable ScheduledFuture<?> timer;

	private boolean hasEntered;

	private boolean greeted;

	private boolean refused;

	private int frames;

	private int bytes;

	/**
	 * A pending connection that is not open yet.
	 * @param limit time in which its handshake has to succeed
	 */
	public PendingConnection(PendingConnections pendingConnections, Duration limit, RefusalLog refusals) {
		this.pendingConnections = pendingConnections;
		this.limit = limit;
		this.refusals = refusals;
	}

	/** The pending connection of a connection to the server. */
	public static PendingConnection of(Channel channel) {
		return channel.pipeline().get(PendingConnection.class);
	}

	@Override
	public void channelActive(ChannelHandlerContext context) {
		this.channel = context.channel();
		this.address = address(context.channel().remoteAddress());
		String objection = this.pendingConnections.enter(this);
		if (objection != null) {
			refuse(objection);
			return;
		}
		this.hasEntered = true;
		this.timer = context.executor()
			.schedule(() -> refuse("it has completed no handshake within %d ms".formatted(this.limit.toMillis())),
					this.limit.toMillis(), TimeUnit.MILLISECONDS);
		context.fireChannelActive();
	}

	private static String address(@Nullable SocketAddress remote) {
		return (remote instanceof InetSocketAddress internet && internet.getAddress() != null)
				? internet.getAddress().getHostAddress() : String.valueOf(remote);
	}

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public boolean hasSpoken() {
		return this.hasSpoken;
	}

	@Override
	public void giveWay(String why) {
		Channel open = this.channel;
		if (open != null) {
			EventLoops.run(open.eventLoop(), () -> refuse(why));
		}
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (!this.hasSpoken) {
			this.hasSpoken = true;
		}
		if (this.refused) {
			ReferenceCountUtil.release(message);
		}
		else {
			context.fireChannelRead(message);
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		leave();
		context.fireChannelInactive();
	}

	/** The handshake has succeeded: from now on the connection is that of a member. */
	public void greeted() {
		this.greeted = true;
		leave();
	}

	private void leave() {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
		if (this.hasEntered) {
			this.hasEntered = false;
			this.pendingConnections.leave(this, this.greeted);
		}
	}

	/** Size of the longest frame that it may send now. */
	int maxFrameBytes() {
		return this.greeted ? Wire.MAX_FRAME_BYTES : MAX_BYTES;
	}

	/** Reason for closing the connection at a frame, or {@code null} for none. */
	public @Nullable String objection(ByteBuf frame) {
		if (this.greeted) {
			return null;
		}
		this.frames++;
		this.bytes += frame.readableBytes();
		int header = Frame.headerOf(frame);
		if (this.frames > MAX_FRAMES || this.bytes > MAX_BYTES || Frame.follows(header)) {
			return "it has sent more than a handshake before the handshake was accepted";
		}
		return (this.frames == 1 || header == Frame.header(Frame.REQUEST, 0)) ? null : BEGINS_IN_ANOTHER_WAY;
	}

	/** Closes the connection; the first reason is logged and counted. */
	public void refuse(String why) {
		Channel open = this.channel;
		if (this.refused || open == null) {
			return;
		}
		this.refused = true;
		this.refusals.refused(Level.WARN, open.remoteAddress(), why);
		var _ = open.close();
	}

}
