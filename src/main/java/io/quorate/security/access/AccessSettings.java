package io.quorate.security.access;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The access file as it is written.
 *
 * @param principals the principals by name
 */
record AccessSettings(@DefaultValue Map<String, PrincipalSettings> principals) {

	/**
	 * One principal.
	 *
	 * @param tokens at most two, so that one can replace the other without a gap
	 * @param certificates alternative names of certificates, {@code dns:} or {@code uri:}
	 * in front
	 * @param jwt subjects of JSON web tokens
	 * @param read prefixes of keys that it may read, or the word {@code all}
	 * @param write prefixes of keys that it may write, or the word {@code all}
	 * @param metrics whether it may read meters and the state of the node
	 * @param admin whether it may command the node
	 * @param limits its limits, {@code null} for the defaults
	 */
	record PrincipalSettings(@DefaultValue List<TokenSettings> tokens, @DefaultValue List<String> certificates,
			@DefaultValue List<String> jwt, @DefaultValue List<String> read, @DefaultValue List<String> write,
			@DefaultValue("false") boolean metrics, @DefaultValue("false") boolean admin,
			@Nullable LimitSettings limits) {

		static final PrincipalSettings NONE = new PrincipalSettings(List.of(), List.of(), List.of(), List.of(),
				List.of(), false, false, null);

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
