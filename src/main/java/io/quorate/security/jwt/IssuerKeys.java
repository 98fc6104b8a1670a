package io.quorate.security.jwt;

import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.HashMap;
import java.util.Map;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import org.jspecify.annotations.Nullable;

/**
 * The public keys of an issuer at one moment, by their names ({@code kid}). Immutable: a
 * change of the keys makes another one.
 */
final class IssuerKeys {

	/** No keys: every token is refused. */
	static final IssuerKeys NONE = new IssuerKeys(Map.of());

	static final int MAX_BYTES = 256 * 1024;

	static final int MAX_KEYS = 64;

	private final Map<String, IssuerKey> byName;

	private IssuerKeys(Map<String, IssuerKey> byName) {
		this.byName = Map.copyOf(byName);
	}

	/**
	 * Reads a JSON Web Key Set.
	 * @throws JwtKeysException when it cannot be used
	 */
	static IssuerKeys read(byte[] content) {
		if (content.length > MAX_BYTES) {
			throw new JwtKeysException("they have more than %d bytes".formatted(MAX_BYTES));
		}
		Map<String, IssuerKey> byName = new HashMap<>();
		for (JWK published : parsed(content).getKeys()) {
			if (published.isPrivate()) {
				throw new JwtKeysException("there is a private or secret key: only the issuer may have it");
			}
			IssuerKey key = IssuerKey.of(published);
			if (key != null) {
				put(byName, published.getKeyID(), key);
			}
		}
		if (byName.isEmpty() || byName.size() > MAX_KEYS) {
			throw new JwtKeysException("there are %d keys for RS256 (from 2048 bits) or ES256, not 1 to %d"
				.formatted(byName.size(), MAX_KEYS));
		}
		return new IssuerKeys(byName);
	}

	private static void put(Map<String, IssuerKey> byName, @Nullable String name, IssuerKey key) {
		if (name == null || name.isEmpty()) {
			throw new JwtKeysException("a key has no name (kid)");
		}
		if (byName.put(name, key) != null) {
			throw new JwtKeysException("two keys have the same name (kid)");
		}
	}

	private static JWKSet parsed(byte[] content) {
		try {
			return JWKSet.parse(new String(content, StandardCharsets.UTF_8));
		}
		catch (ParseException | RuntimeException | StackOverflowError broken) {
			throw new JwtKeysException("they are no JSON Web Key Set");
		}
	}

	/** These keys; one that was there before is the same object. */
	IssuerKeys after(IssuerKeys before) {
		Map<String, IssuerKey> merged = new HashMap<>(this.byName);
		merged.replaceAll((name, key) -> {
			IssuerKey earlier = before.byName.get(name);
			return (earlier != null && earlier.isSameAs(key)) ? earlier : key;
		});
		return new IssuerKeys(merged);
	}

	/** The key of a name, {@code null} when there is none. */
	@Nullable IssuerKey named(String name) {
		return this.byName.get(name);
	}

	int size() {
		return this.byName.size();
	}

}
