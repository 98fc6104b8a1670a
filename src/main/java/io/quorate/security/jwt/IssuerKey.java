package io.quorate.security.jwt;

import java.util.Set;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import org.jspecify.annotations.Nullable;

/**
 * A public key of an issuer. It has one algorithm, by its kind: no token can choose
 * another one for it. Immutable.
 */
final class IssuerKey {

	private static final int MIN_RSA_BITS = 2048;

	private static final int MAX_RSA_BITS = 8192;

	private final JWK key;

	private final JWSAlgorithm algorithm;

	private final JWSVerifier verifier;

	private IssuerKey(JWK key, JWSAlgorithm algorithm, JWSVerifier verifier) {
		this.key = key;
		this.algorithm = algorithm;
		this.verifier = verifier;
	}

	/** A key as an issuer publishes it, {@code null} if it is of no use here. */
	static @Nullable IssuerKey of(JWK key) {
		try {
			return switch (key) {
				case RSAKey rsa when rsa.size() >= MIN_RSA_BITS && rsa.size() <= MAX_RSA_BITS ->
					usable(key, JWSAlgorithm.RS256, new RSASSAVerifier(rsa.toRSAPublicKey()));
				case ECKey ec when Curve.P_256.equals(ec.getCurve()) ->
					usable(key, JWSAlgorithm.ES256, new ECDSAVerifier(ec.toECPublicKey()));
				default -> null;
			};
		}
		catch (JOSEException noPoint) {
			throw new JwtKeysException("the key %s is broken".formatted(key.getKeyID()));
		}
	}

	private static @Nullable IssuerKey usable(JWK key, JWSAlgorithm algorithm, JWSVerifier verifier) {
		Set<KeyOperation> operations = key.getKeyOperations();
		boolean isForSignatures = (key.getKeyUse() == null || key.getKeyUse().equals(KeyUse.SIGNATURE))
				&& (operations == null || operations.contains(KeyOperation.VERIFY));
		boolean isOfAlgorithm = key.getAlgorithm() == null || key.getAlgorithm().equals(algorithm);
		return (isForSignatures && isOfAlgorithm) ? new IssuerKey(key, algorithm, verifier) : null;
	}

	JWSAlgorithm algorithm() {
		return this.algorithm;
	}

	JWSVerifier verifier() {
		return this.verifier;
	}

	/** Whether it is the same key, as another reading of the set has it. */
	boolean isSameAs(IssuerKey other) {
		return this.key.equals(other.key);
	}

}
