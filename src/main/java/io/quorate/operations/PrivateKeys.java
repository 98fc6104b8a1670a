package io.quorate.operations;

import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.quorate.security.SecretFiles;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.ssl.JksSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.SslProperties;

/** The check of the files with private keys, of all bundles of certificates. */
final class PrivateKeys {

	private static final String FILE = "file:";

	private static final String PEM = "-BEGIN";

	/* Of two letters at least: one would be a drive. */
	private static final Pattern SCHEME = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]+:");

	private PrivateKeys() {
	}

	/** Warns of each file with a key that every user of this machine can read. */
	static void warnOfReaders(SslProperties ssl) {
		Stream
			.concat(ssl.getBundle().getPem().values().stream().map(PrivateKeys::location),
					ssl.getBundle().getJks().values().stream().map(PrivateKeys::location))
			.filter(Objects::nonNull)
			.map(PrivateKeys::file)
			.filter(Objects::nonNull)
			.distinct()
			.forEach((file) -> SecretFiles.warnOfReaders("private key", file));
	}

	private static @Nullable String location(PemSslBundleProperties bundle) {
		return bundle.getKeystore().getPrivateKey();
	}

	private static @Nullable String location(JksSslBundleProperties bundle) {
		return bundle.getKeystore().getLocation();
	}

	/*
	 * A key may also stand in the property itself, in either of two forms, or in the
	 * class path.
	 */
	private static @Nullable Path file(String location) {
		String path = location.startsWith(FILE) ? location.substring(FILE.length()) : location;
		return (path.contains(PEM) || SCHEME.matcher(path).lookingAt()) ? null : Path.of(path);
	}

}
