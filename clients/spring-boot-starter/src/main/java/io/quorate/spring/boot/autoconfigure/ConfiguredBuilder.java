package io.quorate.spring.boot.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

import io.quorate.client.ClientBuilder;
import io.quorate.client.QuorateClient;
import io.quorate.client.TokenException;
import io.quorate.client.Touch;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.ssl.JksSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PropertiesSslBundle;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MutuallyExclusiveConfigurationPropertiesException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.unit.DataSize;

/** A builder of clients that gets its settings from properties and connection details. */
public final class ConfiguredBuilder {

	private static final Duration SHORTEST_LEASE = Duration.ofSeconds(5);

	private final ClientBuilder builder = QuorateClient.builder();

	private final QuorateProperties properties;

	private final List<QuorateConnectionDetails> connections;

	private ConfiguredBuilder(QuorateProperties properties, List<QuorateConnectionDetails> connections) {
		this.properties = properties;
		this.connections = connections;
	}

	/**
	 * Returns a builder with all settings.
	 * @throws InvalidQuoratePropertyException if a property is invalid
	 */
	static ClientBuilder of(QuorateProperties properties, List<QuorateConnectionDetails> connections) {
		ConfiguredBuilder configured = new ConfiguredBuilder(properties, connections);
		configured.connect();
		configured.limit();
		configured.setConsistency();
		configured.setTimes();
		return configured.builder;
	}

	/**
	 * Returns a builder for the time before there is a context: by the properties alone.
	 * @param binder the properties that there are by then
	 * @throws InvalidQuoratePropertyException if a property is invalid
	 */
	public static ClientBuilder of(Binder binder) {
		QuorateProperties properties = binder.bind(QuorateProperties.PREFIX, QuorateProperties.class)
			.orElseGet(QuorateProperties::new);
		return of(properties,
				List.of(new PropertiesQuorateConnectionDetails(properties, (name) -> bundle(binder, name))));
	}

	private static SslBundle bundle(Binder binder, String name) {
		String path = "spring.ssl.bundle.";
		return binder.bind(path + "pem." + name, PemSslBundleProperties.class)
			.map(PropertiesSslBundle::get)
			.orElseGet(() -> binder.bind(path + "jks." + name, JksSslBundleProperties.class)
				.map(PropertiesSslBundle::get)
				.orElseThrow(() -> new NoSuchSslBundleException(name, "there is no SSL bundle of the name " + name)));
	}

	private void connect() {
		set("endpoints", this.connections.stream().flatMap((each) -> each.getEndpoints().stream()).distinct().toList(),
				this.builder::endpoints);
		String token = first(QuorateConnectionDetails::getToken);
		Path file = first(QuorateConnectionDetails::getTokenFile);
		MutuallyExclusiveConfigurationPropertiesException.throwIfMultipleNonNullValuesIn((entries) -> {
			entries.put(QuorateProperties.PREFIX + ".token", token);
			entries.put(QuorateProperties.PREFIX + ".token-file", file);
		});
		set("token", token, this.builder::token);
		set("token-file", file, this.builder::tokenFile);
		SslBundle bundle = first(QuorateConnectionDetails::getSslBundle);
		set("ssl.bundle", bundle, (present) -> this.builder.sslContext(present.createSslContext()));
	}

	private <T> @Nullable T first(Function<QuorateConnectionDetails, @Nullable T> part) {
		Optional<T> first = this.connections.stream()
			.flatMap((each) -> Optional.ofNullable(part.apply(each)).stream())
			.findFirst();
		return first.orElse(null);
	}

	private void limit() {
		set("connections", this.properties.getConnections(), this.builder::connections);
		set("shuffle", this.properties.isShuffle(), this.builder::shuffle);
		set("max-answer-size", this.properties.getMaxAnswerSize(),
				(size) -> this.builder.options((options) -> options.maxAnswerSize(bytes(size))));
	}

	private static int bytes(DataSize size) {
		if (size.toBytes() > Integer.MAX_VALUE) {
			throw new IllegalArgumentException("it must be below 2 GiB, not " + size);
		}
		return (int) size.toBytes();
	}

	private void setConsistency() {
		Integer ack = this.properties.getAck();
		Integer from = this.properties.getFrom();
		set("from", from, (nodes) -> this.builder.options((options) -> options.from(nodes)));
		set("ack", ack, (replicas) -> this.builder.options((options) -> options.ack(replicas)));
		if (ack != null && from != null && ack > from) {
			throw new InvalidQuoratePropertyException("ack",
					"it must be at most " + QuorateProperties.PREFIX + ".from, which is " + from + ", not " + ack,
					null);
		}
		this.builder.options((options) -> options.repeatUnknown(this.properties.isRepeatUnknown()));
	}

	private void setTimes() {
		set("deadline", this.properties.getDeadline(),
				(time) -> this.builder.options((options) -> options.deadline(time)));
		set("stall-timeout", this.properties.getStallTimeout(),
				(time) -> this.builder.options((options) -> options.stallTimeout(time)));
		set("node-timeout", this.properties.getNodeTimeout(),
				(time) -> this.builder.options((options) -> options.nodeTimeout(time)));
		// The times of single calls: they get the same checks here, and no place in the
		// builder.
		set("health.timeout", this.properties.getHealth().getTimeout(), ConfiguredBuilder::checkDeadline);
		QuorateProperties.Cache cache = this.properties.getCache();
		set("cache.timeout", cache.getTimeout(), ConfiguredBuilder::checkDeadline);
		set("cache.ttl", cache.getTtl(), ConfiguredBuilder::checkTtl);
		cache.getTtls().forEach((name, ttl) -> set("cache.ttls." + name, ttl, ConfiguredBuilder::checkTtl));
		set("lock.ttl", this.properties.getLock().getTtl(), ConfiguredBuilder::checkLease);
	}

	private static void checkDeadline(Duration time) {
		QuorateClient.builder().options((options) -> options.deadline(time));
	}

	private static void checkTtl(Duration time) {
		Touch.of("any", time);
	}

	private static void checkLease(Duration time) {
		checkTtl(time);
		if (time.compareTo(SHORTEST_LEASE) < 0) {
			throw new IllegalArgumentException("it must be at least 5 seconds, not " + time);
		}
	}

	/* The checks are those of the client; here they get the name of the property. */
	private static <T> void set(String name, @Nullable T value, Consumer<T> setter) {
		if (value == null) {
			return;
		}
		try {
			setter.accept(Objects.requireNonNull(value));
		}
		catch (IllegalArgumentException | IllegalStateException | TokenException failure) {
			throw new InvalidQuoratePropertyException(name, failure.getMessage(), failure);
		}
	}

}
