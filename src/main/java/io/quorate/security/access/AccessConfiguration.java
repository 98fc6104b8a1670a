package io.quorate.security.access;

import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

import io.quorate.clock.TimeSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.security.SecurityProperties;
import io.quorate.security.jwt.Jwts;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Makes the gate, and watches the access file if there is one. */
@Configuration(proxyBeanMethods = false)
class AccessConfiguration {

	@Bean
	Audit audit() {
		return new Audit(System::nanoTime);
	}

	@Bean
	@ConditionalOnProperty("quorate.security.access")
	AccessFile accessFile(SecurityProperties properties, Audit audit, MeterRegistry meters) {
		ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
				(task) -> Thread.ofPlatform().name("access-file").daemon().unstarted(task));
		return new AccessFile(Path.of(String.valueOf(properties.access())), thread, audit, TimeSource.SYSTEM, meters);
	}

	@Bean
	Gate gate(ObjectProvider<AccessFile> file, ObjectProvider<Jwts> jwts, Audit audit, MeterRegistry meters) {
		Supplier<Access> access = access(file.getIfAvailable());
		SecurityMeters.OPEN.gauge(meters, access, (present) -> (present.get() == Access.OPEN) ? 1 : 0);
		Jwts tokens = jwts.getIfAvailable();
		if (tokens != null) {
			SecurityMeters.JWT_KEYS_VALID.gauge(meters, tokens, (present) -> present.areKeysValid() ? 1 : 0);
		}
		return new Gate(new Identities(access, tokens), audit, new AccessMetrics(meters), TimeSource.SYSTEM,
				System::nanoTime);
	}

	@Bean
	AccessOverview accessOverview(ObjectProvider<AccessFile> file, ObjectProvider<Jwts> jwts) {
		return new AccessOverview(new Identities(access(file.getIfAvailable()), jwts.getIfAvailable()));
	}

	private static Supplier<Access> access(@Nullable AccessFile file) {
		return (file != null) ? file::access : () -> Access.OPEN;
	}

}
