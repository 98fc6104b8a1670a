package io.quorate.internode.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.quorate.internode.InternodeStartException;
import io.quorate.internode.TlsMode;
import io.quorate.membership.members.HostPattern;
import io.quorate.security.CertificateExpiry;
import io.quorate.security.HandshakeThreads;
import io.quorate.security.RefusalLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import reactor.netty.NettyPipeline;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/**
 * The protection of the connections between nodes: none, or TLS 1.3 in which both sides
 * show a certificate, or either while it is being turned on or off ({@link TlsMode}).
 * With TLS
 * <ol>
 * <li>both certificates are signed by an authority that the bundle trusts, and valid
 * now;</li>
 * <li>the certificate of the node that is reached has that node's host, as the list of
 * members names it, among its alternative names;</li>
 * <li>that of the node that connects has the host of a member, or of one that has left,
 * among them ({@link MemberTrust}), and that of the member whose id its handshake claims
 * ({@link #objection});</li>
 * <li>each connection is checked anew, none is resumed
 * ({@link RenewableSslContext}).</li>
 * </ol>
 * When the bundle changes, new connections use the new certificates; open ones go on as
 * they began. A new bundle that cannot be used changes nothing. Safe for any number of
 * threads.
 */
public final class Encryption {

	/** No protection: any process that reaches the port may do everything. */
	public static final Encryption NONE = new Encryption(TlsMode.OFF, "", Map.of());

	private static final Logger log = LoggerFactory.getLogger(Encryption.class);

	private static final double MILLIS_PER_SECOND = 1000;

	private static final String PROTOCOL = "TLSv1.3";

	private static final Executor TASKS = HandshakeThreads.named("internode-handshake");

	private final TlsMode mode;

	private final String bundle;

	private final MemberNames members;

	private final PlainOrigins origins = new PlainOrigins();

	private @Nullable RenewableSslContext server;

	private @Nullable RenewableSslContext client;

	private volatile Instant expiry = Instant.MAX;

	private Encryption(TlsMode mode, String bundle, Map<String, String> hosts) {
		this.mode = mode;
		this.bundle = bundle;
		this.members = new MemberNames(hosts);
	}

	/**
	 * Protection by a bundle's certificates, as they are now and after each change.
	 * @param mode whether plain connections are used beside encrypted ones
	 * @param hosts host of each member by its id, a name or an address
	 * @throws InternodeStartException when there is no such bundle, or it cannot be used
	 */
	public static Encryption by(TlsMode mode, String bundle, SslBundles bundles, Map<String, String> hosts) {
		Encryption encryption = new Encryption(mode, bundle, hosts);
		try {
			SslBundle first = bundles.getBundle(bundle);
			encryption.server = new RenewableSslContext(encryption.server(first), TASKS);
			encryption.client = new RenewableSslContext(encryption.client(first), TASKS);
			encryption.expiry = expiry(first);
		}
		catch (GeneralSecurityException | SSLException | RuntimeException unusable) {
			throw new InternodeStartException(
					"the bundle '%s' (quorate.internode.ssl-bundle, spring.ssl.bundle) cannot be used between nodes: %s"
						.formatted(bundle, unusable.getMessage()),
					unusable);
		}
		bundles.addBundleUpdateHandler(bundle, encryption::renew);
		return encryption;
	}

	private void renew(SslBundle changed) {
		try {
			SslContextBuilder nextServer = server(changed);
			SslContextBuilder nextClient = client(changed);
			Instant nextExpiry = expiry(changed);
			if (this.server != null && this.client != null) {
				Runnable renewServer = this.server.tried(nextServer);
				Runnable renewClient = this.client.tried(nextClient);
				renewServer.run();
				renewClient.run();
			}
			this.expiry = nextExpiry;
			log.info(
					"The certificates of the bundle '{}' are renewed: new connections between nodes have them, until {}",
					this.bundle, nextExpiry);
		}
		catch (GeneralSecurityException | SSLException | RuntimeException unusable) {
			log.error(
					"The bundle '{}' has changed and cannot be used: connections between nodes go on with the certificates from before",
					this.bundle, unusable);
		}
	}

