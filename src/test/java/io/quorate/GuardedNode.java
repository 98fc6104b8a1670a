package io.quorate;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Objects;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

import io.quorate.Authority.Issued;
import io.quorate.security.access.Token;
import io.quorate.security.jwt.TestIssuer;
import org.jspecify.annotations.Nullable;

/**
 * A shared node with HTTPS, and with rights by tokens, by certificates and by JSON web
 * tokens. Ten failures of an address in a second are its limit: a test with more of them
 * comes from an address of its own.
 */
public final class GuardedNode {

	/** Of the principal {@code ops}. */
	public static final Token OPS = Token.generate("ops");

	/** Of the principal {@code reader}. */
	public static final Token READER = Token.generate("reader");

	/** The node. */
	public static final SharedNode NODE = new SharedNode(GuardedNode::settings);

	private static final String ACCESS = "access.yml";

	private static final String JWT_KEYS = "jwks.json";

	private static @Nullable Authority authority;

	private static @Nullable Issued served;

	private GuardedNode() {
	}

	private static List<String> settings(Path home) throws Exception {
		Authority signer = new Authority(home, "authority");
		Issued own = signer.issue("node", "ip:127.0.0.1");
		authority = signer;
		served = own;
		Files.writeString(home.resolve(JWT_KEYS), TestIssuer.keys());
		Files.writeString(home.resolve(ACCESS), """
				principals:
				  payments:
				    {certificates: ["uri:spiffe://prod/payments"], jwt: ["payments"], read: ["pay:"], write: ["pay:"]}
				  reader: {tokens: [{sha256: "%s"}], read: all, metrics: true}
				  watcher: {jwt: ["watcher"], metrics: true}
				  ops: {tokens: [{sha256: "%s"}], jwt: ["ops"], metrics: true, admin: true}
				""".formatted(READER.sha256(), OPS.sha256()));
		String pem = "--spring.ssl.bundle.pem.served.";
		return List.of("--quorate.security.access=" + home.resolve(ACCESS), "--server.ssl.bundle=served",
				"--server.ssl.client-auth=want", pem + "keystore.certificate=" + own.certificate(),
				pem + "keystore.private-key=" + own.key(), pem + "truststore.certificate=" + own.trusted(),
				"--quorate.security.jwt.issuer=" + TestIssuer.ISSUER,
				"--quorate.security.jwt.jwk-set-file=" + home.resolve(JWT_KEYS));
	}

	/** Who has signed the certificate of the node, and whose clients it trusts. */
	public static Authority authority() {
		NODE.context();
		return Objects.requireNonNull(authority);
	}

	/** The file with the rights. */
	public static Path access() {
		return NODE.home().resolve(ACCESS);
	}

	/** The file with the keys of {@link TestIssuer}, which the node watches. */
	public static Path jwtKeys() {
		return NODE.home().resolve(JWT_KEYS);
	}

	/** The address for clients, by the name in the certificate or by another one. */
	public static String url(String host) {
		return "https://%s:%d".formatted(host, NODE.port());
	}

	/** A context that trusts the node, and shows these keys. */
	public static SSLContext tls(KeyManager... keys) throws GeneralSecurityException {
		NODE.context();
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(keys, Objects.requireNonNull(served).bundle().getManagers().getTrustManagers(), null);
		return context;
	}

}
