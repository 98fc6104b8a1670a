package io.quorate.internode.wiring;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.buffer.ByteBufAllocator;
import io.quorate.clock.Timestamp;
import io.quorate.internode.DataStatus;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Handshakes;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.ReplyCodec;
import io.quorate.internode.wire.SentMessages;
import io.quorate.membership.reports.Program;

/**
 * A server that greets the peers which connect to it, answers keep-alives, and replies to
 * other requests with arbitrary bytes.
 */
final class RawServer implements AutoCloseable {

	/** A reply to a request, whatever it is. */
	interface Script {

		void reply(Line line, int stream) throws IOException;

	}

	private static final int HEADER_BYTES = 6;

	/* Of requests. */
	private static final int HELLO = 1;

	private static final int PING = 2;

	private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final AtomicInteger accepted = new AtomicInteger();

	private volatile Script script = (line, stream) -> line.reply(stream, new Reply.Absent());

	RawServer() throws IOException {
		Thread.ofVirtual().start(this::accept);
	}

	int port() {
		return this.listening.getLocalPort();
	}

	/** Connections so far. */
	int accepted() {
		return this.accepted.get();
	}

	/** Replies to requests in this way from now on. */
	void reply(Script next) {
		this.script = next;
	}

	private void accept() {
		try {
			while (true) {
				Socket socket = this.listening.accept();
				this.sockets.add(socket);
				this.accepted.incrementAndGet();
				Thread.ofVirtual().start(() -> serve(socket));
			}
		}
		catch (IOException closed) {
			// The end of this server.
		}
	}

	private void serve(Socket socket) {
		try (socket) {
			DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
			Line line = new Line(socket);
			while (true) {
				byte[] frame = new byte[in.readUnsignedByte() << 16 | in.readUnsignedShort()];
				in.readFully(frame);
				ByteBuffer read = ByteBuffer.wrap(frame);
				int stream = read.getInt();
				if ((read.getShort() & 0xff00) == RawPeer.REQUEST) {
					answer(line, stream, read.get());
				}
			}
		}
		catch (IOException closed) {
			this.sockets.remove(socket);
		}
	}

	private void answer(Line line, int stream, int type) throws IOException {
		if (line.silent) {
			return;
		}
		switch (type) {
			case HELLO -> line.reply(stream, new Reply.Welcome(Handshakes.ofOldest(InternodeFixture.SERVER, "client")));
			case PING -> line.reply(stream, new Reply.Pong(7, false, DataStatus.EMPTY, Program.UNKNOWN, null));
			default -> this.script.reply(line, stream);
		}
	}

	static byte[] bytes(Reply reply) {
		return SentMessages
			.taken(ReplyCodec.encode(new Reply.Envelope(new Timestamp(1, 0), reply))
				.outgoing(ByteBufAllocator.DEFAULT, new Budget(Long.MAX_VALUE)))
			.array();
	}

	@Override
	public void close() throws IOException {
		this.listening.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	/** One connection of a peer. */
	static final class Line {

		private final Socket socket;

		private boolean silent;

		private Line(Socket socket) {
			this.socket = socket;
		}

		/** Sends nothing more, not even answers to keep-alives. */
		void fallSilent() {
			this.silent = true;
		}

		Line reply(int stream, Reply reply) throws IOException {
			return frame(stream, RawPeer.PAYLOAD, bytes(reply));
		}

		Line frame(int stream, int header, byte[] body) throws IOException {
			int length = HEADER_BYTES + body.length;
			return send(ByteBuffer.allocate(3 + length)
				.put((byte) (length >>> 16))
				.putShort((short) length)
				.putInt(stream)
				.putShort((short) header)
				.put(body)
				.array());
		}

		Line send(byte[] bytes) throws IOException {
			this.socket.getOutputStream().write(bytes);
			return this;
		}

	}

}
