package io.quorate.security.access;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.quorate.security.access.DeniedException.Why;
import io.quorate.security.jwt.Jwts;
import io.quorate.security.jwt.VerifiedJwt;
import org.jspecify.annotations.Nullable;

/**
 * The credential by which a request is judged: that of its {@code Authorization} field if
 * it has one, else that of its certificate.
 */
sealed interface Credential {

	/** The absence of credentials. */
	Credential NONE = new Nothing();

	/** The scheme of RFC 6750. */
	String SCHEME = "bearer ";

	/**
	 * The credential of a request.
	 * @throws DeniedException when it has two fields, of which a proxy may have read the
	 * other one
	 */
	static Credential of(Credentials sent, @Nullable Jwts jwts, Instant now) {
		List<String> fields = sent.authorization();
		if (fields.size() > 1) {
			throw new DeniedException(Why.AMBIGUOUS, "there must be one Authorization field");
		}
		if (fields.isEmpty()) {
			return sent.certificateNames().isEmpty() ? NONE : new OfCertificate(sent.certificateNames());
		}
		String field = fields.getFirst();
		if (field.length() <= SCHEME.length() || !field.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
			return new Malformed();
		}
		String text = field.substring(SCHEME.length());
		Token token = Token.parse(text);
		if (token != null) {
			return new OfToken(token.principal(), token.digest());
		}
		return (jwts != null && Jwts.hasForm(text)) ? ofJwt(text, jwts, now) : new Malformed();
	}

	private static Credential ofJwt(String text, Jwts jwts, Instant now) {
		VerifiedJwt verified = jwts.known(text, now);
		return (verified != null) ? new OfJwt(jwts, verified) : new UncheckedJwt(jwts, text);
	}

	/** The principal that has it now, {@code null} when none has. */
	@Nullable Principal in(Access access, Instant now);

	/** The kind, for meters and logs. */
	CredentialKind kind();

	/** No credentials. */
	final class Nothing implements Credential {

		@Override
		public @Nullable Principal in(Access access, Instant now) {
			return access.anonymous();
		}

		@Override
		public CredentialKind kind() {
			return CredentialKind.NONE;
		}

	}

	/** An {@code Authorization} field that is no token. */
	final class Malformed implements Credential {

		@Override
		public @Nullable Principal in(Access access, Instant now) {
			return null;
		}

		@Override
		public CredentialKind kind() {
			return CredentialKind.TOKEN;
		}

	}

	/** A token. */
	final class OfToken implements Credential {

		private final String name;

		private final byte[] digest;

		private OfToken(String name, byte[] digest) {
			this.name = name;
			this.digest = digest;
		}

		@Override
		public @Nullable Principal in(Access access, Instant now) {
			return access.byToken(this.name, this.digest, now);
		}

		@Override
		public CredentialKind kind() {
			return CredentialKind.TOKEN;
		}

	}

	/** A JSON web token that is to be checked first, and has no principal until then. */
	final class UncheckedJwt implements Credential {

		private final Jwts jwts;

		private final String text;

		private UncheckedJwt(Jwts jwts, String text) {
			this.jwts = jwts;
			this.text = text;
		}

		/**
		 * Whether it says, unproved, that it is of a subject that has rights. Costs about
		 * as much as the reading of the request.
		 */
		boolean isClaimedIn(Access access) {
			String subject = Jwts.claimedSubject(this.text);
			return subject != null && access.bySubject(subject) != null;
		}

		/**
		 * Checks it, on another thread; completes exceptionally when it is refused.
		 * @param address the client's
		 */
		CompletableFuture<Credential> checked(String address) {
			return this.jwts.verify(this.text, address).thenApply((verified) -> new OfJwt(this.jwts, verified));
		}

		@Override
		public @Nullable Principal in(Access access, Instant now) {
			return null;
		}

		@Override
		public CredentialKind kind() {
			return CredentialKind.JWT;
		}

	}

	/** A JSON web token that was checked. */
	final class OfJwt implements Credential {

		private final Jwts jwts;

		private final VerifiedJwt token;

		private OfJwt(Jwts jwts, VerifiedJwt token) {
			this.jwts = jwts;
			this.token = token;
		}

		@Override
		public @Nullable Principal in(Access access, Instant now) {
			return this.jwts.isValid(this.token, now) ? access.bySubject(this.token.subject()) : null;
		}

		@Override
		public CredentialKind kind() {
			return CredentialKind.JWT;
		}

	}

	/** The certificate of the connection. */
	final class OfCertificate implements Credential {

		private final List<String> names;

		private OfCertificate(List<String> names) {
			this.names = names;
		}

		@Override
		public @Nullable Principal in(Access access, Instant now) {
			return access.byCertificate(this.names);
		}

		@Override
		public CredentialKind kind() {
			return CredentialKind.CERTIFICATE;
		}

	}

}
