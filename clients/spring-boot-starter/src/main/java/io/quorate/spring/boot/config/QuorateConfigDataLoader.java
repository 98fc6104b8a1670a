package io.quorate.spring.boot.config;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.quorate.client.CallOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.RangeIterator;
import io.quorate.client.RangeQuery;
import io.quorate.client.RangeRecord;
import io.quorate.client.UnavailableException;
import org.apache.commons.logging.Log;
import org.springframework.boot.context.config.ConfigData;
import org.springframework.boot.context.config.ConfigDataLoader;
import org.springframework.boot.context.config.ConfigDataLoaderContext;
import org.springframework.boot.context.config.ConfigDataResourceNotFoundException;
import org.springframework.boot.logging.DeferredLogFactory;

/**
 * A loader of configuration from the cluster. Without a node it tries again until the
 * deadline of the client, unless the import is optional.
 */
final class QuorateConfigDataLoader implements ConfigDataLoader<QuorateConfigDataResource> {

	private static final long PAUSE_MILLIS = 500;

	private final Log log;

	QuorateConfigDataLoader(DeferredLogFactory logs) {
		this.log = logs.getLog(QuorateConfigDataLoader.class);
	}

	@Override
	public ConfigData load(ConfigDataLoaderContext context, QuorateConfigDataResource resource) {
		SortedMap<String, byte[]> values = read(
				Objects.requireNonNull(context.getBootstrapContext().get(QuorateClient.class)), resource);
		if (values.isEmpty() && !resource.mayBeEmpty()) {
			throw new ConfigDataResourceNotFoundException(resource);
		}
		ConfigValues parsed = new ConfigValues(resource.prefix());
		try {
			values.forEach(parsed::put);
		}
		catch (IllegalArgumentException failure) {
			throw new ConfigImportException(resource, failure);
		}
		QuoratePropertySource source = new QuoratePropertySource(resource.toString(), parsed);
		return resource.isOfProfile() ? new ConfigData(List.of(source), ConfigData.Option.PROFILE_SPECIFIC)
				: new ConfigData(List.of(source));
	}

	private SortedMap<String, byte[]> read(QuorateClient client, QuorateConfigDataResource resource) {
		Duration patience = resource.patience();
		long begin = System.nanoTime();
		while (true) {
			try (RangeIterator<RangeRecord> records = client.range(RangeQuery.prefix(resource.prefix()),
					CallOptions::majority)) {
				SortedMap<String, byte[]> values = new TreeMap<>();
				records.forEachRemaining((each) -> values.put(each.key(), each.value()));
				return values;
			}
			catch (UnavailableException failure) {
				if (patience == null) {
					this.log.warn(resource + " is not there yet: " + failure.getMessage());
					return new TreeMap<>();
				}
				if (System.nanoTime() - begin > patience.toNanos()) {
					throw new ConfigImportException(resource, failure);
				}
				pause(resource);
			}
			catch (QuorateException failure) {
				throw new ConfigImportException(resource, failure);
			}
		}
	}

	private static void pause(QuorateConfigDataResource resource) {
		try {
			TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
		}
		catch (InterruptedException interrupt) {
			Thread.currentThread().interrupt();
			throw new ConfigImportException(resource, interrupt);
		}
	}

}
