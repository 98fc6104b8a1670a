package io.quorate.security.access;

import java.time.Instant;
import java.util.List;
import java.util.Locale;

import io.quorate.security.access.DeniedException.Why;
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
	static Credential of(Credentials sent) {
		List<String> fields = sent.authorization();
		if (fields.size() > 1) {
			throw new DeniedException(Why.AMBIGUOUS, "there must be one Authorization field");
		}
		if (fields.isEmpty()) {
			return sent.certificateNames().isEmpty() ? NONE : new OfCertificate(sent.certificateNames());
		}
		String field = fields.getFirst();
		boolean isBearer = field.length() > SCHEME.length()
				&& field.substring(0, SCHEME.length()).toLowerCase(Locale.ROOT).equals(SCHEME);
		Token token = isBearer ? Token.parse(field.substring(SCHEME.length())) : null;
		return (token != null) ? new OfToken(token.principal(), token.digest()) : new Malformed();
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
