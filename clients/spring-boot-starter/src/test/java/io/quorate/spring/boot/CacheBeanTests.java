package io.quorate.spring.boot;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.client.Codec;
import io.quorate.client.QuorateException;
import io.quorate.spring.boot.cache.CacheCodecs;
import io.quorate.spring.boot.cache.QuorateCacheAutoConfiguration;
import io.quorate.spring.boot.cache.QuorateCacheManager;
import io.quorate.spring.boot.metrics.QuorateMetricsAutoConfiguration;
import io.quorate.spring.boot.store.QuorateStoreAutoConfiguration;
import io.quorate.spring.boot.store.StoreFailures;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.cache.interceptor.SimpleCacheResolver;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The caches of an application: when it has them, and what it sees of a dead node. */
class CacheBeanTests extends NodeTests {

	private static final String ENABLED = "quorate.client.cache.enabled=true";

	private static ApplicationContextRunner caching() {
		return contexts()
			.withConfiguration(AutoConfigurations.of(CacheAutoConfiguration.class, QuorateCacheAutoConfiguration.class,
					QuorateStoreAutoConfiguration.class))
			.withUserConfiguration(Caching.class);
	}

	@Test
	void classPathIsNoConsent() {
		caching().run((context) -> assertThat(context).hasSingleBean(CacheManager.class)
			.doesNotHaveBean(QuorateCacheManager.class));
		caching().withPropertyValues("quorate.client.cache.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(QuorateCacheManager.class));
	}

	@Test
	void propertyHasTheCachesInTheCluster() {
		caching().withPropertyValues(ENABLED)
			.run((context) -> assertThat(context.getBean(CacheManager.class)).isInstanceOf(QuorateCacheManager.class));
	}

	@Test
	void applicationWithoutCachingHasNoManager() {
		contexts()
			.withConfiguration(
					AutoConfigurations.of(QuorateCacheAutoConfiguration.class, QuorateStoreAutoConfiguration.class))
			.withPropertyValues(ENABLED)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(CacheManager.class));
	}

