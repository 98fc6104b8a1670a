package io.quorate.api.transport;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSessionContext;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ReferenceCountUtil;
import io.quorate.security.CertificateExpiry;
import io.quorate.security.HandshakeThreads;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerSslBundle;

/**
 * The TLS of a port for HTTP: TLS 1.3, and 1.2 with forward secrecy and authenticated
 * encryption, by the certificates of a bundle as they are now. When the bundle changes,
 * new connections use the new certificates. A new bundle that cannot be used changes
 * nothing. Handshakes compute on threads of their own. Safe for any number of threads.
 * <p>
 * With OpenSSL a context and its keys are native memory, which is counted: each
 * connection holds the context that it began with, this port holds the newest one until
 * it is closed.
 */
final class ServedCertificate extends SslContext implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(ServedCertificate.class);

	private static final Executor TASKS = HandshakeThreads.named("api-handshake");

	private static final double MILLIS_PER_SECOND = 1000;

	private static final String[] PROTOCOLS = { "TLSv1.3", "TLSv1.2" };

	private static final List<String> CIPHERS = List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384",
			"TLS_CHACHA20_POLY1305_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
			"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
			"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
			"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

	private final String port;

	private final ClientAuth clientAuth;

	/* None when the port is closed. */
	private final AtomicReference<@Nullable Current> current;

	private volatile Instant expiry;

	private ServedCertificate(String port, Ssl ssl, SslBundle first) throws GeneralSecurityException, SSLException {
		this.port = port;
		this.clientAuth = (ssl.getClientAuth() == null) ? ClientAuth.NONE : switch (ssl.getClientAuth()) {
			case NONE -> ClientAuth.NONE;
			case WANT -> ClientAuth.OPTIONAL;
			case NEED -> ClientAuth.REQUIRE;
		};
		Current usable = usable(first);
		this.current = new AtomicReference<>(usable);
		this.expiry = usable.expiry;
	}

	/**
	 * The TLS of a port, or {@code null} for none.
	 * @param port name of the port in logs
	 * @param property name of the properties of its TLS
	 * @throws IllegalStateException when the bundle cannot be used
	 */
	static @Nullable ServedCertificate of(String port, String property, @Nullable Ssl ssl, SslBundles bundles) {
		if (ssl == null || !Ssl.isEnabled(ssl)) {
			return null;
		}
		try {
			ServedCertificate made = new ServedCertificate(port, ssl, WebServerSslBundle.get(ssl, bundles));
			String bundle = ssl.getBundle();
			if (bundle != null) {
				bundles.addBundleUpdateHandler(bundle, (changed) -> made.renew(bundle, changed));
			}
			log.info("HTTPS on the {} port, by {}; the certificate is valid until {}", port, provider(), made.expiry);
			return made;
		}
		catch (GeneralSecurityException | SSLException unusable) {
			throw new IllegalStateException(
					"%s cannot be used on the %s port: %s".formatted(property, port, unusable.getMessage()), unusable);
		}
	}

	private static String provider() {
		return OpenSsl.isAvailable() ? OpenSsl.versionString()
				: "the JDK, as OpenSSL cannot be loaded (" + OpenSsl.unavailabilityCause().getMessage() + ")";
	}

	private void renew(String bundle, SslBundle changed) {
		try {
			replace(usable(changed));
			log.info(
					"The certificates of the bundle '{}' are renewed: new connections to the {} port have them, until {}",
					bundle, this.port, this.expiry);
		}
		catch (GeneralSecurityException | SSLException | RuntimeException unusable) {
			log.error(
					"The bundle '{}' has changed and cannot be used: the {} port goes on with the certificates from before",
					bundle, this.port, unusable);
		}
	}

	private void replace(Current next) {
		Current before;
		do {
			before = this.current.get();
			if (before == null) {
				next.release();
				return;
			}
		}
		while (!this.current.compareAndSet(before, next));
		this.expiry = next.expiry;
		before.release();
	}

	/** Releases the context of new connections: there will be none any more. */
	@Override
	public void close() {
		Current last = this.current.getAndSet(null);
		if (last != null) {
			last.release();
		}
	}

	/* A context is held while it is used: a renewal may release it meanwhile. */
	private <T> T using(Function<SslContext, T> use) {
		while (true) {
			Current now = this.current.get();
			if (now == null) {
				throw new IllegalStateException("the %s port is closed".formatted(this.port));
			}
			if (now.hold()) {
				try {
					return use.apply(now.context);
				}
				finally {
					now.release();
				}
			}
		}
	}

	private Current usable(SslBundle from) throws GeneralSecurityException, SSLException {
		KeyStore own = from.getStores().getKeyStore();
		if (own == null) {
			throw new GeneralSecurityException("it has no keystore");
		}
		Instant expiry = CertificateExpiry.of(own);
		String[] ciphers = from.getOptions().getCiphers();
		String[] protocols = from.getOptions().getEnabledProtocols();
		SslContextBuilder builder = SslContextBuilder.forServer(from.getManagers().getKeyManagerFactory())
			.sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
			.ciphers((ciphers != null) ? List.of(ciphers) : CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
			.protocols((protocols != null) ? protocols : PROTOCOLS)
			.clientAuth(this.clientAuth);
		if (this.clientAuth != ClientAuth.NONE) {
			if (from.getStores().getTrustStore() == null) {
				throw new GeneralSecurityException("it has no truststore with the authorities of clients to trust");
			}
			builder.trustManager(from.getManagers().getTrustManagerFactory());
		}
		return new Current(builder.build(), expiry);
	}

	/** Time until the certificate expires, in seconds. */
	double remainingSeconds(long nowMillis) {
		return (this.expiry.toEpochMilli() - nowMillis) / MILLIS_PER_SECOND;
	}

	@Override
	public boolean isClient() {
		return false;
	}

	@Override
	public List<String> cipherSuites() {
		return using(SslContext::cipherSuites);
	}

	@Override
	@SuppressWarnings("deprecation") // An abstract method, which no code here calls.
	public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
		return using(SslContext::applicationProtocolNegotiator);
	}

	@Override
	public SSLEngine newEngine(ByteBufAllocator allocator) {
		return using((context) -> context.newEngine(allocator));
	}

	@Override
	public SSLEngine newEngine(ByteBufAllocator allocator, String host, int peerPort) {
		return using((context) -> context.newEngine(allocator, host, peerPort));
	}

	@Override
	protected SslHandler newHandler(ByteBufAllocator allocator, boolean startTls) {
		return using((context) -> context.newHandler(allocator, TASKS));
	}

	@Override
	public SSLSessionContext sessionContext() {
		return using(SslContext::sessionContext);
	}

	private record Current(SslContext context, Instant expiry) {

		/** Holds it until the caller releases it, or returns false when it is gone. */
		boolean hold() {
			try {
				ReferenceCountUtil.retain(this.context);
				return true;
			}
			catch (IllegalReferenceCountException gone) {
				return false;
			}
		}

		void release() {
			ReferenceCountUtil.release(this.context);
		}

	}

}
