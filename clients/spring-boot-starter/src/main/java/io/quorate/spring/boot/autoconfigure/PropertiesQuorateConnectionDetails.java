package io.quorate.spring.boot.autoconfigure;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** The connection that the properties describe. */
final class PropertiesQuorateConnectionDetails implements QuorateConnectionDetails {

	private final QuorateProperties properties;

	private final ObjectProvider<SslBundles> bundles;

	PropertiesQuorateConnectionDetails(QuorateProperties properties, ObjectProvider<SslBundles> bundles) {
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
			return this.bundles.getObject().getBundle(name);
		}
		catch (NoSuchSslBundleException failure) {
			throw new InvalidQuoratePropertyException("ssl.bundle", "there is no SSL bundle of the name " + name,
					failure);
		}
	}

}