	private SslContextBuilder server(SslBundle from) throws GeneralSecurityException {
		return finished(SslContextBuilder.forServer(from.getManagers().getKeyManagerFactory())
			.trustManager(new MemberTrust(authorities(from), this.members))
			.clientAuth(ClientAuth.REQUIRE), from);
	}

	private SslContextBuilder client(SslBundle from) throws GeneralSecurityException {
		return finished(SslContextBuilder.forClient()
			.keyManager(from.getManagers().getKeyManagerFactory())
			.trustManager(authorities(from))
			.endpointIdentificationAlgorithm("HTTPS"), from);
	}

	private static SslContextBuilder finished(SslContextBuilder builder, SslBundle from) {
		String[] ciphers = from.getOptions().getCiphers();
		String[] protocols = from.getOptions().getEnabledProtocols();
		return builder.sslProvider(SslProvider.JDK)
			.ciphers((ciphers != null) ? List.of(ciphers) : null)
			.protocols((protocols != null) ? protocols : new String[] { PROTOCOL });
	}

	private static X509ExtendedTrustManager authorities(SslBundle from) throws GeneralSecurityException {
		if (from.getStores().getTrustStore() == null) {
			throw new GeneralSecurityException("it has no truststore with the authorities to trust");
		}
		for (TrustManager manager : from.getManagers().getTrustManagers()) {
			if (manager instanceof X509ExtendedTrustManager authorities) {
				return authorities;
			}
		}
		throw new GeneralSecurityException("it trusts no certificates");
	}

	/** The expiry of the certificate of the own chains that expires first. */
	private static Instant expiry(SslBundle from) throws GeneralSecurityException {
		KeyStore own = from.getStores().getKeyStore();
		if (own == null) {
			throw new GeneralSecurityException("it has no keystore: this node has no certificate to show");
		}
		return CertificateExpiry.of(own);
	}

	/** Which forms of connections are used. */
	public TlsMode mode() {
		return this.mode;
	}

	/** Trusts the certificate of a member that joins. */
	public void trust(String member, String host) {
		this.members.put(member, host);
	}

	/** Trusts the certificate of a node that has left no more, in new connections. */
	public void distrust(String member) {
		this.members.remove(member);
	}

	/** Trusts the certificate of a node no more that has not joined. */
	public void uninvite(String node) {
		this.members.forget(node);
	}

	/**
	 * Has nodes of further hosts open connections, on which they may ask to join, and do
	 * nothing else.
	 */
	public void admit(List<HostPattern> hosts) {
		this.members.admit(hosts);
	}

	/** Time until the own certificate expires, in seconds; NaN when there is none. */
	public double remainingSeconds(long nowMillis) {
		return (this.server != null) ? (this.expiry.toEpochMilli() - nowMillis) / MILLIS_PER_SECOND : Double.NaN;
	}

	/** Whether a connection between nodes is encrypted. */
	public static boolean isEncrypted(Channel channel) {
		return channel.pipeline().get(SslHandler.class) != null;
	}

	/**
	 * Reason why the certificate of a connection is not that of the member that its
	 * handshake claims, or {@code null} for none: for a plain connection, too.
	 */
	public @Nullable String objection(Channel channel, String id) {
		return objection(channel, (certificate) -> this.members.objection(certificate, id));
	}

	/**
	 * Finds the reason why a connection is not that of a host, {@code null} for none: by
	 * its certificate, or, in plain form, by the address that it comes from. Completes on
	 * any thread.
	 */
	public CompletableFuture<@Nullable String> hostObjection(Channel channel, String host) {
		return isEncrypted(channel)
				? CompletableFuture
					.completedFuture(objection(channel, (certificate) -> MemberNames.hostObjection(certificate, host)))
				: this.origins.objection(channel.remoteAddress(), host);
	}

	private static @Nullable String objection(Channel channel, CertificateCheck check) {
		SslHandler encrypting = channel.pipeline().get(SslHandler.class);
		if (encrypting == null) {
			return null;
		}
		try {
			Certificate[] chain = encrypting.engine().getSession().getPeerCertificates();
			return check.objection((X509Certificate) chain[0]);
		}
		catch (SSLPeerUnverifiedException | CertificateParsingException unreadable) {
			return "its certificate cannot be read: " + unreadable.getMessage();
		}
	}