	@Test
	void managerOrResolverOfTheApplicationTakesThePlaceOfOurs() {
		ConcurrentMapCacheManager own = new ConcurrentMapCacheManager();
		caching().withPropertyValues(ENABLED)
			.withBean("own", CacheManager.class, () -> own)
			.run((context) -> assertThat(context.getBean(CacheManager.class)).isSameAs(own));
		caching().withPropertyValues(ENABLED)
			.withBean("cacheResolver", CacheResolver.class, () -> new SimpleCacheResolver(own))
			.withBean(CachingConfigurer.class, () -> new CachingConfigurer() {

				@Override
				public CacheResolver cacheResolver() {
					return new SimpleCacheResolver(own);
				}

			})
			.run((context) -> assertThat(context).doesNotHaveBean(QuorateCacheManager.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "none", "simple" })
	void typeOfTheCachesTakesThePlaceOfOurs(String type) {
		caching().withPropertyValues(ENABLED, "spring.cache.type=" + type)
			.run((context) -> assertThat(context).hasSingleBean(CacheManager.class)
				.doesNotHaveBean(QuorateCacheManager.class));
	}

	@Test
	void codecsOfTheApplicationTakeThePlaceOfTypes() {
		TestNode node = node();
		caching()
			.withPropertyValues(ENABLED, endpoints(node.url()), "quorate.client.cache.types.books=java.lang.Integer")
			.withBean(CacheCodecs.class, () -> (cache) -> new Upper())
			.run((context) -> assertThat(context.getBean(QuorateCacheManager.class).getCache("books").get("k"))
				.extracting(Cache.ValueWrapper::get)
				.isEqualTo("RED"));
	}

	@Test
	void withoutJacksonValuesAreSerialized() {
		applicationWithout("tools.jackson").withUserConfiguration(Caching.class)
			.withPropertyValues(ENABLED)
			.run((context) -> assertThat(context.getBean(QuorateCacheManager.class).getCache("books")).isNotNull());
	}

	@Test
	void deadNodeIsAMissAndIsCounted() {
		caching().withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withConfiguration(AutoConfigurations.of(QuorateMetricsAutoConfiguration.class))
			.withPropertyValues(ENABLED, endpoints(unusedUrl()))
			.run((context) -> {
				Cache cache = context.getBean(QuorateCacheManager.class).getCache("books");
				assertThat(cache.get("k")).isNull();
				assertThat(cache.get("k", () -> "loaded")).isEqualTo("loaded");
				assertThat(Objects.requireNonNull(cache.retrieve("k")).join()).isNull();
				cache.put("k", "v");
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(
						registry.get(StoreFailures.METER).tags("store", "books", "operation", "get").counter().count())
					.isEqualTo(3);
				assertThat(
						registry.get(StoreFailures.METER).tags("store", "books", "operation", "put").counter().count())
					.isEqualTo(1);
				assertThatExceptionOfType(QuorateException.class).isThrownBy(() -> cache.evict("k"));
				assertThatExceptionOfType(QuorateException.class).isThrownBy(() -> cache.evictIfPresent("k"));
				assertThatExceptionOfType(QuorateException.class).isThrownBy(cache::clear);
				assertThatExceptionOfType(QuorateException.class).isThrownBy(() -> cache.putIfAbsent("k", "v"));
			});
	}

	@Test
	void silentNodeIsAMissLongBeforeTheDeadlineOfTheClient() {
		TestNode node = node();
		node.fallSilent();
		caching()
			.withPropertyValues(ENABLED, endpoints(node.url()), "quorate.client.deadline=1h",
					"quorate.client.stall-timeout=1h")
			.run((context) -> {
				Cache cache = context.getBean(QuorateCacheManager.class).getCache("books");
				assertThat(cache.get("k")).isNull();
				cache.put("k", "v");
			});
	}

	@Test
	void writesOfAReactiveApplicationDoNotBlockItsThreads() {
		TestNode node = node();
		node.fallSilent();
		caching()
			.withPropertyValues(ENABLED, endpoints(node.url()), "quorate.client.deadline=1h",
					"quorate.client.stall-timeout=1h", "quorate.client.cache.timeout=1h")
			.run((context) -> {
				Cache cache = context.getBean(QuorateCacheManager.class).getCache("books");
				Mono<Boolean> writes = Mono.fromCallable(() -> {
					cache.put("k", "v");
					cache.evict("k");
					cache.clear();
					return true;
				});
				assertThat(writes.subscribeOn(Schedulers.parallel()).block(millis(60_000))).isTrue();
			});
	}

	@Test
	void reactiveMethodsAreCached() {
		TestNode node = node();
		node.answer(TestNode.ABSENT);
		caching().withPropertyValues(ENABLED, endpoints(node.url()))
			.withBean(CacheCodecs.class, () -> (cache) -> new Upper())
			.withBean(Colors.class)
			.run((context) -> {
				Colors colors = context.getBean(Colors.class);
				assertThat(colors.of("k").block(millis(60_000))).isEqualTo("computed");
				assertThat(node.received()).extracting(TestNode.Received::method).contains("GET", "PUT");
				node.answer(null);
				assertThat(colors.of("k").block(millis(60_000))).isEqualTo("RED");
			});
	}

	@Test
	void loadOfAKeyThatCanBeNoneEndsEachTime() {
		caching().withPropertyValues(ENABLED).run((context) -> {
			Cache cache = context.getBean(QuorateCacheManager.class).getCache("books");
			for (int i = 0; i < 2; i++) {
				assertThat(cache.retrieve("\ud800", () -> CompletableFuture.completedFuture("loaded")))
					.failsWithin(millis(60_000))
					.withThrowableOfType(ExecutionException.class)
					.withCauseInstanceOf(IllegalArgumentException.class);
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "evict", "evictIfPresent", "clear", "invalidate", "put", "putIfAbsent" })
	void callerJoinsNoLoadFromBeforeAChange(String change) {
		TestNode node = node();
		TestNode.Answer none = new TestNode.Answer(200, "{\"last\":true,\"records\":0}\n",
				Map.of("Content-Type", "application/x-ndjson"));
		node.follow((request) -> switch (request.method()) {
			case "PUT" -> TestNode.WRITTEN;
			case "DELETE" -> TestNode.DELETED;
			default -> request.target().startsWith("/v0/entities") ? none : TestNode.ABSENT;
		});
		caching().withPropertyValues(ENABLED, endpoints(node.url())).run((context) -> {
			Cache cache = context.getBean(QuorateCacheManager.class).getCache("books");
			CompletableFuture<String> database = new CompletableFuture<>();
			CompletableFuture<?> isAsked = new CompletableFuture<>();
			CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> cache.get("k", () -> {
				isAsked.complete(null);
				return database.get();
			}), (task) -> new Thread(task).start());
			isAsked.get(1, TimeUnit.MINUTES);
			switch (change) {
				case "evict" -> cache.evict("k");
				case "evictIfPresent" -> cache.evictIfPresent("k");
				case "clear" -> cache.clear();
				case "invalidate" -> cache.invalidate();
				case "put" -> cache.put("k", "new");
				default -> cache.putIfAbsent("k", "new");
			}
			CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> cache.get("k", () -> "new"),
					(task) -> new Thread(task).start());
			assertThat(second).succeedsWithin(millis(60_000)).isEqualTo("new");
			database.complete("old");
			assertThat(first).succeedsWithin(millis(60_000)).isEqualTo("old");
		});
	}

	@Test
	void timesToLiveAreThoseOfTheCache() {
		TestNode node = node();
		caching().withPropertyValues(ENABLED, endpoints(node.url()), "quorate.client.cache.ttls.books=10m")
			.run((context) -> {
				context.getBean(QuorateCacheManager.class).getCache("books").put("k", "v");
				context.getBean(QuorateCacheManager.class).getCache("other").put("k", "v");
				assertThat(node.received()).extracting(TestNode.Received::target)
					.containsExactly("/v0/entity/cache%2Fbooks%2Fk?ttl=600", "/v0/entity/cache%2Fother%2Fk?ttl=3600");
			});
	}

	@Test
	void nativeImageHasTheTypesAndTheArguments() {
		GenericApplicationContext context = new GenericApplicationContext();
		context.getEnvironment().getSystemProperties().put("quorate.client.cache.types.books", Book.class.getName());
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get("example", "Application")), new InMemoryGeneratedFiles());
		try {
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		}
		finally {
			System.clearProperty("quorate.client.cache.types.books");
		}
		assertThat(RuntimeHintsPredicates.reflection().onType(Book.class)).accepts(generation.getRuntimeHints());
		assertThat(RuntimeHintsPredicates.reflection()
			.onFieldAccess(Objects.requireNonNull(ReflectionUtils.findField(SimpleKey.class, "params"))))
			.accepts(generation.getRuntimeHints());
	}

	/** A codec that an application has written. */
	private static final class Upper implements Codec<Object> {

		@Override
		public byte[] encode(Object value) {
			return value.toString().getBytes(StandardCharsets.UTF_8);
		}

		@Override
		public Object decode(byte[] bytes) {
			return new String(bytes, StandardCharsets.UTF_8).toUpperCase(Locale.ROOT);
		}

	}

	/** A value as JSON. */
	record Book(String title, List<Map<String, Integer>> pages) {
	}

	/** A component with a reactive method. */
	static class Colors {

		@Cacheable("colors")
		Mono<String> of(String key) {
			return Mono.just("computed");
		}

	}

	/** An application with caching. */
	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Caching {

	}

}
