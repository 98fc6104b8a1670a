package io.quorate.operations;

import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

import io.quorate.security.SecretFiles;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.ssl.JksSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.SslProperties;

/** The check of the files with private keys, of all bundles of certificates. */
final class PrivateKeys {

	private static final String FILE = "file:";

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

	/* A key may also stand in the property itself, or in the class path. */
	private static @Nullable Path file(String location) {
		if (location.startsWith("-----") || location.startsWith("classpath:")) {
			return null;
		}
		return Path.of(location.startsWith(FILE) ? location.substring(FILE.length()) : location);
	}

}
