package io.quorate.spring.boot.autoconfigure;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Details of the connection to a cluster. A bean of this type takes the place of the
 * properties for endpoints, token and TLS. Several beans are nodes of one cluster, such
 * as the services of a file for Docker Compose: the client asks the endpoints of all of
 * them, with the token and the bundle of the first one that has any.
 */
public interface QuorateConnectionDetails extends ConnectionDetails {

	/** Returns the nodes, such as {@code http://10.0.0.1:8080}. */
	List<String> getEndpoints();

	/** Returns the token to send, {@code null} for none. */
	default @Nullable String getToken() {
		return null;
	}

	/** Returns a file with the token, which may change, {@code null} for none. */
	default @Nullable Path getTokenFile() {
		return null;
	}

	/**
	 * Returns the bundle of certificates for HTTPS, {@code null} for those of the JDK.
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
