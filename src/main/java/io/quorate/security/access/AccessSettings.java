package io.quorate.security.access;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The access file as it is written.
 *
 * @param principals the principals by name
 */
record AccessSettings(Map<String, PrincipalSettings> principals) {

	/**
	 * One principal.
	 *
	 * @param credentials its credentials
	 * @param rights its rights
	 * @param limits its limits
	 */
	record PrincipalSettings(CredentialSettings credentials, RightSettings rights, LimitSettings limits) {

		static final PrincipalSettings NONE = new PrincipalSettings(
				new CredentialSettings(List.of(), List.of(), List.of()),
				new RightSettings(KeySettings.NONE, KeySettings.NONE, false, false), LimitSettings.NONE);

	}

	/**
	 * The credentials of one principal.
	 *
	 * @param tokens at most two, so that one can replace the other without a gap
	 * @param certificates alternative names of certificates, {@code dns:} or {@code uri:}
	 * in front
	 * @param jwt subjects of JSON web tokens
	 */
	record CredentialSettings(List<TokenSettings> tokens, List<String> certificates, List<String> jwt) {

		boolean areNone() {
			return this.tokens.isEmpty() && this.certificates.isEmpty() && this.jwt.isEmpty();
		}

	}

	/**
	 * The rights of one principal.
	 *
	 * @param read keys that it may read
	 * @param write keys that it may write
	 * @param metrics whether it may read meters and the state of the node
	 * @param admin whether it may command the node
	 */
	record RightSettings(KeySettings read, KeySettings write, boolean metrics, boolean admin) {
	}

	/**
	 * The keys of a right.
	 *
	 * @param isAll whether the word {@code all} is written
	 * @param prefixes else the prefixes of the keys
	 */
	record KeySettings(boolean isAll, List<String> prefixes) {

		static final KeySettings NONE = new KeySettings(false, List.of());

		static final KeySettings ALL = new KeySettings(true, List.of());

	}

	/**
	 * One token.
	 *
	 * @param sha256 its hash in hexadecimal digits
	 * @param until last day, in UTC, on which it is valid, {@code null} for no end
	 */
	record TokenSettings(@Nullable String sha256, @Nullable String until) {

		/** Returns the name of the type only. */
		@Override
		public String toString() {
			return "TokenSettings";
		}

	}

	/**
	 * The limits of one principal.
	 *
	 * @param requestsPerSecond most requests in a second to one node, {@code null} for no
	 * limit
	 * @param share most of the requests and bytes in flight of one node, {@code null} for
	 * the default
	 */
	record LimitSettings(@Nullable Integer requestsPerSecond, @Nullable Double share) {

		static final LimitSettings NONE = new LimitSettings(null, null);

	}

}
