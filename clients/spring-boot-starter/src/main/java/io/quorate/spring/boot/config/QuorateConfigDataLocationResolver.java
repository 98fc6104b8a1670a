package io.quorate.spring.boot.config;

import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;

import io.quorate.client.QuorateClient;
import io.quorate.spring.boot.autoconfigure.ConfiguredBuilder;
import io.quorate.spring.boot.autoconfigure.QuorateProperties;
import org.springframework.boot.bootstrap.BootstrapRegistry.InstanceSupplier;
import org.springframework.boot.bootstrap.ConfigurableBootstrapContext;
import org.springframework.boot.context.config.ConfigDataLocation;
import org.springframework.boot.context.config.ConfigDataLocationResolver;
import org.springframework.boot.context.config.ConfigDataLocationResolverContext;
import org.springframework.boot.context.config.Profiles;
import org.springframework.boot.context.properties.bind.Binder;

/**
 * A resolver of {@code quorate:prefix}, and of {@code prefix-profile} for each profile.
 * The client that reads both lives until there is a context.
 */
final class QuorateConfigDataLocationResolver implements ConfigDataLocationResolver<QuorateConfigDataResource> {

	static final String SCHEME = "quorate:";

	@Override
	public boolean isResolvable(ConfigDataLocationResolverContext context, ConfigDataLocation location) {
		return location.hasPrefix(SCHEME);
	}

	@Override
	public List<QuorateConfigDataResource> resolve(ConfigDataLocationResolverContext context,
			ConfigDataLocation location) {
		ConfigurableBootstrapContext bootstrap = context.getBootstrapContext();
		if (!bootstrap.isRegistered(QuorateClient.class)) {
			QuorateClient client = ConfiguredBuilder.of(context.getBinder()).build();
			bootstrap.register(QuorateClient.class, InstanceSupplier.of(client));
			bootstrap.addCloseListener((event) -> client.close());
		}
		return List.of(resource(context, location, "", false));
	}

	@Override
	public List<QuorateConfigDataResource> resolveProfileSpecific(ConfigDataLocationResolverContext context,
			ConfigDataLocation location, Profiles profiles) {
		return StreamSupport.stream(profiles.spliterator(), false)
			.map((profile) -> resource(context, location, "-" + profile, true))
			.toList();
	}

	private static QuorateConfigDataResource resource(ConfigDataLocationResolverContext context,
			ConfigDataLocation location, String suffix, boolean isOfProfile) {
		String path = location.getNonPrefixedValue(SCHEME);
		String prefix = (path.endsWith("/") ? path.substring(0, path.length() - 1) : path) + suffix + "/";
		return new QuorateConfigDataResource(prefix, isOfProfile,
				location.isOptional() ? null : deadline(context.getBinder()));
	}

	private static Duration deadline(Binder binder) {
		return binder.bind(QuorateProperties.PREFIX + ".deadline", Duration.class)
			.orElseGet(() -> new QuorateProperties().getDeadline());
	}

}
