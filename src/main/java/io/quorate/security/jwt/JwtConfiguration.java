package io.quorate.security.jwt;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

import io.quorate.clock.TimeSource;
import io.quorate.security.SecurityProperties;
import io.quorate.security.SecurityProperties.Jwt;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Watches the keys of the issuer of JSON web tokens, if there is one. */
@Configuration(proxyBeanMethods = false)
class JwtConfiguration {

	private static final Duration FILE_INTERVAL = Duration.ofSeconds(5);

	private static final Duration FILE_GAP = Duration.ofSeconds(1);

	@Bean
	@ConditionalOnProperty("quorate.security.jwt.issuer")
	Jwts jwts(SecurityProperties properties) {
		Jwt jwt = Objects.requireNonNull(properties.jwt());
		return new Jwts(new JwtCheck(String.valueOf(jwt.issuer()), jwt.audience()), keys(jwt), TimeSource.SYSTEM);
	}

	private static WatchedKeys keys(Jwt jwt) {
		KeySource file = new KeyFile(Path.of(String.valueOf(jwt.jwkSetFile())));
		return new WatchedKeys(file, FILE_GAP, System::nanoTime).required().watched(FILE_INTERVAL);
	}

}
