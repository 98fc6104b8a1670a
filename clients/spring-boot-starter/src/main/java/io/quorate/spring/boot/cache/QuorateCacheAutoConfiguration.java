package io.quorate.spring.boot.cache;

import io.quorate.client.QuorateAsyncClient;
import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import io.quorate.spring.boot.autoconfigure.QuorateProperties;
import io.quorate.spring.boot.store.JavaCodec;
import io.quorate.spring.boot.store.JsonCodec;
import io.quorate.spring.boot.store.QuorateStoreAutoConfiguration;
import io.quorate.spring.boot.store.StoreFailures;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ResourceLoader;

/** Auto-configuration of the caches, for an application that asks for them. */
@AutoConfiguration(after = { QuorateAutoConfiguration.class, QuorateStoreAutoConfiguration.class },
		beforeName = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
@ConditionalOnBooleanProperty("quorate.client.cache.enabled")
@ConditionalOnProperty(name = "spring.cache.type", havingValue = "quorate", matchIfMissing = true)
@ConditionalOnBean({ CacheAspectSupport.class, QuorateAsyncClient.class })
@ConditionalOnMissingBean(value = CacheManager.class, name = "cacheResolver")
public final class QuorateCacheAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	CacheCodecs quorateCacheCodecs(QuorateProperties properties, BeanFactory beans, ResourceLoader loader) {
		return (cache) -> {
			Class<?> type = properties.getCache().getTypes().get(cache);
			return (type != null) ? JsonCodec.of(beans, type) : new JavaCodec(loader.getClassLoader());
		};
	}

	@Bean
	QuorateCacheManager cacheManager(QuorateAsyncClient client, QuorateProperties properties, CacheCodecs codecs,
			StoreFailures failures) {
		QuorateProperties.Cache cache = properties.getCache();
		return new QuorateCacheManager(
				client, cache.getPrefix(), (name) -> new CacheForm(codecs.of(name),
						cache.getTtls().getOrDefault(name, cache.getTtl()), cache.isIdle(), cache.getTimeout()),
				failures);
	}

}
