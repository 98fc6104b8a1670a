package io.quorate.internode.wiring;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.UUID;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Handshakes;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.ReplyCodec;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.RequestCodec;
import io.quorate.internode.wire.SentMessages;
import io.quorate.internode.wire.Wire;
import org.jspecify.annotations.Nullable;

/**
 * A client that reaches the port of a node and sends arbitrary bytes.
 */
final class RawPeer implements AutoCloseable {

	static final int FOLLOWS = 0x80;

	static final int SETUP = 0x01 << 8;

	static final int REQUEST = 0x02 << 8;

	static final int CANCEL = 0x04 << 8;

	static final int PAYLOAD = 0x03 << 8;

	static final int ERROR = 0x05 << 8;

	private static final int LITTLE_BYTES = 16 * 1024;

	private static final int HEADER_BYTES = 6;

	private static final int TIMEOUT_MILLIS = 60_000;

	private final Socket wire = new Socket();

	/* The same, or one that encrypts what passes over it. */
	private final Socket socket;

	private final DataInputStream in;

	private int stream = -1;

	RawPeer(int port) throws IOException {
		this(port, "127.0.0.1");
	}

	/** From an address of this machine. */
	RawPeer(int port, String from) throws IOException {
		this(port, from, 0, null);
	}

	private RawPeer(int port, String from, int bufferBytes, @Nullable SSLContext encryption) throws IOException {
		if (bufferBytes > 0) {
			this.wire.setReceiveBufferSize(bufferBytes);
			this.wire.setSendBufferSize(bufferBytes);
		}
		this.wire.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
		this.wire.setSoTimeout(TIMEOUT_MILLIS);
		this.wire.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
		this.socket = (encryption != null)
				? encryption.getSocketFactory().createSocket(this.wire, "127.0.0.1", port, true) : this.wire;
		this.in = new DataInputStream(new java.io.BufferedInputStream(this.socket.getInputStream()));
	}

	/** With small buffers in the kernel: what is not read soon waits at the server. */
	static RawPeer withLittleRoom(int port) throws IOException {
		return new RawPeer(port, "127.0.0.1", LITTLE_BYTES, null);
	}

	/** Over TLS, with a certificate. */
	static RawPeer encrypted(int port, SSLContext encryption) throws IOException {
		return new RawPeer(port, "127.0.0.1", 0, encryption);
	}

	/** Sends bytes as they are. */
	RawPeer send(byte[] bytes) throws IOException {
		this.socket.getOutputStream().write(bytes);
		return this;
	}

	/** Sends bytes that are not encrypted, between the records of TLS. */
	RawPeer sendBeside(byte[] bytes) throws IOException {
		this.wire.getOutputStream().write(bytes);
		return this;
	}

	/** Sends a frame behind its length. */
	RawPeer frame(byte[] frame) throws IOException {
		return send(ByteBuffer.allocate(3 + frame.length)
			.put((byte) (frame.length >>> 16))
			.putShort((short) frame.length)
			.put(frame)
			.array());
	}

	/** Sends a frame of a stream. */
	RawPeer frame(int itsStream, int header, byte[] data) throws IOException {
		return frame(framed(itsStream, header, data));
	}

	/** Sends as many frames, of streams that follow each other, in few system calls. */
	RawPeer frames(int firstStream, int count, int header, byte[] data) throws IOException {
		int size = 3 + HEADER_BYTES + data.length;
		int most = Math.max(1, 64 * 1024 / size);
		for (int from = 0; from < count; from += most) {
			int some = Math.min(most, count - from);
			ByteBuffer all = ByteBuffer.allocate(some * size);
			for (int i = from; i < from + some; i++) {
				all.put((byte) ((size - 3) >>> 16)).putShort((short) (size - 3));
				all.put(framed(firstStream + 2 * i, header, data));
			}
			send(all.array());
		}
		return this;
	}

	/** Sends the setup frame. */
	RawPeer setup() throws IOException {
		return frame(setupFrame());
	}

