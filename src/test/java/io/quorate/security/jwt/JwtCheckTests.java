package io.quorate.security.jwt;

import java.nio.charset.StandardCharsets;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.quorate.security.jwt.RefusedJwtException.Reason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Each mistake of a token is a reason of its own to refuse it. */
class JwtCheckTests {

	private static final long SEED = 2401;

	private static final int FUZZED = 10_000;

	private static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");

	private static final RSAKey RSA = TestIssuer.RSA;

	private static final IssuerKeys KEYS = IssuerKeys.read(bytes(TestIssuer.published(RSA, TestIssuer.EC)));

	private static final String VALID = TestIssuer.token("payments", NOW);

	private final JwtCheck check = new JwtCheck(TestIssuer.ISSUER, "quorate");

	@Test
	void aTokenOfTheIssuerHasItsSubject() {
		assertThat(verify(VALID).subject()).isEqualTo("payments");
		assertThat(verify(with(TestIssuer.EC, (_) -> {
		})).subject()).isEqualTo("payments");
		assertThat(verify(with(RSA, (claims) -> claims.audience(List.of("other", "quorate")))).subject())
			.isEqualTo("payments");
		assertThat(verify(VALID).toString()).doesNotContain(VALID);
	}

	/* The library trims, and folded header lines end in spaces. */
	@Test
	void aTokenHasOneText() {
		for (String text : List.of(VALID + " ", VALID + "   ", VALID + "\t", VALID + "\n", VALID + "=", VALID + "~",
				VALID.replaceFirst("\\.", ". "))) {
			assertThat(JwtCheck.hasForm(text)).as("[%s]", text).isFalse();
			assertThat(why(text)).as("[%s]", text).isEqualTo(Reason.MALFORMED);
		}
	}

	@Test
	void theTimeOfATokenHasALeewayOfAMinute() {
		assertThat(verify(ending(-59)).subject()).isEqualTo("payments");
		assertThat(why(ending(-60))).isEqualTo(Reason.EXPIRED);
		assertThat(why(with(RSA, (claims) -> claims.expirationTime(null)))).isEqualTo(Reason.EXPIRED);
		assertThat(why(claims("\"exp\":-9223372036854775807"))).isEqualTo(Reason.EXPIRED);
		assertThat(verify(beginning(60)).subject()).isEqualTo("payments");
		assertThat(why(beginning(61))).isEqualTo(Reason.NOT_YET);
		assertThat(verify(with(RSA, (claims) -> claims.notBeforeTime(null))).subject()).isEqualTo("payments");
	}

	@Test
	void theIssuerIsThatOne() {
		assertThat(why(with(RSA, (claims) -> claims.issuer("https://other")))).isEqualTo(Reason.ISSUER);
		assertThat(why(with(RSA, (claims) -> claims.issuer(TestIssuer.ISSUER + "/")))).isEqualTo(Reason.ISSUER);
		assertThat(why(with(RSA, (claims) -> claims.issuer(null)))).isEqualTo(Reason.ISSUER);
	}

	@Test
	void theAudienceIsThisCluster() {
		assertThat(why(with(RSA, (claims) -> claims.audience("https://kubernetes.default.svc"))))
			.isEqualTo(Reason.AUDIENCE);
		assertThat(why(with(RSA, (claims) -> claims.audience("Quorate")))).isEqualTo(Reason.AUDIENCE);
		assertThat(why(with(RSA, (claims) -> claims.audience(List.of())))).isEqualTo(Reason.AUDIENCE);
	}

	@Test
	void aTokenHasASubject() {
		assertThat(why(with(RSA, (claims) -> claims.subject(null)))).isEqualTo(Reason.SUBJECT);
		assertThat(why(with(RSA, (claims) -> claims.subject("")))).isEqualTo(Reason.SUBJECT);
		assertThat(why(with(RSA, (claims) -> claims.subject("x".repeat(257))))).isEqualTo(Reason.SUBJECT);
	}

