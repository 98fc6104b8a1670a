package io.quorate.security.access;

import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.quorate.security.jwt.Jwts;
import org.jspecify.annotations.Nullable;

/** The principals and their rights as an operator may see them: without credentials. */
public final class AccessOverview {

	private final Supplier<Access> access;

	private final @Nullable Jwts jwts;

	AccessOverview(Identities identities) {
		this.access = identities.access();
		this.jwts = identities.jwts();
	}

	/** Whether clients need no credentials, because there is no access file. */
	public boolean isOpen() {
		return this.access.get() == Access.OPEN;
	}

	/** All principals of the access file by name; empty when there is none. */
	public List<Row> rows() {
		Access present = this.access.get();
		return (present == Access.OPEN) ? List.of() : present.entries().stream().map(AccessOverview::row).toList();
	}

	/** The issuers of JSON web tokens that are credentials. */
	public List<Issuer> issuers() {
		return (this.jwts != null) ? List
			.of(new Issuer(this.jwts.issuer(), this.jwts.audience(), this.jwts.keys(), this.jwts.areKeysValid()))
				: List.of();
	}

	private static Row row(Access.Entry entry) {
		Principal principal = entry.principal();
		Principal.Rights rights = principal.rights();
		List<TokenRow> tokens = entry.tokens()
			.stream()
			.map((token) -> new TokenRow(token.shown(), token.end(), token.lastUse()))
			.toList();
		return new Row(principal.name(),
				new RightsRow(rights.read().words(), rights.write().words(), rights.metrics(), rights.admin()),
				principal.limits().requestsPerSecond(), principal.limits().share(), new CredentialsRow(tokens,
						entry.settings().credentials().certificates(), entry.settings().credentials().jwt()));
	}

	/**
	 * A principal.
	 *
	 * @param principal its name
	 * @param requestsPerSecond most requests in a second, {@code null} for no limit
	 * @param share most of the requests and bytes in flight
	 */
	public record Row(String principal, @JsonUnwrapped RightsRow rights, @Nullable Integer requestsPerSecond,
			double share, @JsonUnwrapped CredentialsRow credentials) {
	}

	/**
	 * The rights of a principal.
	 *
	 * @param read prefixes of the keys that it may read, or the word {@code all}
	 * @param write prefixes of the keys that it may write, or the word {@code all}
	 * @param metrics whether it may read meters and the state of the node
	 * @param admin whether it may command the node
	 */
	public record RightsRow(List<String> read, List<String> write, boolean metrics, boolean admin) {
	}

	/**
	 * The credentials of a principal.
	 *
	 * @param tokens its tokens
	 * @param certificates alternative names of its certificates
	 * @param jwt subjects of its JSON web tokens
	 */
	public record CredentialsRow(List<TokenRow> tokens, List<String> certificates, List<String> jwt) {
	}

	/**
	 * An issuer of JSON web tokens.
	 *
	 * @param issuer the claim {@code iss} of its tokens
	 * @param audience the audience that they must name
	 * @param keys number of its keys
	 * @param valid whether the keys could be used when they were read the last time
	 */
	public record Issuer(String issuer, String audience, int keys, boolean valid) {
	}

	/**
	 * A token.
	 *
	 * @param sha256 the first 8 hexadecimal digits of its hash
	 * @param until instant from which it is void, {@code null} for none
	 * @param lastUse its last use since the node started, {@code null} for none
	 */
	public record TokenRow(String sha256, @Nullable Instant until, @Nullable Instant lastUse) {
	}

}
