package io.quorate.security.access;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import io.quorate.entry.Key;
import io.quorate.security.access.AccessSettings.KeySettings;
import io.quorate.security.access.AccessSettings.LimitSettings;
import io.quorate.security.access.AccessSettings.PrincipalSettings;
import io.quorate.security.access.AccessSettings.TokenSettings;
import org.jspecify.annotations.Nullable;

/**
 * Reads an access file, strictly: a name that is not known, a credential that occurs
 * twice or a rule that means nothing is refused with its place. Such a mistake must not
 * become a right or a lockout.
 */
final class AccessReader {

	static final int MAX_BYTES = 1024 * 1024;

	static final int MAX_PRINCIPALS = 1000;

	static final int MAX_PREFIXES = 32;

	static final int MAX_TOKENS = 2;

	static final int MAX_NAMES = 32;

	static final int MAX_SUBJECT = 256;

	private static final Pattern SHA256 = Pattern.compile("[0-9a-fA-F]{64}");

	private static final Pattern CERTIFICATE_NAME = Pattern.compile("(dns|uri):\\S+");

	private static final String NO_DAY = "until is a day, such as 2027-06-01";

	/* A year has four digits. */
	private static final int DAY_LENGTH = 10;

	private static final double DEFAULT_SHARE = 0.5;

	private static final double ANONYMOUS_SHARE = 0.25;

	private final Access before;

	/* The place of each hash and name. */
	private final Map<String, String> taken = new HashMap<>();

	/* Each name by its letters and digits. */
	private final Map<String, String> names = new HashMap<>();

	private AccessReader(Access before) {
		// The principal of an open node has every right, but no settings that say so.
		this.before = (before == Access.OPEN) ? Access.NONE : before;
	}

	/**
	 * The access that a file grants.
	 * @param content the bytes of the file
	 * @param before the access of the file before, {@link Access#NONE} for the first one:
	 * the last uses of its tokens go on, and a principal about which the file says the
	 * same stays as it is
	 * @throws AccessFileException when it grants nothing that is certain; the message
	 * names the place, and no secret
	 */
	static Access read(byte[] content, Access before) {
		if (content.length > MAX_BYTES) {
			throw new AccessFileException("it has more than %d bytes".formatted(MAX_BYTES));
		}
		try {
			return new AccessReader(before).access(AccessDocument.read(content));
		}
		catch (AccessFileException wrong) {
			throw wrong;
		}
		catch (RuntimeException bug) {
			// Its message may quote the file.
			throw new AccessFileException("it cannot be understood: " + bug.getClass().getSimpleName());
		}
	}

	private Access access(AccessSettings settings) {
		if (settings.principals().isEmpty()) {
			throw new AccessFileException("it names no principals");
		}
		if (settings.principals().size() > MAX_PRINCIPALS) {
			throw new AccessFileException("it names %d principals, at most %d are allowed"
				.formatted(settings.principals().size(), MAX_PRINCIPALS));
		}
		List<Access.Entry> entries = new ArrayList<>();
		settings.principals().forEach((name, principal) -> {
			requireOneSpelling(name);
			entries.add(entry(name, principal));
		});
		return new Access(entries);
	}

	/*
	 * Who reads the file would take one for the other.
	 */
	private void requireOneSpelling(String name) {
		String other = this.names.putIfAbsent(name.replace("-", ""), name);
		if (other != null) {
			throw refused("principals." + name, "the name differs from that of %s by dashes only".formatted(other));
		}
	}

	private Access.Entry entry(String name, PrincipalSettings settings) {
		String place = "principals." + name;
		requireAtMost(MAX_TOKENS, settings.credentials().tokens(), place + ".tokens");
		requireAtMost(MAX_NAMES, settings.credentials().certificates(), place + ".certificates");
		requireAtMost(MAX_NAMES, settings.credentials().jwt(), place + ".jwt");
		if (name.equals(Principal.ANONYMOUS)) {
			require(!settings.rights().admin(), place, "requests without credentials must not have the right admin");
			require(settings.credentials().areNone(), place,
					"it stands for requests without credentials, and has none");
		}
		Access.Entry earlier = this.before.named(name);
		Access.Entry same = (earlier != null && earlier.settings().equals(settings)) ? earlier : null;
		requireCertificates(settings.credentials().certificates(), place);
		requireSubjects(settings.credentials().jwt(), place);
		return new Access.Entry((same != null) ? same.principal() : principal(name, settings, place),
				tokens(settings.credentials().tokens(), (earlier != null) ? earlier.tokens() : List.of(), place),
				(same != null) ? same.settings() : settings);
	}