	/** A server that logs the reason for each connection that it refuses. */
	public TcpServer apply(TcpServer plain, RefusalLog refusals) {
		RenewableSslContext context = this.server;
		if (context == null) {
			return plain
				.doOnChannelInit((_, channel, _) -> channel.pipeline().addFirst(new TlsRejectingHandler(refusals)));
		}
		if (this.mode == TlsMode.REQUIRED) {
			return plain.secure((spec) -> spec.sslContext(context))
				.doOnChannelInit((_, channel, _) -> addEnd(channel.pipeline(), serverEnd(channel, refusals)));
		}
		return plain
			.doOnChannelInit((_, channel, _) -> channel.pipeline().addFirst(new EitherForm((pipeline, front) -> {
				pipeline.addAfter(front, NettyPipeline.SslHandler, context.newHandler(channel.alloc()));
				addEnd(pipeline, serverEnd(channel, refusals));
			})));
	}

	private static TlsFailureHandler serverEnd(Channel channel, RefusalLog refusals) {
		return new TlsFailureHandler(true, (level, why) -> refusals.refused(level, channel.remoteAddress(), why));
	}

	/** The form of connections to a peer, of which nothing is known yet. */
	public PeerForm peerForm(String peer) {
		return new PeerForm(peer, this.mode);
	}

	/**
	 * Connects to a peer, encrypted by clients that check the certificate of the node
	 * that they reach.
	 * @param ended receives the reason when an open connection has failed
	 */
	public Dialing dialing(PeerForm form, TcpClient plain, Consumer<String> ended) {
		RenewableSslContext context = this.client;
		if (context == null) {
			return new Dialing(form, plain, (_) -> plain);
		}
		return new Dialing(form, plain,
				(unanswered) -> plain.secure((spec) -> spec.sslContext(context)).doOnChannelInit((_, channel, _) -> {
					addEnd(channel.pipeline(), new TlsFailureHandler(false, (_, why) -> ended.accept(why)));
					channel.pipeline().addFirst(new FirstRecord(unanswered));
				}).doOnConnected((_) -> form.encrypted()));
	}

	private static void addEnd(ChannelPipeline pipeline, TlsFailureHandler end) {
		pipeline.addAfter(NettyPipeline.SslHandler, "quorate.tls-end", end);
		pipeline.addAfter("quorate.tls-end", "quorate.until-written", new ReleaseAfterWrite());
	}

	/** A check of the certificate that a node has shown. */
	@FunctionalInterface
	private interface CertificateCheck {

		@Nullable String objection(X509Certificate certificate) throws CertificateParsingException;

	}

	/**
	 * Refuses connections that speak TLS to a node without it.
	 */
	private static final class TlsRejectingHandler extends ChannelInboundHandlerAdapter {

		private final RefusalLog refusals;

