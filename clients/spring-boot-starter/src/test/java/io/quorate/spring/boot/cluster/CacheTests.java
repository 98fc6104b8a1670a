package io.quorate.spring.boot.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.quorate.client.Codec;
import io.quorate.client.Put;
import io.quorate.spring.boot.cache.CacheForm;
import io.quorate.spring.boot.cache.QuorateCacheManager;
import io.quorate.spring.boot.store.JavaCodec;
import io.quorate.spring.boot.store.JsonCodec;
import io.quorate.spring.boot.store.StoreFailures;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.cache.Cache;
import org.springframework.cache.Cache.ValueRetrievalException;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.cache.support.NullValue;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The contract of a cache of Spring, and what other stores got wrong. */
class CacheTests extends Stores {

	private static final Duration HOUR = Duration.ofHours(1);

	private final List<String> failures = new CopyOnWriteArrayList<>();

	private final Cache cache = cache("a", new JavaCodec(null), HOUR, false);

	private final String key = UUID.randomUUID().toString();

	private Cache cache(String name, Codec<Object> codec, @Nullable Duration ttl, boolean isIdle) {
		CacheForm form = new CacheForm(codec, ttl, isIdle, Duration.ofSeconds(20 * Cluster.SLOWNESS));
		return new QuorateCacheManager(client().async(), this.prefix, (any) -> form,
				new StoreFailures((store, operation) -> this.failures.add(store + " " + operation)))
			.getCache(name);
	}

	private Cache other(String name) {
		return cache(name, new JavaCodec(null), HOUR, false);
	}

	private void assertNull(Cache.@Nullable ValueWrapper found) {
		assertThat(found).isNotNull().extracting(Cache.ValueWrapper::get).isNull();
	}

	private Cache.@Nullable ValueWrapper retrieved() {
		return (Cache.ValueWrapper) Objects.requireNonNull(this.cache.retrieve(this.key)).join();
	}

	private static Instant expires(String id) {
		return Objects.requireNonNull(client().head(id).orElseThrow().expires());
	}

	private static @Nullable Object valueOf(Cache.@Nullable ValueWrapper found) {
		assertThat(found).isNotNull();
		return found.get();
	}

	@Test
	void nameAndClientAreThoseOfTheCache() {
		assertThat(this.cache.getName()).isEqualTo("a");
		assertThat(this.cache.getNativeCache()).isNotNull();
	}

	@Test
	void putValueIsRead() {
		assertThat(this.cache.get(this.key)).isNull();
		assertThat(this.cache.get(this.key, String.class)).isNull();
		assertThat(this.cache.get(this.key, Object.class)).isNull();
		this.cache.put(this.key, "george");
		assertThat(valueOf(this.cache.get(this.key))).isEqualTo("george");
		assertThat(this.cache.get(this.key, String.class)).isEqualTo("george");
		assertThat(this.cache.get(this.key, (Class<?>) null)).isEqualTo("george");
		assertThat(valueOf(other("a").get(this.key))).isEqualTo("george");
		assertThat(this.failures).isEmpty();
	}

	@Test
	void putNullIsNoMiss() {
		this.cache.put(this.key, null);
		assertNull(this.cache.get(this.key));
		assertThat(this.cache.get(this.key, String.class)).isNull();
		this.cache.put(this.key, BeanUtils.instantiateClass(NullValue.class));
		assertNull(this.cache.get(this.key));
		assertThat(this.cache.get(UUID.randomUUID())).as("what was never put").isNull();
	}

