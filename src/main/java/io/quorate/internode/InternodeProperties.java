package io.quorate.internode;

import java.time.Duration;

import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
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
public record InternodeProperties(String address, @Nullable String sslBundle, @Nullable TlsMode tls,
		@Min(1) int maxRequests, DataSize maxBytes, Duration keepAlive, Duration suspectAfter, Duration disconnectAfter,
		Duration connectTimeout, Duration maxBackoff, @Min(1) int newestVersion) {

	private static final DataSize MAX_BYTES = DataSize.ofMegabytes(48);

	private static final Duration KEEP_ALIVE = Duration.ofMillis(500);

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration MAX_BACKOFF = Duration.ofMillis(500);

	public InternodeProperties {
		if (sslBundle == null && tls != null && tls != TlsMode.OFF) {
			throw new IllegalArgumentException(
					"quorate.internode.tls is %s, which needs certificates: set quorate.internode.ssl-bundle"
						.formatted(tls.word()));
		}
		requireAtLeast("suspect-after", suspectAfter, Duration.ofMillis(20));
		requireAtLeast("disconnect-after", disconnectAfter, keepAlive.multipliedBy(2));
	}

	/** The properties that can be set; the others are fixed. */
	@ConstructorBinding
	public InternodeProperties(@DefaultValue("127.0.0.1") String address, @Nullable String sslBundle,
			@Nullable TlsMode tls, @DefaultValue("1024") int maxRequests, @DefaultValue("50ms") Duration suspectAfter,
			@DefaultValue("3s") Duration disconnectAfter, @DefaultValue("1") int newestVersion) {
		this(address, sslBundle, tls, maxRequests, MAX_BYTES, KEEP_ALIVE, suspectAfter, disconnectAfter,
				CONNECT_TIMEOUT, MAX_BACKOFF, newestVersion);
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
