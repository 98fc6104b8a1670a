package io.quorate.security.jwt;

import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.quorate.security.jwt.RefusedJwtException.Reason;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The check of a token. The key is that which the token names among the keys of the
 * issuer; whatever else its header says about keys is not looked at.
 *
 * @param issuer the claim {@code iss} that a token must have
 * @param audience one of the claim {@code aud}
 */
record JwtCheck(String issuer, String audience) {

	static final int MAX_LENGTH = 4096;

	static final int MAX_SUBJECT = 256;

	/** The difference of clocks that is allowed for. */
	static final Duration LEEWAY = Duration.ofSeconds(60);

	private static final JsonFactory JSON = new JsonFactory();

	private static final Pattern FORM = Pattern.compile("ey[A-Za-z0-9_-]*\\.[A-Za-z0-9_-]*\\.[A-Za-z0-9_-]*");

	/* Other types are for other purposes, such as a token of a log-out. */
	private static final Set<String> TYPES = Set.of("jwt", "at+jwt");

	/**
	 * Whether a text may be a token: three parts in the alphabet of RFC 7515, the first
	 * of which begins as JSON does. Everything else is no work. The library skips spaces
	 * around a token, by which one token would have many texts.
	 */
	static boolean hasForm(String text) {
		return FORM.matcher(text).matches();
	}

	/**
	 * The subject that a token names, before anything is checked; {@code null} if none is
	 * found. Looks at no more than a token may have, and not into members of members.
	 */
	static @Nullable String claimedSubject(String token) {
		if (token.length() > MAX_LENGTH || !hasForm(token)) {
			return null;
		}
		int payload = token.indexOf('.') + 1;
		try (JsonParser claims = JSON.createParser(ObjectReadContext.empty(),
				Base64.getUrlDecoder().decode(token.substring(payload, token.lastIndexOf('.'))))) {
			claims.nextToken();
			while (claims.nextToken() == JsonToken.PROPERTY_NAME) {
				boolean isSubject = claims.currentName().equals("sub");
				JsonToken value = claims.nextToken();
				if (isSubject) {
					return (value == JsonToken.VALUE_STRING) ? claims.getString() : null;
				}
				claims.skipChildren();
			}
			return null;
		}
		catch (JacksonException | IllegalArgumentException _) {
			return null;
		}
	}

	/**
	 * Checks a token.
	 * @throws RefusedJwtException when one thing is not right
	 */
	VerifiedJwt verify(String token, IssuerKeys keys, Instant now) {
		if (token.length() > MAX_LENGTH || !hasForm(token)) {
			throw new RefusedJwtException(Reason.MALFORMED);
		}
		try {
			return verified(SignedJWT.parse(token), keys, now);
		}
		catch (ParseException | IllegalArgumentException | ArithmeticException | StackOverflowError broken) {
			throw new RefusedJwtException(Reason.MALFORMED);
		}
		catch (JOSEException unusable) {
			throw new RefusedJwtException(Reason.SIGNATURE);
		}
	}

	private VerifiedJwt verified(SignedJWT token, IssuerKeys keys, Instant now) throws ParseException, JOSEException {
		JWSHeader header = token.getHeader();
		String keyName = header.getKeyID();
		boolean isPlain = header.getCriticalParams() == null && header.isBase64URLEncodePayload()
				&& header.getContentType() == null
				&& (header.getType() == null || TYPES.contains(header.getType().getType().toLowerCase(Locale.ROOT)));
		if (!isPlain || keyName == null) {
			throw new RefusedJwtException(Reason.MALFORMED);
		}
		IssuerKey key = keys.named(keyName);
		if (key == null) {
			throw new RefusedJwtException(Reason.UNKNOWN_KEY);
		}
		require(key.algorithm().equals(header.getAlgorithm()), Reason.ALGORITHM);
		require(isCanonical(token.getSignature()) && token.verify(key.verifier()), Reason.SIGNATURE);
		return allowed(token.getJWTClaimsSet(), keyName, key, now);
	}

	/* The library skips characters that mean nothing: one token would have many texts. */
	private static boolean isCanonical(Base64URL signature) {
		return Base64URL.encode(signature.decode()).equals(signature);
	}

	private VerifiedJwt allowed(JWTClaimsSet claims, String keyName, IssuerKey key, Instant now) {
		require(this.issuer.equals(claims.getIssuer()), Reason.ISSUER);
		require(claims.getAudience().contains(this.audience), Reason.AUDIENCE);
		Instant end = instant(claims.getExpirationTime());
		if (end == null || !now.isBefore(end.plus(LEEWAY))) {
			throw new RefusedJwtException(Reason.EXPIRED);
		}
		Instant begin = instant(claims.getNotBeforeTime());
		require(begin == null || !now.isBefore(begin.minus(LEEWAY)), Reason.NOT_YET);
		String subject = claims.getSubject();
		if (subject == null || subject.isEmpty() || subject.length() > MAX_SUBJECT) {
			throw new RefusedJwtException(Reason.SUBJECT);
		}
		return new VerifiedJwt(subject, end.plus(LEEWAY), keyName, key);
	}

	private static @Nullable Instant instant(@Nullable Date date) {
		return (date != null) ? date.toInstant() : null;
	}

	private static void require(boolean holds, Reason otherwise) {
		if (!holds) {
			throw new RefusedJwtException(otherwise);
		}
	}

}