	@Test
	void aTokenWithoutSignatureIsRefused() {
		String claims = VALID.split("\\.", -1)[1];
		for (String algorithm : List.of("none", "None", "NONE")) {
			String header = base64("{\"alg\":\"%s\",\"kid\":\"rsa\"}".formatted(algorithm));
			assertThat(why(header + "." + claims + ".")).isIn(Reason.MALFORMED, Reason.ALGORITHM);
			assertThat(why(header + "." + claims + "." + base64("x"))).isIn(Reason.MALFORMED, Reason.ALGORITHM);
		}
		assertThat(why(VALID.substring(0, VALID.lastIndexOf('.') + 1))).isIn(Reason.MALFORMED, Reason.SIGNATURE);
	}

	/* The public key is known to all: as a secret it signs nothing. */
	@Test
	void theAlgorithmIsThatOfTheKey() throws JOSEException {
		RSAPublicKey key = RSA.toRSAPublicKey();
		for (byte[] secret : List.of(key.getEncoded(), key.getModulus().toByteArray(),
				bytes(RSA.toPublicJWK().toJSONString()))) {
			SignedJWT token = new SignedJWT(header(JWSAlgorithm.HS256), TestIssuer.claims("payments", NOW).build());
			token.sign(new MACSigner(secret));
			assertThat(why(token.serialize())).isEqualTo(Reason.ALGORITHM);
		}
		for (JWSAlgorithm algorithm : List.of(JWSAlgorithm.RS384, JWSAlgorithm.RS512, JWSAlgorithm.PS256)) {
			SignedJWT token = new SignedJWT(header(algorithm), TestIssuer.claims("payments", NOW).build());
			token.sign(new RSASSASigner(RSA));
			assertThat(why(token.serialize())).as(algorithm.getName()).isEqualTo(Reason.ALGORITHM);
		}
		assertThat(why(TestIssuer.signed(TestIssuer.EC, new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("rsa").build(),
				TestIssuer.claims("payments", NOW).build())))
			.as("the name of a key of another kind")
			.isEqualTo(Reason.ALGORITHM);
	}

	@Test
	void theKeyIsOneOfTheIssuer() {
		RSAKey stranger = TestIssuer.rsa("stranger");
		assertThat(why(with(stranger, (_) -> {
		}))).isEqualTo(Reason.UNKNOWN_KEY);
		RSAKey impostor = TestIssuer.rsa("rsa");
		assertThat(why(with(impostor, (_) -> {
		}))).isEqualTo(Reason.SIGNATURE);
		assertThat(why(TestIssuer.signed(RSA, new JWSHeader.Builder(JWSAlgorithm.RS256).build(),
				TestIssuer.claims("payments", NOW).build())))
			.as("no name")
			.isEqualTo(Reason.MALFORMED);
		assertThat(why(TestIssuer.signed(impostor,
				new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa").jwk(impostor.toPublicJWK()).build(),
				TestIssuer.claims("payments", NOW).build())))
			.as("a key that the token brings itself")
			.isEqualTo(Reason.SIGNATURE);
	}

	@Test
	void anEllipticSignatureOfZerosIsNone() {
		String valid = with(TestIssuer.EC, (_) -> {
		});
		String zeros = Base64.getUrlEncoder().withoutPadding().encodeToString(new byte[64]);
		assertThat(why(valid.substring(0, valid.lastIndexOf('.') + 1) + zeros)).isEqualTo(Reason.SIGNATURE);
	}

	@Test
	void aHeaderThatIsNotUnderstoodIsRefused() {
		for (JWSHeader header : List.of(
				new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa").criticalParams(Set.of("x")).build(),
				new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa")
					.base64URLEncodePayload(false)
					.criticalParams(Set.of("b64"))
					.build(),
				new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa").contentType("JWT").build(),
				new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa")
					.type(new JOSEObjectType("logout+jwt"))
					.build())) {
			assertThat(why(TestIssuer.signed(RSA, header, TestIssuer.claims("payments", NOW).build())))
				.as(header.toString())
				.isEqualTo(Reason.MALFORMED);
		}
		assertThat(verify(TestIssuer.signed(RSA,
				new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa").type(JOSEObjectType.JWT).build(),
				TestIssuer.claims("payments", NOW).build()))
			.subject()).isEqualTo("payments");
	}

