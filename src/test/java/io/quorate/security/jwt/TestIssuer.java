package io.quorate.security.jwt;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.quorate.clock.TimeSource;

/** An issuer of JSON web tokens, with keys that a test may change. */
public final class TestIssuer implements KeySource {

	public static final String ISSUER = "https://kubernetes.default.svc";

	static final RSAKey RSA = rsa("rsa");

	static final ECKey EC = ec("ec");

	final AtomicInteger readings = new AtomicInteger();

	private volatile String published = published(RSA, EC);

	volatile boolean isBroken;

	static RSAKey rsa(String name) {
		try {
			return new RSAKeyGenerator(2048).keyID(name).generate();
		}
		catch (JOSEException impossible) {
			throw new IllegalStateException(impossible);
		}
	}

	static ECKey ec(String name) {
		try {
			return new ECKeyGenerator(Curve.P_256).keyID(name).generate();
		}
		catch (JOSEException impossible) {
			throw new IllegalStateException(impossible);
		}
	}

	/** The document with its keys. */
	public static String keys() {
		return published(RSA, EC);
	}

	/**
	 * A token that differs from each other one, names a key of the issuer, and has no
	 * signature of it.
	 */
	public static String forged(long number) {
		Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
		String header = "{\"alg\":\"ES256\",\"kid\":\"ec\"}";
		String claims = "{\"iss\":\"%s\",\"aud\":\"quorate\",\"sub\":\"payments\",\"exp\":4000000000,\"jti\":\"%d\"}"
			.formatted(ISSUER, number);
		byte[] signature = new byte[64];
		Arrays.fill(signature, (byte) 7);
		return "%s.%s.%s".formatted(encoder.encodeToString(header.getBytes(StandardCharsets.UTF_8)),
				encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8)), encoder.encodeToString(signature));
	}

	static String published(JWK... keys) {
		return new JWKSet(List.of(keys)).toString(true);
	}

	/** From now on it publishes these keys. */
	void publish(JWK... keys) {
		this.published = published(keys);
	}

	@Override
	public byte[] content() throws IOException {
		this.readings.incrementAndGet();
		if (this.isBroken) {
			throw new IOException("broken");
		}
		return this.published.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public String name() {
		return "test";
	}

	/** Its tokens for the audience {@code quorate}, with keys that nothing watches. */
	public Jwts jwts(TimeSource clock, LongSupplier nanos) {
		return new Jwts(new JwtCheck(ISSUER, "quorate"),
				new WatchedKeys(this, Duration.ofSeconds(30), nanos).required(), clock, Jwts.DEADLINE);
	}

	/** Claims of a token for five minutes. */
	static JWTClaimsSet.Builder claims(String subject, Instant now) {
		return new JWTClaimsSet.Builder().issuer(ISSUER)
			.audience("quorate")
			.subject(subject)
			.notBeforeTime(Date.from(now))
			.expirationTime(Date.from(now.plusSeconds(300)));
	}

	/** A token for five minutes. */
	public static String token(String subject, Instant now) {
		return signed(RSA, claims(subject, now).build());
	}

	/** A token for five minutes, with one thing that is different. */
	static String token(JWK key, Instant now, Consumer<JWTClaimsSet.Builder> change) {
		JWTClaimsSet.Builder claims = claims("payments", now);
		change.accept(claims);
		return signed(key, claims.build());
	}

	static String signed(JWK key, JWTClaimsSet claims) {
		JWSAlgorithm algorithm = (key instanceof RSAKey) ? JWSAlgorithm.RS256 : JWSAlgorithm.ES256;
		return signed(key, new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(), claims);
	}

	static String signed(JWK key, JWSHeader header, JWTClaimsSet claims) {
		try {
			JWSSigner signer = (key instanceof RSAKey rsa) ? new RSASSASigner(rsa) : new ECDSASigner((ECKey) key);
			SignedJWT token = new SignedJWT(header, claims);
			token.sign(signer);
			return token.serialize();
		}
		catch (JOSEException impossible) {
			throw new IllegalStateException(impossible);
		}
	}

}
