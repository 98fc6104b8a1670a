package io.quorate.internode.frame;

import java.io.IOException;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.TooLongFrameException;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.MalformedMessageException;
import io.quorate.internode.wire.Outgoing;
import io.quorate.internode.wire.Wire;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.netty.Connection;
import reactor.netty.NettyPipeline;

/**
 * A connection that carries messages in {@linkplain Frame frames}, large ones in several
 * frames. Frames of one turn of the event loop are written by one system call, or several
 * when they are many. Small messages are copied into one {@linkplain FrameBatch block},
 * which costs less than to hand each to the kernel in its own buffers.
 * <p>
 * Messages that are sent on the event loop keep their order. A frame that cannot be
 * written whole ends the connection, because the peer would take the next frame for the
 * rest of this one. Sending never throws.
 */
public final class FrameConnection extends ChannelInboundHandlerAdapter {

	/** A receiver of messages. Called on the connection's event loop. */
	public interface Receiver {

		/**
		 * Reason for closing the connection at a frame, or {@code null} when the frame
		 * may pass.
		 */
		@Nullable String objection(ByteBuf frame);

		/**
		 * Whether a message may begin in a stream. Otherwise a reply is dropped, and a
		 * request closes the connection.
		 */
		boolean expects(int stream);

		/** Most bytes of the message of a stream, as far as the receiver limits it. */
		default int permittedBytes(int stream) {
			return Integer.MAX_VALUE;
		}

		/**
		 * A whole message has come.
		 * @param message bytes of the message, which the caller releases
		 */
		void received(int stream, ByteBuf message);

		/** The peer does not wait for the reply of a stream any more. */
		void cancelled(int stream);

		/** The peer has ended a stream without a reply. */
		void failed(int stream, String why);

		/** The connection is closed because of this fault of the peer; called once. */
		void refuse(String why);

		/** The connection is closed; called once. */
		void closed();

	}

	private static final Logger log = LoggerFactory.getLogger(FrameConnection.class);

	/** Bytes of a frame before its body. */
	static final int PREFIX_BYTES = Frame.LENGTH_BYTES + Frame.HEADER_BYTES;

	/** Bytes of a message in one frame. */
	static final int PART_BYTES = Wire.FRAGMENT_BYTES - PREFIX_BYTES;

	private static final String OTHER_WAY = "it speaks in another way than nodes do";

	private final Connection connection;

	private final Channel channel;

	private final EventLoop loop;

	private final Role role;

	private final Receiver receiver;

	private final PartialMessages partials;

	private final FrameWriter writer;

	/* Over TLS a peer that does not read keeps the channel open for a while. */
	private volatile boolean closing;

	/* These belong to the event loop. */
	private boolean refused;

	private boolean over;

	private boolean hasSetup;

	private FrameConnection(Connection connection, Role role, int maxMessageBytes, Receiver receiver) {
		this.connection = connection;
		this.channel = connection.channel();
		this.loop = this.channel.eventLoop();
		this.role = role;
		this.receiver = receiver;
		this.partials = new PartialMessages(maxMessageBytes);
		this.writer = new FrameWriter(this.channel, new Backlog(this.channel, role == Role.SERVER));
	}

	/**
	 * A connection to a peer. It has sent its setup frame.
	 * @param silence time after which a silent peer is given up
	 */
	public static FrameConnection connected(Connection connection, int maxMessageBytes, Duration silence,
			Receiver receiver) {
		FrameConnection frames = new FrameConnection(connection, Role.CLIENT, maxMessageBytes, receiver);
		frames.open(new FrameDecoder(() -> Wire.MAX_FRAME_BYTES, frames::refuse));
		frames.writeFrame((bytes) -> Frame.writeSetup(bytes, Math.toIntExact(silence.toMillis())));
		return frames;
	}

	/** A connection of a peer to this node. */
	public static FrameConnection accepted(Connection connection, int maxMessageBytes, PendingConnection pending,
			Receiver receiver) {
		FrameConnection frames = new FrameConnection(connection, Role.SERVER, maxMessageBytes, receiver);
		frames.open(new FrameDecoder(pending::maxFrameBytes, frames::refuse));
		return frames;
	}

