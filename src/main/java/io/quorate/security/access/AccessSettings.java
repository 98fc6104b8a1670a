package io.quorate.security.access;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The access file as it is written.
 *
 * @param principals the principals by name, {@code null} for one of which nothing is
 * written
 */
record AccessSettings(Map<String, @Nullable PrincipalSettings> principals) {

	/**
	 * One principal.
	 *
	 * @param tokens at most two, so that one can replace the other without a gap
	 * @param certificates alternative names of certificates, {@code dns:} or {@code uri:}
	 * in front
	 * @param jwt subjects of JSON web tokens
	 * @param read prefixes of keys that it may read, a list, or the word {@code all}
	 * @param write prefixes of keys that it may write, a list, or the word {@code all}
	 * @param metrics whether it may read meters and the state of the node
	 * @param admin whether it may command the node
	 * @param limits its limits, {@code null} for the defaults
	 */
	record PrincipalSettings(List<TokenSettings> tokens, List<String> certificates, List<String> jwt,
			@Nullable Object read, @Nullable Object write, boolean metrics, boolean admin,
			@Nullable LimitSettings limits) {

		static final PrincipalSettings NONE = new PrincipalSettings(List.of(), List.of(), List.of(), null, null, false,
				false, null);

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
	 * @param requestsPerSecond most requests in a second to one node
	 * @param share most of the requests and bytes in flight of one node
	 */
	record LimitSettings(@Nullable Integer requestsPerSecond, @Nullable Double share) {

	}

}
