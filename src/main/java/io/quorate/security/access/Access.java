package io.quorate.security.access;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.quorate.security.access.AccessSettings.PrincipalSettings;
import org.jspecify.annotations.Nullable;

/**
 * The principals of a node with their credentials and rights, at one moment. Immutable: a
 * change of the file makes another one. There is no cache beside it, so a credential that
 * is not in the present one is void.
 */
final class Access {

	/** The access of no client at all. */
	static final Access NONE = new Access(List.of());

	/** A node without an access file: each client may do everything. */
	static final Access OPEN = new Access(
			List.of(new Entry(Principal.UNRESTRICTED, List.of(), PrincipalSettings.NONE)));

	/* The same work for a name that is not there. */
	private static final List<TokenHash> ABSENT = List.of(new TokenHash(new byte[TokenHash.BYTES], Instant.MIN));

	private final Map<String, Entry> byName = new HashMap<>();

	private final Map<String, Principal> byCertificate = new HashMap<>();

	private final Map<String, Principal> bySubject = new HashMap<>();

	Access(Collection<Entry> entries) {
		for (Entry entry : entries) {
			this.byName.put(entry.principal.name(), entry);
			entry.settings.credentials()
				.certificates()
				.forEach((name) -> this.byCertificate.put(name, entry.principal));
			entry.settings.credentials().jwt().forEach((subject) -> this.bySubject.put(subject, entry.principal));
		}
	}

	/** The principal of requests without credentials, {@code null} when there is none. */
	@Nullable Principal anonymous() {
		Entry entry = named(Principal.ANONYMOUS);
		return (entry != null) ? entry.principal : null;
	}

	/** The principal of a token, {@code null} when it has none or is void. */
	@Nullable Principal byToken(String name, byte[] digest, Instant now) {
		Entry entry = named(name);
		boolean found = false;
		for (TokenHash token : (entry != null) ? entry.tokens : ABSENT) {
			found |= token.matches(digest, now);
		}
		return (entry != null && found) ? entry.principal : null;
	}

	/**
	 * The principal that has names of a certificate; {@code null} when none has one, or
	 * several have.
	 */
	@Nullable Principal byCertificate(List<String> names) {
		Set<Principal> owners = new HashSet<>();
		for (String name : names) {
			Principal principal = this.byCertificate.get(name);
			if (principal != null) {
				owners.add(principal);
			}
		}
		return (owners.size() == 1) ? owners.iterator().next() : null;
	}

	/**
	 * The principal of the subject of a JSON web token, {@code null} when none has it.
	 */
	@Nullable Principal bySubject(String subject) {
		return this.bySubject.get(subject);
	}

	/** The entry of a principal, {@code null} when it has none. */
	@Nullable Entry named(String principal) {
		return this.byName.get(principal);
	}

	/** All entries by name. */
	List<Entry> entries() {
		return this.byName.values()
			.stream()
			.sorted(Comparator.comparing((Entry entry) -> entry.principal.name()))
			.toList();
	}

	/** The first instant from now on from which a token is void, if there is one. */
	Optional<Instant> firstEnd(Instant now) {
		return this.byName.values()
			.stream()
			.flatMap(Entry::ends)
			.filter((end) -> end.isAfter(now))
			.min(Comparator.naturalOrder());
	}

	/** Names of the principals that are different in another access, or only in one. */
	Changes changesTo(Access later) {
		Set<String> added = new TreeSet<>(later.byName.keySet());
		added.removeAll(this.byName.keySet());
		Set<String> removed = new TreeSet<>(this.byName.keySet());
		removed.removeAll(later.byName.keySet());
		Set<String> changed = new TreeSet<>();
		this.byName.forEach((name, before) -> {
			Entry after = later.named(name);
			if (after != null && !after.settings.equals(before.settings)) {
				changed.add(name);
			}
		});
		return new Changes(added, removed, changed);
	}

	/**
	 * A principal with its credentials.
	 *
	 * @param tokens hashes of its tokens
	 * @param settings its part of the file
	 */
	record Entry(Principal principal, List<TokenHash> tokens, PrincipalSettings settings) {

		Stream<Instant> ends() {
			return this.tokens.stream().map(TokenHash::end).filter(Objects::nonNull).map(Objects::requireNonNull);
		}

	}

	/**
	 * The differences between two files, as names of principals.
	 *
	 * @param added only in the later one
	 * @param removed only in the earlier one
	 * @param changed in both, with other credentials, rights or limits
	 */
	record Changes(Set<String> added, Set<String> removed, Set<String> changed) {

		boolean isEmpty() {
			return this.added.isEmpty() && this.removed.isEmpty() && this.changed.isEmpty();
		}

	}

}
