package io.quorate.internode.tls;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.quorate.internode.InternodeStartException;
import io.quorate.security.RefusalLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.netty.NettyPipeline;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * The protection of the connections between nodes: none, or TLS 1.3 in which both sides
 * show a certificate. With TLS
 * <ol>
 * <li>both certificates are signed by an authority that the bundle trusts, and valid
 * now;</li>
 * <li>the certificate of the node that is reached has that node's host, as the list of
 * members names it, among its alternative names;</li>
 * <li>that of the node that connects has the host of a member among them
 * ({@link MemberTrust});</li>
 * <li>each connection is checked anew, none is resumed
 * ({@link RenewableSslContext}).</li>
 * </ol>
 * When the bundle changes, new connections use the new certificates; open ones go on as
 * they began. A new bundle that cannot be used changes nothing. Safe for any number of
 * threads.
 */
public final class Encryption {

	/** No protection: any process that reaches the port may do everything. */
	public static final Encryption NONE = new Encryption("", List.of());

	private static final Logger log = LoggerFactory.getLogger(Encryption.class);

	private static final double MILLIS_PER_SECOND = 1000;

	private static final String PROTOCOL = "TLSv1.3";

	private final String bundle;

	private final Collection<String> hosts;

	private @Nullable RenewableSslContext server;

	private @Nullable RenewableSslContext client;

	private volatile Instant expiry = Instant.MAX;

	private Encryption(String bundle, Collection<String> hosts) {
		this.bundle = bundle;
		this.hosts = List.copyOf(hosts);
	}

	/**
	 * Protection by a bundle's certificates, as they are now and after each change.
	 * @param hosts of all members, names and addresses
	 * @throws InternodeStartException when there is no such bundle, or it cannot be used
	 */
	public static Encryption by(String bundle, SslBundles bundles, Collection<String> hosts) {
		Encryption encryption = new Encryption(bundle, hosts);
		try {
			SslBundle first = bundles.getBundle(bundle);
			encryption.server = new RenewableSslContext(encryption.server(first));
			encryption.client = new RenewableSslContext(encryption.client(first));
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
			.trustManager(new MemberTrust(authorities(from), this.hosts))
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
		Instant first = Instant.MAX;
		for (String alias : Collections.list(own.aliases())) {
			Certificate[] chain = own.getCertificateChain(alias);
			for (Certificate certificate : (chain != null) ? chain : new Certificate[0]) {
				Instant end = ((X509Certificate) certificate).getNotAfter().toInstant();
				first = end.isBefore(first) ? end : first;
			}
		}
		if (first.equals(Instant.MAX)) {
			throw new GeneralSecurityException("its keystore has no certificate to show");
		}
		return first;
	}

	/** Whether connections are encrypted and peers authenticated. */
	public boolean isOn() {
		return this.server != null;
	}

	/** Time until the own certificate expires, in seconds; NaN when there is none. */
	public double remainingSeconds(long nowMillis) {
		return isOn() ? (this.expiry.toEpochMilli() - nowMillis) / MILLIS_PER_SECOND : Double.NaN;
	}

	/** A server that logs the reason for each connection that it refuses. */
	public TcpServer apply(TcpServer plain, RefusalLog refusals) {
		RenewableSslContext context = this.server;
		if (context == null) {
			return plain
				.doOnChannelInit((_, channel, _) -> channel.pipeline().addFirst(new TlsRejectingHandler(refusals)));
		}
		return plain.secure((spec) -> spec.sslContext(context))
			.doOnChannelInit((_, channel, _) -> addEnd(channel.pipeline(), new TlsFailureHandler(true,
					(level, why) -> refusals.refused(level, channel.remoteAddress(), why))));
	}

	/**
	 * A client that checks the certificate of the node that it reaches.
	 * @param ended receives the reason when an open connection has failed
	 */
	public TcpClient apply(TcpClient plain, Consumer<String> ended) {
		RenewableSslContext context = this.client;
		if (context == null) {
			return plain;
		}
		return plain.secure((spec) -> spec.sslContext(context))
			.doOnChannelInit((_, channel, _) -> addEnd(channel.pipeline(),
					new TlsFailureHandler(false, (_, why) -> ended.accept(why))));
	}

	private static void addEnd(ChannelPipeline pipeline, TlsFailureHandler end) {
		pipeline.addAfter(NettyPipeline.SslHandler, "quorate.tls-end", end);
		pipeline.addAfter("quorate.tls-end", "quorate.until-written", new ReleaseAfterWrite());
	}

}
