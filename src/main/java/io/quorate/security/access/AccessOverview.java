package io.quorate.security.access;

import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/** The principals and their rights as an operator may see them: without credentials. */
public final class AccessOverview {

	private final Supplier<Access> access;

	AccessOverview(Supplier<Access> access) {
		this.access = access;
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

	private static Row row(Access.Entry entry) {
		Principal principal = entry.principal();
		Principal.Rights rights = principal.rights();
		List<TokenRow> tokens = entry.tokens()
			.stream()
			.map((token) -> new TokenRow(token.shown(), token.end(), token.lastUse()))
			.toList();
		return new Row(principal.name(), rights.read().words(), rights.write().words(), rights.metrics(),
				rights.admin(), principal.limits().requestsPerSecond(), principal.limits().share(), tokens,
				entry.settings().certificates());
	}

	/**
	 * A principal.
	 *
	 * @param principal its name
	 * @param read prefixes of the keys that it may read, or the word {@code all}
	 * @param write prefixes of the keys that it may write, or the word {@code all}
	 * @param metrics whether it may read meters and the state of the node
	 * @param admin whether it may command the node
	 * @param requestsPerSecond most requests in a second, {@code null} for no limit
	 * @param share most of the requests and bytes in flight
	 * @param tokens its tokens
	 * @param certificates alternative names of its certificates
	 */
	public record Row(String principal, List<String> read, List<String> write, boolean metrics, boolean admin,
			@Nullable Integer requestsPerSecond, double share, List<TokenRow> tokens, List<String> certificates) {
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
