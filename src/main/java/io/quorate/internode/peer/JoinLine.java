package io.quorate.internode.peer;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.quorate.clock.Deadline;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.frame.EventLoops;
import io.quorate.internode.frame.FrameConnection;
import io.quorate.internode.tls.Dialing;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Message;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.ReplyCodec;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.RequestTags;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.layout.Endpoint;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.netty.Connection;

/**
 * The way of a candidate to a member, which refuses its handshakes: each request to have
 * the candidate join has a connection of its own, which ends with the answer. Safe for
 * any number of threads; one asks at a time.
 */
public final class JoinLine {

	private static final int STREAM = 1;

	private final String member;

	private final PeerContext context;

	private final EventLoop loop;

	private final Dialing dialing;

	private volatile @Nullable Attempt current;

	public JoinLine(Endpoint member, PeerContext context, EventLoop loop) {
		this.member = member.id();
		this.context = context;
		this.loop = loop;
		this.dialing = context.transport()
			.encryption()
			.dialing(context.transport().encryption().peerForm(member.id()),
					PeerLink.client(loop, member.host(), member.port(), context), this::ended);
	}

	private void ended(String why) {
		Attempt asking = this.current;
		if (asking != null) {
			asking.fail(why);
		}
	}

	/**
	 * Asks the member to have this node join.
	 * @param candidate address of this node, {@code id@host:port[/zone]}
	 * @param limit time after which the answer is of no use
	 * @return progress of the joining, or the reason against it, in words; fails when the
	 * member does not answer
	 */
	public CompletableFuture<String> ask(String candidate, Duration limit) {
		Request.Join request = new Request.Join(this.context.handshake(this.member, this.context.versions().oldest()),
				candidate);
		Attempt asking = new Attempt(request, Deadline.after(limit));
		this.current = asking;
		Disposable connecting = this.dialing.next()
			.connect()
			.subscribe((connection) -> EventLoops.run(this.loop, () -> asking.send(connection)),
					(failure) -> asking.fail(PeerConnection.CANNOT_CONNECT + PeerConnection.reason(failure)));
		return asking.said.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS).whenComplete((_, _) -> {
			connecting.dispose();
			asking.close();
		});
	}

	/** One request, until the member has answered it. */
	private final class Attempt implements FrameConnection.Receiver {

		private final Request.Join request;

		private final Deadline deadline;

		private final CompletableFuture<String> said = new CompletableFuture<>();

		private volatile @Nullable FrameConnection frames;

		private Attempt(Request.Join request, Deadline deadline) {
			this.request = request;
			this.deadline = deadline;
		}

		private void send(Connection connection) {
			if (this.said.isDone()) {
				connection.dispose();
				return;
			}
			PeerContext context = JoinLine.this.context;
			FrameConnection opened = FrameConnection.connected(connection, context.transport().maxMessageBytes(),
					context.properties().disconnectAfter(), this);
			this.frames = opened;
			Message message = context.encode(this.request, RequestTags.NONE, this.deadline);
			Budget unbounded = new Budget(Long.MAX_VALUE);
			unbounded.take(message.cost());
			opened.send(STREAM, message.outgoing(context.transport().allocator(), unbounded));
			if (!connection.channel().isActive() || this.said.isDone()) {
				fail("the connection was closed");
				close();
			}
		}

		@Override
		public @Nullable String objection(ByteBuf frame) {
			return null;
		}

		@Override
		public boolean expects(int stream) {
			return stream == STREAM;
		}

		@Override
		public int permittedBytes(int stream) {
			return Wire.LARGE_BYTES;
		}

		@Override
		public void received(int stream, ByteBuf message) {
			Reply reply = ReplyCodec.decode(message).reply();
			switch (reply) {
				case Reply.Join(var words) -> this.said.complete(words);
				case Reply.Refused(var field) ->
					fail("the %s differs; the member's log says more".formatted(field.words()));
				default -> fail("another reply than expected: " + reply.getClass().getSimpleName());
			}
		}

		@Override
		public void cancelled(int stream) {
			fail("it cancels a reply");
		}

		@Override
		public void failed(int stream, String why) {
			fail(why);
		}

		@Override
		public void refuse(String why) {
			fail(why);
		}

		@Override
		public void closed() {
			fail("the connection was closed");
		}

		private void fail(String why) {
			this.said.completeExceptionally(new IOException(why));
		}

		private void close() {
			FrameConnection opened = this.frames;
			if (opened != null) {
				opened.close();
			}
		}

	}

}
