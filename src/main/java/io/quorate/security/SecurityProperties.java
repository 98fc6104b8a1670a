package io.quorate.security;

import java.util.HexFormat;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The protection of the node against strangers: the file of those who may use it, and the
 * secret of the log, under which keys are hashed.
 *
 * @param access the access file: principals, their credentials and their rights, watched
 * while the node runs; when not set, every client that reaches the node may do everything
 * @param open whether clients may reach the node from other machines without credentials:
 * without an access file a node starts only on loopback, unless this says so
 * @param logKey 32 bytes in hexadecimal digits, under which keys are hashed before they
 * are logged, the same on all nodes so that their lines can be compared; when not set
 * each start takes a random one
 * @param jwt the issuer whose JSON web tokens are credentials; when not set, none are
 */
@ConfigurationProperties("quorate.security")
public record SecurityProperties(@Nullable String access, @DefaultValue("false") boolean open, @Nullable String logKey,
		@Nullable Jwt jwt) {

	public SecurityProperties {
		if (access != null && (access.isBlank() || access.equalsIgnoreCase("false"))) {
			throw new IllegalArgumentException(
					"quorate.security.access is the path of a file; a node without one does not set it");
		}
		if (jwt != null && access == null) {
			throw new IllegalArgumentException(
					"quorate.security.jwt needs quorate.security.access, the file that names the subjects of tokens");
		}
		if (logKey != null && !logKey.isEmpty() && !logKey.matches("[0-9a-fA-F]{64}")) {
			throw new IllegalArgumentException(
					"quorate.security.log-key must be 64 hexadecimal digits, not %d characters"
						.formatted(logKey.length()));
		}
	}

	byte @Nullable [] logKeyBytes() {
		return (this.logKey != null && !this.logKey.isEmpty()) ? HexFormat.of().parseHex(this.logKey) : null;
	}

	/**
	 * The issuer of JSON web tokens, such as the Kubernetes cluster of the clients.
	 *
	 * @param issuer the claim {@code iss} of its tokens; when not set, no JSON web token
	 * is a credential
	 * @param audience one of the claim {@code aud} of a token that is meant for this
	 * cluster
	 * @param jwkSetFile file with the public keys of the issuer, a JSON Web Key Set,
	 * watched while the node runs
	 * @param jwkSetUri address of them by HTTPS, in place of the file; read once a minute
	 * @param jwkSetBundle SSL bundle with the authorities that the address is trusted by;
	 * when not set, those of the JVM
	 */
	public record Jwt(@Nullable String issuer, @DefaultValue("quorate") String audience, @Nullable String jwkSetFile,
			@Nullable String jwkSetUri, @Nullable String jwkSetBundle) {

		public Jwt {
			if (issuer == null || issuer.isBlank() || audience.isBlank()) {
				throw new IllegalArgumentException("quorate.security.jwt needs an issuer and an audience");
			}
			if ((jwkSetFile == null) == (jwkSetUri == null)) {
				throw new IllegalArgumentException(
						"quorate.security.jwt needs the keys of the issuer, in jwk-set-file or at jwk-set-uri");
			}
			if (jwkSetUri != null && !jwkSetUri.startsWith("https://")) {
				throw new IllegalArgumentException("quorate.security.jwt.jwk-set-uri begins with https://");
			}
		}

	}

	/** Returns the name of the type only, without the secret. */
	@Override
	public String toString() {
		return "SecurityProperties";
	}

}
