package io.quorate.api.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Counter;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.quorate.clock.TimeSource;
import io.quorate.security.RefusalLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import reactor.netty.NettyPipeline;

/**
 * The door of a port for HTTP: lets connections in, as many as there may be
 * {@link Guests}, and decides which hosts it serves. It is the first handler in the
 * pipeline of each connection, to which it adds the handlers of this package. Safe for
 * any number of event loops.
 */
@Sharable
final class Door extends ChannelInboundHandlerAdapter {

	private static final double JITTER = 0.1;

	private final Guests guests;

	private final RefusalLog refusals;

	private final Counter connectionsRefused;

	private final @Nullable String loopback;

	private final @Nullable TlsDoor tls;

	private final List<String> hosts;

	private final BooleanSupplier servesAnonymous;

	private final long lifetimeNanos;

	private final AnswerFields answerFields = new AnswerFields(TimeSource.SYSTEM);

	/**
	 * A door without any connection yet.
	 * @param bound the address that is listened on, {@code null} for all
	 * @param tls TLS of the port, {@code null} for none
	 */
	Door(PortTerms terms, AtomicInteger connections, @Nullable InetAddress bound, @Nullable TlsDoor tls) {
		this.tls = tls;
		this.hosts = terms.hosts();
		this.servesAnonymous = terms.servesAnonymous();
		this.lifetimeNanos = terms.limits().lifetime().toNanos();
		this.guests = new Guests(terms.limits().most(), connections, System::nanoTime);
		this.refusals = terms.refusals().get();
		this.connectionsRefused = terms.limits().refused();
		this.loopback = (bound != null && bound.isLoopbackAddress()) ? bound.getHostAddress() : null;
	}

	/**
	 * Puts the handlers of this package into the pipeline of a new connection.
	 * @return its gate, {@code null} if the connection is not one for HTTP
	 */
	@Nullable PipelineGate furnish(ChannelPipeline pipeline, BooleanSupplier departing) {
		if (pipeline.get(NettyPipeline.HttpCodec) == null) {
			return null;
		}
		if (this.tls != null) {
			this.tls.furnish(pipeline);
		}
		pipeline.addFirst("quorate.door", this);
		// Next to the socket: TLS says its farewell first, and nothing more is decrypted.
		pipeline.addFirst("quorate.lingering-close", new LingeringClose());
		PipelineGate gate = new PipelineGate();
		pipeline.addBefore(NettyPipeline.HttpCodec, "quorate.pipeline-gate", gate);
		pipeline.addAfter(NettyPipeline.HttpCodec, "quorate.answer-fields", this.answerFields);
		pipeline.addAfter("quorate.answer-fields", "quorate.request-line", new RequestLineHandler(this));
		pipeline.addAfter("quorate.request-line", "quorate.pipelined-close",
				new PipelinedClose(leaving(departing), gate));
		return gate;
	}

	/**
	 * The end of each connection differs a little: not all clients connect anew at once.
	 */
	private BooleanSupplier leaving(BooleanSupplier departing) {
		if (this.lifetimeNanos == 0) {
			return departing;
		}
		long lifetime = this.lifetimeNanos
				- (long) (ThreadLocalRandom.current().nextDouble(JITTER) * this.lifetimeNanos);
		long begun = System.nanoTime();
		return () -> departing.getAsBoolean() || System.nanoTime() - begun >= lifetime;
	}

	/**
	 * Whether a request for a host may be served. If hosts are named, only they are, and
	 * this machine itself. While clients need no credentials, a name that a web page has
	 * chosen must not lead to loopback. Where each request needs them, the name gives a
	 * page nothing: browsers add no token of their own, and show no client certificate to
	 * a server whose certificate is for another name. A proxy on this machine may then
	 * pass the name of the service on.
	 */
	boolean admits(String host) {
		String bound = this.loopback;
		if (!this.hosts.isEmpty()) {
			return HostField.isOneOf(host, this.hosts) || HostField.isLocal(host, HostField.LOCALHOST);
		}
		return bound == null || HostField.isLocal(host, bound) || !this.servesAnonymous.getAsBoolean();
	}

	/** Whether the port takes TLS alone. */
	boolean isEncrypted() {
		return this.tls != null;
	}

	/** Logs and counts a request, or bytes in place of one, that was refused unread. */
	void refused(Channel channel, String why) {
		this.refusals.refused(Level.INFO, channel.remoteAddress(), why);
	}

	@Override
	public void channelActive(ChannelHandlerContext context) {
		Channel channel = context.channel();
		InetAddress address = (channel.remoteAddress() instanceof InetSocketAddress internet) ? internet.getAddress()
				: null;
		if (address == null) {
			context.fireChannelActive();
			return;
		}
		Guest guest = new Guest(channel, address, this.guests::hasAsked, System::nanoTime);
		Guests.Leaving leaving = this.guests.enter(guest);
		if (leaving != null) {
			this.connectionsRefused.increment();
			this.refusals.refused(Level.WARN, leaving.guest().channel().remoteAddress(), leaving.why());
			leaving.guest().close();
			if (leaving.guest() == guest) {
				return;
			}
		}
		var _ = context.channel().closeFuture().addListener((_) -> this.guests.leave(guest));
		context.pipeline().addBefore(NettyPipeline.HttpCodec, "quorate.guest", guest);
		context.pipeline().get(PipelinedClose.class).of(guest);
		context.fireChannelActive();
	}

}
