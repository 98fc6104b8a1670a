package io.quorate.security.jwt;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Objects;

import javax.net.ssl.SSLContext;

import io.quorate.clock.TimeSource;
import io.quorate.security.SecurityProperties.Jwt;
import io.quorate.security.SecurityProperties;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Watches the keys of the issuer of JSON web tokens, if there is one. */
@Configuration(proxyBeanMethods = false)
class JwtConfiguration {

	private static final Duration FILE_INTERVAL = Duration.ofSeconds(5);

	private static final Duration FILE_GAP = Duration.ofSeconds(1);

	private static final Duration ADDRESS_INTERVAL = Duration.ofMinutes(1);

	private static final Duration ADDRESS_GAP = Duration.ofSeconds(30);

	private static final Duration DEADLINE = Duration.ofSeconds(5);

	@Bean
	@ConditionalOnProperty("quorate.security.jwt.issuer")
	Jwts jwts(SecurityProperties properties, ObjectProvider<SslBundles> bundles) {
		Jwt jwt = Objects.requireNonNull(properties.jwt());
		return new Jwts(new JwtCheck(String.valueOf(jwt.issuer()), jwt.audience()), keys(jwt, bundles),
				TimeSource.SYSTEM, Jwts.DEADLINE);
	}

	private static WatchedKeys keys(Jwt jwt, ObjectProvider<SslBundles> bundles) {
		if (jwt.jwkSetUri() != null) {
			KeySource address = new KeyAddress(URI.create(jwt.jwkSetUri()), () -> trust(jwt.jwkSetBundle(), bundles),
					DEADLINE);
			return new WatchedKeys(address, ADDRESS_GAP, System::nanoTime).watched(ADDRESS_INTERVAL);
		}
		KeySource file = new KeyFile(Path.of(String.valueOf(jwt.jwkSetFile())));
		return new WatchedKeys(file, FILE_GAP, System::nanoTime).required().watched(FILE_INTERVAL);
	}

	private static SSLContext trust(@Nullable String bundle, ObjectProvider<SslBundles> bundles) {
		try {
			return (bundle != null) ? bundles.getObject().getBundle(bundle).createSslContext()
					: SSLContext.getDefault();
		}
		catch (NoSuchAlgorithmException impossible) {
			throw new IllegalStateException("every JDK has a default context", impossible);
		}
	}

	/**
	 * A file with the keys of an issuer.
	 *
	 * @param path its path
	 */
	private record KeyFile(Path path) implements KeySource {

		/* A pipe would keep the thread for ever. */
		@Override
		public byte[] content() throws IOException {
			if (Files.exists(this.path) && !Files.isRegularFile(this.path)) {
				throw new IOException("it is no regular file");
			}
			try (InputStream in = Files.newInputStream(this.path)) {
				return in.readNBytes(IssuerKeys.MAX_BYTES + 1);
			}
		}

		@Override
		public String name() {
			return this.path.toString();
		}

	}

}