	static byte[] setupFrame() {
		return ByteBuffer.allocate(HEADER_BYTES + 8)
			.putInt(0)
			.putShort((short) SETUP)
			.putInt(0x5152544e)
			.putInt(3000)
			.array();
	}

	/** Asks for something, in the next stream. */
	RawPeer request(byte[] data) throws IOException {
		return request(data, 0);
	}

	RawPeer request(byte[] data, int flags) throws IOException {
		this.stream += 2;
		return frame(framed(this.stream, REQUEST | flags, data));
	}

	/** A part of what is asked for in the latest stream. */
	RawPeer fragment(byte[] data) throws IOException {
		return frame(framed(this.stream, PAYLOAD | FOLLOWS, data));
	}

	private static byte[] framed(int stream, int header, byte[] data) {
		return ByteBuffer.allocate(HEADER_BYTES + data.length)
			.putInt(stream)
			.putShort((short) header)
			.put(data)
			.array();
	}

	static byte[] bytes(Request request) {
		return SentMessages
			.taken(RequestCodec.encode(new Request.Envelope(1000, 0, new Timestamp(1, 0), null, request))
				.outgoing(ByteBufAllocator.DEFAULT, new Budget(Long.MAX_VALUE)))
			.array();
	}

	RawPeer greet(LocalNode as, DataStatus dataStatus, LastKnownStatus lastKnownStatus) throws IOException {
		return setup().request(bytes(
				new Request.Hello(Handshakes.of(Wire.OLDEST_VERSION, as, "server", dataStatus, lastKnownStatus))));
	}

	RawPeer greet(String id) throws IOException {
		return greet(new LocalNode(id, "test", 42, new UUID(7, 7)), DataStatus.EMPTY, LastKnownStatus.NONE);
	}

	/**
	 * The bytes of the next reply, or {@code null} when the connection ends before it.
	 */
	byte @Nullable [] reply() throws IOException {
		try {
			int length = this.in.readUnsignedByte() << 16 | this.in.readUnsignedShort();
			byte[] frame = this.in.readNBytes(length);
			return (frame.length < length) ? null : java.util.Arrays.copyOfRange(frame, HEADER_BYTES, length);
		}
		catch (EOFException | SocketException closed) {
			return null;
		}
	}

	/** A frame of the server. */
	record Frame(int stream, ByteBuf body) {

		Reply reply() {
			return understood(this.body);
		}

	}

	/** The next frame of the server, of any stream. */
	Frame nextFrame() throws IOException {
		int length = this.in.readUnsignedByte() << 16 | this.in.readUnsignedShort();
		int itsStream = this.in.readInt();
		this.in.readUnsignedShort();
		byte[] body = new byte[length - HEADER_BYTES];
		this.in.readFully(body);
		return new Frame(itsStream, Unpooled.wrappedBuffer(body));
	}

	Reply understoodReply() throws IOException {
		byte[] bytes = reply();
		if (bytes == null) {
			throw new EOFException("the connection was closed");
		}
		return understood(Unpooled.wrappedBuffer(bytes));
	}

	private static Reply understood(ByteBuf bytes) {
		return ReplyCodec.decode(bytes).reply();
	}

	/**
	 * Whether the server closes the connection within a time, whatever it says before.
	 */
	boolean isClosedWithin(Duration time) throws IOException {
		Deadline end = Deadline.after(time);
		try {
			while (!end.isExpired()) {
				this.socket.setSoTimeout(Math.max(1, (int) (end.remainingNanos() / 1_000_000)));
				if (this.in.read() < 0) {
					return true;
				}
			}
			return false;
		}
		catch (java.net.SocketTimeoutException open) {
			return false;
		}
		catch (SocketException | SSLException reset) {
			return true;
		}
	}

	/** Resets the connection, instead of closing it in order. */
	void reset() throws IOException {
		this.wire.setSoLinger(true, 0);
		this.wire.close();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