	/*
	 * Not by the connection's own methods: it would remove the handlers before the
	 * channel is closed, and they would not learn of it.
	 */
	private void open(FrameDecoder decoder) {
		ChannelPipeline pipeline = this.channel.pipeline();
		if (pipeline.get(NettyPipeline.ReactiveBridge) != null) {
			pipeline.addBefore(NettyPipeline.ReactiveBridge, null, decoder)
				.addBefore(NettyPipeline.ReactiveBridge, null, this);
		}
		else {
			pipeline.addLast(decoder, this);
		}
		this.channel.config().setAutoRead(true);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		ByteBuf frame = (ByteBuf) message;
		try {
			String objection = (this.refused || this.closing) ? null : take(frame);
			if (objection != null) {
				refuse(objection);
			}
		}
		catch (MalformedMessageException | IndexOutOfBoundsException malformed) {
			refuse("not understood: " + malformed.getMessage());
		}
		finally {
			frame.release();
		}
	}

	private @Nullable String take(ByteBuf frame) {
		if (frame.readableBytes() < Frame.HEADER_BYTES) {
			return "a frame of %d bytes is too short".formatted(frame.readableBytes());
		}
		String objection = this.receiver.objection(frame);
		if (objection != null) {
			return objection;
		}
		if (this.role == Role.SERVER && !this.hasSetup) {
			this.hasSetup = Frame.isSetup(frame);
			return this.hasSetup ? null : PendingConnection.BEGINS_IN_ANOTHER_WAY;
		}
		int stream = frame.readInt();
		int header = frame.readUnsignedShort();
		if (Frame.hasOtherFlags(header) || stream < 0) {
			return OTHER_WAY;
		}
		return switch (Frame.type(header)) {
			case Frame.REQUEST -> request(stream, header, frame);
			case Frame.PAYLOAD -> payload(stream, header, frame);
			case Frame.CANCEL -> {
				this.partials.drop(stream);
				this.receiver.cancelled(stream);
				yield null;
			}
			case Frame.ERROR -> error(stream, frame);
			default -> OTHER_WAY;
		};
	}

	private @Nullable String request(int stream, int header, ByteBuf body) {
		if (this.role != Role.SERVER || stream % 2 == 0 || this.partials.has(stream)
				|| !this.receiver.expects(stream)) {
			return OTHER_WAY;
		}
		add(stream, header, body);
		return null;
	}

	private @Nullable String payload(int stream, int header, ByteBuf body) {
		boolean isExpected = this.partials.has(stream) || (this.role == Role.CLIENT && this.receiver.expects(stream));
		if (!isExpected) {
			return null;
		}
		add(stream, header, body);
		return null;
	}

	private void add(int stream, int header, ByteBuf body) {
		boolean follows = Frame.follows(header);
		if (!follows && !this.partials.has(stream)) {
			this.receiver.received(stream, body);
			return;
		}
		if (!this.partials.hasRoom(stream, body.readableBytes())) {
			tooLarge(stream);
			return;
		}
		int permitted = this.receiver.permittedBytes(stream);
		int size = this.partials.bytes(stream) + body.readableBytes();
		if (size > permitted) {
			refuse("a reply of %d bytes to a request for at most %d".formatted(size, permitted));
			return;
		}
		ByteBuf whole = this.partials.add(this.channel.alloc(), stream, body, follows);
		if (whole != null) {
			try {
				this.receiver.received(stream, whole);
			}
			finally {
				whole.release();
			}
		}
	}

	/*
	 * Ends the stream alone. Parts that still come belong to no message, and are dropped.
	 */
	private void tooLarge(int stream) {
		String why = "a message of more than %d bytes".formatted(this.partials.maxMessageBytes());
		this.partials.drop(stream);
		if (this.role == Role.SERVER) {
			sendError(stream, why);
		}
		else {
			this.receiver.failed(stream, why);
		}
	}

	private @Nullable String error(int stream, ByteBuf body) {
		String words = Frame.wordsOfError(body);
		if (stream == 0) {
			return "the peer ends the connection: " + words;
		}
		this.partials.drop(stream);
		this.receiver.failed(stream, words);
		return null;
	}

	/** Closes the connection because of a fault of the peer; the first reason counts. */
	public void refuse(String why) {
		if (!this.refused) {
			this.refused = true;
			this.receiver.refuse(why);
			close();
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		over();
		context.fireChannelInactive();
	}

	@Override
	public void handlerRemoved(ChannelHandlerContext context) {
		over();
	}

	private void over() {
		if (!this.over) {
			this.over = true;
			this.closing = true;
			this.partials.clear();
			this.receiver.closed();
		}
	}

	/**
	 * Closes the connection: a peer that resets it is no fault of this node. The receiver
	 * tells of anything else, within its bounds.
	 */
	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		if (cause instanceof IOException) {
			log.debug("The connection with {} has failed", this.channel.remoteAddress(), cause);
		}
		else {
			log.debug("The connection with {} has met an internal error", this.channel.remoteAddress(), cause);
			refuse("an internal error: " + cause);
		}
		close();
	}