		TlsRejectingHandler(RefusalLog refusals) {
			this.refusals = refusals;
		}

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			if (message instanceof ByteBuf bytes && bytes.isReadable()) {
				if (bytes.getByte(bytes.readerIndex()) == EitherForm.TLS_HANDSHAKE) {
					ReferenceCountUtil.release(message);
					this.refusals.refused(Level.WARN, context.channel().remoteAddress(),
							"it speaks TLS, and this node does not (quorate.internode.tls)");
					var _ = context.close();
					return;
				}
				context.pipeline().remove(this);
			}
			context.fireChannelRead(message);
		}

	}

	/**
	 * Notices a peer that closes a connection before it has sent any byte: it does not
	 * speak TLS. The first handler of a connection that this node has made, so that it
	 * sees what comes from the network; a close by this node says nothing.
	 */
	private static final class FirstRecord extends ChannelDuplexHandler {

		private final Runnable unanswered;

		private boolean isOver;

		FirstRecord(Runnable unanswered) {
			this.unanswered = unanswered;
		}

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			this.isOver = true;
			context.pipeline().remove(this);
			context.fireChannelRead(message);
		}

		@Override
		public void close(ChannelHandlerContext context, ChannelPromise promise) {
			this.isOver = true;
			var _ = context.close(promise);
		}

		@Override
		public void channelInactive(ChannelHandlerContext context) {
			closed();
			context.fireChannelInactive();
		}

		/** A peer that closes before it has read everything resets the connection. */
		@Override
		@SuppressWarnings("deprecation") // Deprecated for outbound handlers only.
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			if (cause instanceof IOException) {
				closed();
			}
			context.fireExceptionCaught(cause);
		}

		private void closed() {
			if (!this.isOver) {
				this.isOver = true;
				this.unanswered.run();
			}
		}

	}

	/**
	 * Decides by the first byte of an accepted connection whether it is encrypted: a
	 * frame begins with its length, and none is so long that it could be taken for the
	 * beginning of a TLS handshake. The handlers behind this one learn of the connection
	 * when its form is known, and of an encrypted one after its handshake.
	 */
	static final class EitherForm extends ChannelInboundHandlerAdapter {

		/** First byte of a TLS handshake. */
		static final byte TLS_HANDSHAKE = 0x16;

		private final BiConsumer<ChannelPipeline, String> encryption;

		/**
		 * The handler of a new connection.
		 * @param encryption adds the handlers of TLS to a pipeline, behind the handler of
		 * that name
		 */
		EitherForm(BiConsumer<ChannelPipeline, String> encryption) {
			this.encryption = encryption;
		}

		@Override
		public void channelActive(ChannelHandlerContext context) {
			context.read();
		}

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			if (!(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
				ReferenceCountUtil.release(message);
				context.read();
				return;
			}
			ChannelPipeline pipeline = context.pipeline();
			if (bytes.getByte(bytes.readerIndex()) == TLS_HANDSHAKE) {
				pipeline.addAfter(context.name(), "quorate.handshaken", new Handshaken());
				this.encryption.accept(pipeline, context.name());
			}
			else {
				context.fireChannelActive();
			}
			// Last: a context that is removed does not learn of handlers that come after
			// it.
			pipeline.remove(this);
			context.fireChannelRead(message);
		}

		/**
		 * Tells the handlers behind it of the connection when its handshake has
		 * succeeded.
		 */
		private static final class Handshaken extends ChannelInboundHandlerAdapter {

			@Override
			public void userEventTriggered(ChannelHandlerContext context, Object event) {
				if (event instanceof SslHandshakeCompletionEvent handshake) {
					context.pipeline().remove(this);
					if (handshake.isSuccess()) {
						context.fireChannelActive();
					}
				}
				context.fireUserEventTriggered(event);
			}

		}

	}

	/**
	 * Trusts a connecting node when a trusted authority has signed its certificate, and
	 * the certificate is that of a member ({@link MemberNames}). Other certificates of
	 * the same authority are refused. A node that this node connects to is checked
	 * elsewhere, against the host that was to be reached; and whether a certificate is
	 * that of the very member that its handshake claims is checked with that handshake.
	 */
	private static final class MemberTrust extends X509ExtendedTrustManager {

		private final X509ExtendedTrustManager authorities;

		private final MemberNames members;

		/**
		 * A trust manager for these members.
		 * @param authorities check of the signatures
		 */
		MemberTrust(X509ExtendedTrustManager authorities, MemberNames members) {
			this.authorities = authorities;
			this.members = members;
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			this.authorities.checkClientTrusted(chain, authType);
			requireMember(chain[0]);
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
				throws CertificateException {
			this.authorities.checkClientTrusted(chain, authType, socket);
			requireMember(chain[0]);
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
				throws CertificateException {
			this.authorities.checkClientTrusted(chain, authType, engine);
			requireMember(chain[0]);
		}

		private void requireMember(X509Certificate certificate) throws CertificateException {
			String objection = this.members.objection(certificate);
			if (objection != null) {
				throw new CertificateException(objection);
			}
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			this.authorities.checkServerTrusted(chain, authType);
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
				throws CertificateException {
			this.authorities.checkServerTrusted(chain, authType, socket);
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
				throws CertificateException {
			this.authorities.checkServerTrusted(chain, authType, engine);
		}

		@Override
		public X509Certificate[] getAcceptedIssuers() {
			return this.authorities.getAcceptedIssuers();
		}

	}

}
