package io.quorate.spring.boot.autoconfigure;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;

/** The connection that the properties describe. */
final class PropertiesQuorateConnectionDetails implements QuorateConnectionDetails {

	private final QuorateProperties properties;

	private final Function<String, SslBundle> bundles;

	PropertiesQuorateConnectionDetails(QuorateProperties properties, Function<String, SslBundle> bundles) {
		this.properties = properties;
		this.bundles = bundles;
	}

	@Override
	public List<String> getEndpoints() {
		return this.properties.getEndpoints();
	}

	@Override
	public @Nullable String getToken() {
		return this.properties.getToken();
	}

	@Override
	public @Nullable Path getTokenFile() {
		return this.properties.getTokenFile();
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		String name = this.properties.getSsl().getBundle();
		if (name == null || name.isBlank()) {
			return null;
		}
		try {
			return this.bundles.apply(name);
		}
		catch (NoSuchSslBundleException failure) {
			throw new InvalidQuoratePropertyException("ssl.bundle", "there is no SSL bundle of the name " + name,
					failure);
		}
	}

}