	private static Principal principal(String name, PrincipalSettings settings, String place) {
		KeyPrefixes read = prefixes(settings.rights().read(), place + ".read");
		KeyPrefixes write = settings.rights().write().equals(settings.rights().read()) ? read
				: prefixes(settings.rights().write(), place + ".write");
		return new Principal(name,
				new Principal.Rights(read, write, settings.rights().metrics(), settings.rights().admin()),
				limits(settings.limits(), name, place + ".limits"));
	}

	private List<TokenHash> tokens(List<TokenSettings> tokens, List<TokenHash> earlier, String of) {
		List<TokenHash> hashes = new ArrayList<>();
		for (TokenSettings token : tokens) {
			String place = of + ".tokens[" + hashes.size() + "]";
			String sha256 = token.sha256();
			require(sha256 != null && SHA256.matcher(sha256).matches(), place,
					"sha256 has 64 hexadecimal digits, the SHA-256 of the whole token (quorate token prints it)");
			byte[] hash = HexFormat.of().parseHex(String.valueOf(sha256));
			take(HexFormat.of().formatHex(hash), place, "the hash");
			hashes.add(new TokenHash(hash, end(token.until(), place)).after(earlier));
		}
		return List.copyOf(hashes);
	}

	private static @Nullable Instant end(@Nullable String until, String place) {
		if (until == null) {
			return null;
		}
		try {
			require(until.length() == DAY_LENGTH, place, NO_DAY);
			return LocalDate.parse(until).plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
		}
		catch (DateTimeException noDate) {
			throw refused(place, NO_DAY);
		}
	}

	private void requireCertificates(List<String> names, String of) {
		int at = 0;
		for (String name : names) {
			String place = of + ".certificates[" + at++ + "]";
			require(CERTIFICATE_NAME.matcher(name).matches(), place,
					"a name of a certificate begins with dns: or uri:, such as dns:payments.shop.svc");
			require(!name.startsWith("dns:") || name.equals(name.toLowerCase(Locale.ROOT)), place,
					"the names of hosts are compared in small letters");
			take(name, place, "the name");
		}
	}

	private void requireSubjects(List<String> subjects, String of) {
		int at = 0;
		for (String subject : subjects) {
			String place = of + ".jwt[" + at++ + "]";
			require(!subject.isBlank() && subject.length() <= MAX_SUBJECT, place,
					"a subject of JSON web tokens has 1 to " + MAX_SUBJECT + " characters");
			take("jwt " + subject, place, "the subject");
		}
	}

	private void take(String credential, String place, String noun) {
		String before = this.taken.putIfAbsent(credential, place);
		if (before != null) {
			throw refused(place, "%s stands at %s, too".formatted(noun, before));
		}
	}

	private static KeyPrefixes prefixes(KeySettings keys, String place) {
		if (keys.isAll()) {
			return KeyPrefixes.ALL;
		}
		requireAtMost(MAX_PREFIXES, keys.prefixes(), place);
		List<Key> prefixes = new ArrayList<>();
		for (String prefix : keys.prefixes()) {
			byte[] bytes = prefix.getBytes(StandardCharsets.UTF_8);
			require(bytes.length > 0, place, "a prefix is empty: write all for all keys");
			require(bytes.length <= Key.MAX_SIZE_BYTES, place, "a prefix is longer than any key");
			prefixes.add(Key.wrap(bytes));
		}
		return KeyPrefixes.of(prefixes);
	}

	private static Principal.Limits limits(LimitSettings limits, String name, String place) {
		double share = name.equals(Principal.ANONYMOUS) ? ANONYMOUS_SHARE : DEFAULT_SHARE;
		if (limits.share() != null) {
			share = limits.share();
			require(share > 0 && share <= 1, place, "share is above 0 and at most 1");
		}
		Integer rate = limits.requestsPerSecond();
		require(rate == null || rate > 0, place, "requests-per-second is at least 1");
		return new Principal.Limits(rate, share);
	}

	private static void requireAtMost(int most, List<?> list, String place) {
		if (list.size() > most) {
			throw refused(place, "it has %d elements, at most %d are allowed".formatted(list.size(), most));
		}
	}

	private static void require(boolean holds, String place, String otherwise) {
		if (!holds) {
			throw refused(place, otherwise);
		}
	}

	private static AccessFileException refused(String place, String reason) {
		return new AccessFileException(place + ": " + reason);
	}

}