	/**
	 * The parts of unfinished messages count against a budget from now on, with those of
	 * other connections.
	 */
	public void countPartsAgainst(Budget whole) {
		this.partials.countAgainst(whole);
	}

	/** Sends a message, a request or the reply to one, and releases it. */
	public void send(int stream, Outgoing message) {
		if (this.loop.inEventLoop()) {
			write(stream, message);
		}
		else if (!EventLoops.run(this.loop, () -> write(stream, message))) {
			message.release();
		}
	}

	private void write(int stream, Outgoing message) {
		if (isClosed()) {
			message.release();
			return;
		}
		ByteBuf large = message.buffer();
		boolean isTaken = false;
		try {
			if (large == null) {
				this.writer.add(stream, this.role.firstHeader(), message);
				isTaken = true;
				this.writer.endFrame();
			}
			else {
				writeParts(stream, large);
			}
		}
		catch (RuntimeException | OutOfMemoryError failure) {
			broken(failure);
		}
		if (!isTaken) {
			message.release();
		}
	}

	private void writeParts(int stream, ByteBuf message) {
		int header = this.role.firstHeader();
		while (message.isReadable()) {
			int size = Math.min(PART_BYTES, message.readableBytes());
			boolean follows = size < message.readableBytes();
			this.writer.addPart(stream, header | (follows ? Frame.FOLLOWS : 0), message, size);
			header = Frame.header(Frame.PAYLOAD, 0);
		}
	}

	/** Tells the peer that the reply of a stream is not awaited any more. */
	public void sendCancel(int stream) {
		EventLoops.run(this.loop, () -> {
			this.partials.drop(stream);
			writeFrame((bytes) -> Frame.writeCancel(bytes, stream));
		});
	}

	/** Ends a stream without a reply. */
	public void sendError(int stream, String why) {
		EventLoops.run(this.loop, () -> writeFrame((bytes) -> Frame.writeError(bytes, stream, why)));
	}

	private void writeFrame(Consumer<ByteBuf> frame) {
		if (isClosed()) {
			return;
		}
		try {
			this.writer.add(frame);
		}
		catch (RuntimeException | OutOfMemoryError failure) {
			broken(failure);
		}
	}

	private void broken(Throwable failure) {
		log.warn("The connection with {} is closed: a frame cannot be written: {}", this.channel.remoteAddress(),
				failure.toString());
		close();
		this.writer.handOver();
	}

	/** Closes the connection. */
	public void close() {
		this.closing = true;
		this.connection.dispose();
	}

	/** Whether nothing is read of the peer, because it takes no replies. */
	public boolean isPaused() {
		return this.writer.isPaused();
	}

	public boolean isClosed() {
		return this.closing || !this.channel.isActive();
	}

	@Override
	public String toString() {
		return "frames on " + this.channel;
	}

	/** The role of this node in a connection. */
	private enum Role {

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

	/**
	 * Splits incoming bytes into frames. A frame that is too long ends the connection:
	 * its rest cannot be distinguished from the frames that follow.
	 */
	static final class FrameDecoder extends LengthFieldBasedFrameDecoder {

		private final IntSupplier maxBytes;

		private final Consumer<String> refused;

		/* A close may fail, and its failure comes here again. */
		private boolean closing;

		/**
		 * A decoder of a new connection.
		 * @param maxBytes size of the longest frame that is taken now
		 * @param refused receives the reason for which the connection is closed
		 */
		FrameDecoder(IntSupplier maxBytes, Consumer<String> refused) {
			super(Wire.MAX_FRAME_BYTES, 0, Frame.LENGTH_BYTES, 0, Frame.LENGTH_BYTES);
			this.maxBytes = maxBytes;
			this.refused = refused;
		}

		@Override
		protected long getUnadjustedFrameLength(ByteBuf buffer, int offset, int length, ByteOrder order) {
			long frame = super.getUnadjustedFrameLength(buffer, offset, length, order);
			int most = this.maxBytes.getAsInt();
			if (frame > most) {
				throw new TooLongFrameException("a frame of %d bytes, at most %d are taken".formatted(frame, most));
			}
			return frame;
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			if (!(cause instanceof DecoderException)) {
				context.fireExceptionCaught(cause);
			}
			if (!this.closing) {
				this.closing = true;
				if (cause instanceof DecoderException) {
					this.refused.accept("not understood: " + cause.getMessage());
				}
				var _ = context.close();
			}
		}

	}

}