	@Test
	void aClaimThatOccursTwiceIsRefused() {
		assertThat(why(claims("\"exp\":4000000000,\"sub\":\"ops\""))).isEqualTo(Reason.MALFORMED);
		assertThat(why(claims("\"exp\":4000000000,\"aud\":\"other\""))).isEqualTo(Reason.MALFORMED);
		assertThat(why(claims("\"exp\":1,\"exp\":4000000000"))).isEqualTo(Reason.MALFORMED);
		assertThat(verify(claims("\"exp\":4000000000")).subject()).isEqualTo("payments");
	}

	@Test
	void claimsOfOtherTypesAreRefused() {
		for (String claim : List.of("\"exp\":\"4000000000\"", "\"exp\":{}", "\"exp\":true", "\"exp\":[4000000000]",
				"\"exp\":9223372036854775807", "\"exp\":1e400", "\"exp\":4000000000,\"nbf\":\"x\"")) {
			assertThat(why(claims(claim))).as(claim).isIn(Reason.MALFORMED, Reason.EXPIRED);
		}
		String deep = "\"exp\":4000000000,\"x\":" + "[".repeat(1500) + "]".repeat(1500);
		assertThat(JwtCheck.hasForm(claims(deep))).isTrue();
		assertThat(why(claims(deep))).isEqualTo(Reason.MALFORMED);
	}

	@Test
	void aTokenIsShort() {
		String longest = with(RSA, (claims) -> claims.claim("x", "x".repeat(2400)));
		assertThat(longest).hasSizeBetween(3600, JwtCheck.MAX_LENGTH);
		assertThat(verify(longest).subject()).isEqualTo("payments");
		assertThat(why(with(RSA, (claims) -> claims.claim("x", "x".repeat(3000))))).isEqualTo(Reason.MALFORMED);
	}

	@Test
	void anyChangeOfATokenIsRefused() {
		Random random = new Random(SEED);
		String elliptic = with(TestIssuer.EC, (_) -> {
		});
		for (int i = 0; i < FUZZED; i++) {
			String valid = random.nextBoolean() ? VALID : elliptic;
			String changed = changed(valid, random);
			if (!changed.equals(valid)) {
				assertThat(why(changed)).as(changed).isNotNull();
			}
		}
		assertThat(verify(VALID).subject()).isEqualTo("payments");
	}

	private static String changed(String valid, Random random) {
		String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ {}\"";
		StringBuilder token = new StringBuilder(valid);
		for (int changes = random.nextInt(3); changes >= 0; changes--) {
			int at = random.nextInt(token.length());
			char other = alphabet.charAt(random.nextInt(alphabet.length()));
			switch (random.nextInt(5)) {
				case 0 -> token.insert(at, other);
				case 1 -> token.deleteCharAt(at);
				case 2 -> token.setLength(at + 1);
				case 3 -> token.append(valid, 0, at % valid.length());
				default -> token.setCharAt(at, other);
			}
		}
		return token.toString();
	}

	private static String ending(int seconds) {
		return with(RSA, (claims) -> claims.expirationTime(Date.from(NOW.plusSeconds(seconds))));
	}

	private static String beginning(int seconds) {
		return with(RSA, (claims) -> claims.notBeforeTime(Date.from(NOW.plusSeconds(seconds))));
	}

	private static String with(JWK key, Consumer<JWTClaimsSet.Builder> change) {
		return TestIssuer.token(key, NOW, change);
	}

	/* Claims as they stand, which the library would not write. */
	private static String claims(String more) {
		try {
			JWSObject token = new JWSObject(header(JWSAlgorithm.RS256), new Payload(
					"{\"iss\":\"%s\",\"aud\":\"quorate\",\"sub\":\"payments\",%s}".formatted(TestIssuer.ISSUER, more)));
			token.sign(new RSASSASigner(RSA));
			return token.serialize();
		}
		catch (JOSEException impossible) {
			throw new IllegalStateException(impossible);
		}
	}

	private static JWSHeader header(JWSAlgorithm algorithm) {
		return new JWSHeader.Builder(algorithm).keyID("rsa").build();
	}

	private VerifiedJwt verify(String token) {
		return this.check.verify(token, KEYS, NOW);
	}

	private Reason why(String token) {
		RefusedJwtException refused = catchThrowableOfType(RefusedJwtException.class, () -> verify(token));
		assertThat(refused).as(token).isNotNull();
		return refused.reason();
	}

	private static String base64(String text) {
		return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(text));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