	@Test
	void valueOfAnotherTypeIsRefused() {
		this.cache.put(this.key, 1);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.cache.get(this.key, String.class));
	}

	@Test
	void putIfAbsentWritesOnce() {
		assertThat(this.cache.putIfAbsent(this.key, "first")).isNull();
		assertThat(valueOf(this.cache.putIfAbsent(this.key, "second"))).isEqualTo("first");
		assertThat(valueOf(this.cache.get(this.key))).isEqualTo("first");
		String other = UUID.randomUUID().toString();
		this.cache.put(other, null);
		assertNull(this.cache.putIfAbsent(other, "late"));
		assertThat(client().head(this.prefix + "a/" + this.key).orElseThrow().expires()).isNotNull();
	}

	@Test
	void evictedValueIsGone() {
		this.cache.put(this.key, "george");
		this.cache.evict(this.key);
		assertThat(this.cache.get(this.key)).isNull();
		this.cache.evict(this.key);
		assertThat(this.cache.evictIfPresent(this.key)).isFalse();
		this.cache.put(this.key, "again");
		assertThat(this.cache.evictIfPresent(this.key)).isTrue();
		assertThat(this.cache.get(this.key)).isNull();
	}

	@Test
	void clearLeavesOtherCaches() {
		List<Cache> others = List.of(other("ab"), other("a/"), other("a::b"), other("a/b"), other("a%2Fb"));
		others.forEach((each) -> each.put("b/" + this.key, each.getName()));
		for (int i = 0; i < 3; i++) {
			this.cache.put(this.key + i, i);
		}
		this.cache.put("b/" + this.key, "a");
		this.cache.clear();
		assertThat(this.cache.get(this.key + 0)).isNull();
		assertThat(this.cache.get("b/" + this.key)).isNull();
		others.forEach(
				(each) -> assertThat(valueOf(each.get("b/" + this.key))).as(each.getName()).isEqualTo(each.getName()));
	}

	@Test
	void invalidateSaysWhetherThereWasAnything() {
		assertThat(this.cache.invalidate()).isFalse();
		for (int i = 0; i < 3; i++) {
			int batch = i;
			client().batch(
					IntStream.range(0, 200).mapToObj((j) -> Put.of(this.prefix + "a/" + batch + "-" + j, "")).toList());
		}
		this.cache.put(this.key, "george");
		assertThat(this.cache.invalidate()).isTrue();
		assertThat(this.cache.get(this.key)).isNull();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void loadedValueStays(boolean isNull) {
		String loaded = isNull ? null : "test";
		assertThat(this.cache.get(this.key, () -> loaded)).isEqualTo(loaded);
		assertThat(valueOf(this.cache.get(this.key))).isEqualTo(loaded);
		assertThat(client().head(this.prefix + "a/" + this.key).orElseThrow().expires()).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void hitIsNotLoaded(boolean isNull) {
		String existing = isNull ? null : "existing";
		this.cache.put(this.key, existing);
		Callable<String> loader = () -> {
			throw new AssertionError("loaded");
		};
		assertThat(this.cache.get(this.key, loader)).isEqualTo(existing);
	}

	@Test
	void failedLoadIsThrownAndLeavesNothing() {
		Callable<String> loader = () -> {
			throw new UnsupportedOperationException("expected");
		};
		assertThatExceptionOfType(ValueRetrievalException.class).isThrownBy(() -> this.cache.get(this.key, loader))
			.withCauseInstanceOf(UnsupportedOperationException.class);
		assertThat(this.cache.get(this.key)).isNull();
		assertThat(this.cache.putIfAbsent(this.key, "afterwards")).isNull();
		assertThat(valueOf(this.cache.get(this.key))).isEqualTo("afterwards");
	}

	@Test
	void valueIsLoadedOnceByAllThreads() throws Exception {
		AtomicInteger loads = new AtomicInteger();
		CountDownLatch first = new CountDownLatch(1);
		ExecutorService threads = Executors.newFixedThreadPool(10);
		try {
			List<Future<Integer>> results = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				results.add(threads.submit(() -> this.cache.get(this.key, () -> {
					first.await();
					return loads.incrementAndGet();
				})));
			}
			first.countDown();
			for (Future<Integer> result : results) {
				assertThat(result.get(2, TimeUnit.MINUTES)).isEqualTo(1);
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void loadThatNeedsItselfIsRefused() {
		assertThatExceptionOfType(ValueRetrievalException.class)
			.isThrownBy(() -> this.cache.get(this.key, () -> this.cache.get(this.key, () -> "inner")))
			.withStackTraceContaining("needs the same value");
	}

	@Test
	void evictionDuringALoadWins() {
		assertThat(this.cache.get(this.key, () -> {
			other("a").evict(this.key);
			return "old";
		})).isEqualTo("old");
		assertThat(this.cache.get(this.key)).isNull();
		assertThat(this.cache.get(this.key, () -> {
			other("a").clear();
			return "old";
		})).isEqualTo("old");
		assertThat(this.cache.get(this.key)).isNull();
	}

	@Test
	void newerValueWinsOverALoad() {
		this.cache.get(this.key, () -> {
			other("a").put(this.key, "new");
			return "old";
		});
		assertThat(valueOf(this.cache.get(this.key))).isEqualTo("new");
		assertThat(this.failures).isEmpty();
	}

	@Test
	void twoProcessesLoadAndTheFirstResultStays() {
		assertThat(this.cache.get(this.key, () -> other("a").get(this.key, () -> "inner") + " and outer"))
			.isEqualTo("inner and outer");
		assertThat(valueOf(this.cache.get(this.key))).isEqualTo("inner");
	}

	@Test
	void futureTellsNullFromAbsence() {
		assertThat(retrieved()).isNull();
		this.cache.put(this.key, null);
		assertNull(retrieved());
		this.cache.put(this.key, "george");
		assertThat(valueOf(retrieved())).isEqualTo("george");
	}

	@Test
	void futureLoadsOnce() {
		CompletableFuture<String> slow = new CompletableFuture<>();
		AtomicInteger loads = new AtomicInteger();
		CompletableFuture<String> first = this.cache.retrieve(this.key, () -> {
			loads.incrementAndGet();
			return slow;
		});
		CompletableFuture<String> second = this.cache.retrieve(this.key, () -> slow);
		slow.complete("george");
		assertThat(first.join()).isEqualTo("george");
		assertThat(second.join()).isEqualTo("george");
		assertThat(loads).hasValue(1);
		assertThat(this.cache.retrieve(this.key, () -> CompletableFuture.failedFuture(new AssertionError())).join())
			.isEqualTo("george");
	}

	@Test
	void futureHasTheFailureOfItsLoad() {
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> this.cache
				.retrieve(this.key, () -> CompletableFuture.failedFuture(new UnsupportedOperationException()))
				.join())
			.withCauseInstanceOf(UnsupportedOperationException.class);
		assertThat(this.cache.<String>retrieve(this.key, () -> CompletableFuture.completedFuture(null)).join())
			.isNull();
		assertNull(this.cache.get(this.key));
	}

	@Test
	void valueExpires() throws InterruptedException {
		Cache brief = cache("brief", new JavaCodec(null), Duration.ofSeconds(1), false);
		brief.put(this.key, "george");
		Cluster.await(() -> brief.get(this.key) == null);
	}

	@Test
	void hitRenewsAnIdleValue() throws InterruptedException {
		Cache idle = cache("idle", new JavaCodec(null), Duration.ofMinutes(10), true);
		String id = this.prefix + "idle/" + this.key;
		client().put(Put.of(id, new JavaCodec(null).encode("george")).ttl(Duration.ofMinutes(1)));
		Instant before = expires(id);
		String etag = client().head(id).orElseThrow().etag();
		assertThat(valueOf(idle.get(this.key))).isEqualTo("george");
		Cluster.await(() -> expires(id).isAfter(before.plusSeconds(60)));
		assertThat(client().head(id).orElseThrow().etag()).isEqualTo(etag);
	}

	@Test
	void declaredTypeIsJson() {
		JsonMapper mapper = JsonMapper.builder().build();
		Cache books = cache("books", new JsonCodec(mapper, mapper.constructType(Book.class)), null, false);
		books.put(this.key, new Book("Ulysses", 1922));
		assertThat(valueOf(books.get(this.key))).isEqualTo(new Book("Ulysses", 1922));
		assertThat(client().get(this.prefix + "books/" + this.key).orElseThrow().text())
			.isEqualTo("{\"title\":\"Ulysses\",\"year\":1922}");
		books.put(this.key, null);
		assertNull(books.get(this.key));
	}

	@Test
	void undecodableBytesAreAMissAndReplaced() {
		String id = this.prefix + "a/" + this.key;
		client().put(id, "no object");
		assertThat(this.cache.get(this.key)).isNull();
		assertThat(this.failures).containsExactly("a decode");
		assertThat(this.cache.get(this.key, () -> "new")).isEqualTo("new");
		assertThat(valueOf(this.cache.get(this.key))).isEqualTo("new");
		client().put(id, "no object");
		assertThat(this.cache.putIfAbsent(this.key, "newer")).isNull();
		assertThat(valueOf(this.cache.get(this.key))).isEqualTo("newer");
	}

	@Test
	void differentArgumentsAreDifferentKeys() {
		List<Object> keys = List.of("a,b", "[a, b]", List.of("a", "b"), List.of("a,b"), new SimpleKey("a", "b"),
				new SimpleKey("a, b"), new SimpleKey("a", null), new SimpleKey("a", "\\0"),
				new SimpleKey("a", List.of("b")), new SimpleKey("a,", "b"), new SimpleKey(), "%", "x".repeat(2_000),
				"x".repeat(2_001));
		for (int i = 0; i < keys.size(); i++) {
			this.cache.put(keys.get(i), i);
		}
		// A list of arguments is the key of these arguments.
		this.cache.put(List.of("a", "b"), 4);
		for (int i = 0; i < keys.size(); i++) {
			assertThat(valueOf(this.cache.get(keys.get(i)))).as("%s", keys.get(i)).isEqualTo((i == 2) ? 4 : i);
		}
		assertThat(this.cache.get(new SimpleKey("a", new String[] { "b" }))).isNotNull();
		assertThatIllegalArgumentException().isThrownBy(() -> this.cache.get(new Object()))
			.withMessageContaining("toString()");
	}

	private record Book(String title, int year) {
	}

}
