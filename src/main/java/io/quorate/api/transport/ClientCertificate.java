package io.quorate.api.transport;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import io.quorate.clock.TimeSource;
import io.quorate.security.AlternativeNames;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.server.HttpServerRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;

/**
 * The certificate that a client has shown, if any: its names and its end are read once
 * for each connection, when its handshake has succeeded.
 */
public final class ClientCertificate {

	private static final AttributeKey<List<String>> NAMES = AttributeKey.valueOf(ClientCertificate.class, "names");

	private static final AttributeKey<Instant> END = AttributeKey.valueOf(ClientCertificate.class, "end");

	private ClientCertificate() {
	}

	/**
	 * The alternative names in the certificate of the client of a request, such as
	 * {@code dns:payments.shop.svc} or {@code uri:spiffe://prod/payments}; none if it has
	 * shown no certificate.
	 */
	public static List<String> names(ServerHttpRequest request) {
		List<String> names = channel(request).attr(NAMES).get();
		return (names != null) ? names : List.of();
	}

	/** The instant at which the certificate expires, {@code null} if there is none. */
	public static @Nullable Instant end(ServerHttpRequest request) {
		return channel(request).attr(END).get();
	}

	private static Channel channel(ServerHttpRequest request) {
		HttpServerRequest nettyRequest = ServerHttpRequestDecorator.getNativeRequest(request);
		Channel[] channel = new Channel[1];
		nettyRequest.withConnection((connection) -> channel[0] = connection.channel());
		return channel[0];
	}

	/**
	 * Notes the names in the certificate of a session, and its end.
	 * @throws CertificateException when it cannot be read, or has expired since the
	 * session began: one that is resumed brings the certificate along, unchecked
	 */
	static void note(Channel channel, SSLSession session) throws CertificateException {
		try {
			if (session.getPeerCertificates()[0] instanceof X509Certificate certificate) {
				if (Instant.ofEpochMilli(TimeSource.SYSTEM.millis()).isAfter(certificate.getNotAfter().toInstant())) {
					throw new CertificateException("the certificate of the client has expired");
				}
				channel.attr(NAMES).set(AlternativeNames.of(certificate));
				channel.attr(END).set(certificate.getNotAfter().toInstant());
			}
		}
		catch (SSLPeerUnverifiedException none) {
			channel.attr(NAMES).set(List.of());
		}
	}

}
