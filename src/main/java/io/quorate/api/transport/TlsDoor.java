package io.quorate.api.transport;

import io.netty.channel.ChannelPipeline;
import io.quorate.clock.TimeSource;
import org.jspecify.annotations.Nullable;
import reactor.netty.NettyPipeline;
import reactor.netty.http.server.HttpServer;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.Ssl;

/**
 * The TLS of a port for HTTP: its certificate, and the handlers around the handshake of
 * each connection. Safe for any number of event loops.
 */
final class TlsDoor {

	private static final String START = "quorate.handshake-start";

	private final ServedCertificate certificate;

	private final Handshakes handshakes = new Handshakes();

	private final HandshakeLog log;

	private TlsDoor(ServedCertificate certificate, HandshakeLog log) {
		this.certificate = certificate;
		this.log = log;
	}

	/**
	 * The TLS of a port, or {@code null} for none.
	 * @param port name of the port
	 * @param property prefix of the properties of its TLS
	 * @throws IllegalStateException when its certificate cannot be used
	 */
	static @Nullable TlsDoor of(String port, String property, @Nullable Ssl ssl, SslBundles bundles, PortTerms terms) {
		ServedCertificate certificate = ServedCertificate.of(port, property, ssl, bundles);
		if (certificate == null) {
			return null;
		}
		terms.tls().certificateOf(port, () -> certificate.remainingSeconds(TimeSource.SYSTEM.millis()));
		return new TlsDoor(certificate, new HandshakeLog(port, terms.tls(), terms.refusals().get()));
	}

	/**
	 * A server that speaks TLS, by this certificate in the place of any other, until it
	 * is unbound.
	 */
	HttpServer secure(HttpServer server) {
		return server.secure((spec) -> spec.sslContext(this.certificate)).doOnUnbound((_) -> this.certificate.close());
	}

	/** Puts the handlers into the pipeline of a new connection. */
	void furnish(ChannelPipeline pipeline) {
		HandshakeStart start = new HandshakeStart(this.handshakes, this.log);
		pipeline.addBefore(NettyPipeline.SslHandler, START, start);
		pipeline.addAfter(NettyPipeline.SslHandler, "quorate.handshake-end", new HandshakeEnd(start));
	}

}
