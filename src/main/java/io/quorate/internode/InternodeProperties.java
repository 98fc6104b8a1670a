package io.quorate.internode;

import java.time.Duration;

import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * The properties of the connections between nodes.
 *
 * @param address address to listen on; the port is that of this node in the list of
 * members
 * @param sslBundle name of the bundle under {@code spring.ssl.bundle} by which nodes
 * authenticate each other and encrypt their messages; neither when not set
 * @param tls form of the connections: off (plain only), optional (both are accepted;
 * peers are reached by TLS if they speak it), required (TLS only); required with a
 * bundle, and off without, when not set
 * @param maxRequests requests that may be in flight to one peer; beyond it the peer
 * counts as overloaded
 * @param maxBytes bytes that may wait for one peer, of small messages and of values above
 * 64 KB each; beyond it the peer counts as overloaded
 * @param keepAlive time between two keep-alives on a connection
 * @param suspectAfter time that a peer may be silent with work outstanding before other
 * replicas are asked first
 * @param disconnectAfter time that a peer may be silent before its connections are closed
 * @param connectTimeout time that a connection, its handshake included, may take
 * @param maxBackoff the longest time between two attempts to connect, give or take a half
 * @param newestVersion newest version of the internode protocol that this node speaks
 */
@Validated
@ConfigurationProperties("quorate.internode")
public record InternodeProperties(@DefaultValue("127.0.0.1") String address, @Nullable String sslBundle,
		@Nullable TlsMode tls, @DefaultValue("1024") @Min(1) int maxRequests, @DefaultValue("48MB") DataSize maxBytes,
		@DefaultValue("500ms") Duration keepAlive, @DefaultValue("50ms") Duration suspectAfter,
		@DefaultValue("3s") Duration disconnectAfter, @DefaultValue("1s") Duration connectTimeout,
		@DefaultValue("500ms") Duration maxBackoff, @DefaultValue("1") @Min(1) int newestVersion) {

	public InternodeProperties {
		if (sslBundle == null && tls != null && tls != TlsMode.OFF) {
			throw new IllegalArgumentException(
					"quorate.internode.tls is %s, which needs certificates: set quorate.internode.ssl-bundle"
						.formatted(tls.word()));
		}
		if (maxBytes.toBytes() < DataSize.ofMegabytes(1).toBytes()) {
			throw new IllegalArgumentException("quorate.internode.max-bytes must be at least 1MB, not " + maxBytes);
		}
		requireAtLeast("keep-alive", keepAlive, Duration.ofMillis(10));
		requireAtLeast("suspect-after", suspectAfter, Duration.ofMillis(20));
		requireAtLeast("disconnect-after", disconnectAfter, keepAlive.multipliedBy(2));
		requireAtLeast("connect-timeout", connectTimeout, Duration.ofMillis(10));
		requireAtLeast("max-backoff", maxBackoff, Duration.ofMillis(10));
	}

	/** Form of the connections, whether it is set or not. */
	public TlsMode tlsMode() {
		if (this.tls != null) {
			return this.tls;
		}
		return (this.sslBundle != null) ? TlsMode.REQUIRED : TlsMode.OFF;
	}

	private static void requireAtLeast(String name, Duration value, Duration least) {
		if (value.compareTo(least) < 0) {
			throw new IllegalArgumentException("quorate.internode.%s must be at least %dms, not %dms".formatted(name,
					least.toMillis(), value.toMillis()));
		}
	}

}
