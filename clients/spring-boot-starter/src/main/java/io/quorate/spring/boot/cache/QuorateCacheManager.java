package io.quorate.spring.boot.cache;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import io.quorate.client.QuorateAsyncClient;
import io.quorate.spring.boot.store.StoreFailures;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/**
 * The caches of an application in the cluster, each made at its first use. All
 * applications with the same prefix have the same caches. Safe for threads.
 */
public final class QuorateCacheManager implements CacheManager {

	private final QuorateAsyncClient client;

	private final String prefix;

	private final Function<String, CacheForm> forms;

	private final StoreFailures failures;

	private final ConcurrentMap<String, Cache> caches = new ConcurrentHashMap<>();

	/**
	 * Creates caches.
	 * @param client the client, which stays open
	 * @param prefix the beginning of all keys
	 * @param forms the form of each cache by its name
	 * @param failures gets what the caches swallow
	 */
	public QuorateCacheManager(QuorateAsyncClient client, String prefix, Function<String, CacheForm> forms,
			StoreFailures failures) {
		this.client = client;
		this.prefix = prefix;
		this.forms = forms;
		this.failures = failures;
	}

	@Override
	public Cache getCache(String name) {
		return this.caches.computeIfAbsent(name, (absent) -> new QuorateCache(absent, this.client,
				new CacheKeys(this.prefix, absent), this.forms.apply(absent), this.failures));
	}

	@Override
	public Collection<String> getCacheNames() {
		return Set.copyOf(this.caches.keySet());
	}

}
