package io.quorate.spring.boot.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

import io.quorate.client.CallOptions;
import io.quorate.client.Delete;
import io.quorate.client.Entity;
import io.quorate.client.FailedItem;
import io.quorate.client.ItemResult;
import io.quorate.client.PreconditionFailedException;
import io.quorate.client.Put;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.RangeQuery;
import io.quorate.client.Touch;
import io.quorate.spring.boot.store.StoreFailures;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.support.AbstractValueAdaptingCache;
import org.springframework.cache.support.NullValue;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/**
 * A cache of Spring in the cluster. A failure of the store is a miss for {@code get}, and
 * nothing for {@code put}; all else throws it. A load leaves a marker first, which it
 * replaces only if it is still there: an eviction meanwhile wins. Safe for threads.
 */
final class QuorateCache extends AbstractValueAdaptingCache {

	/* The media types of what is no value: the marker of a load, and null. */
	private static final String MARKER = "application/vnd.quorate.load";

	private static final String NULL = "application/vnd.quorate.null";

	private static final byte[] NOTHING = {};

	private static final Duration LONGEST_LOAD = Duration.ofMinutes(1);

	private static final int BATCH = 500;

	/* Two nodes that are silent leave time for a third one. */
	private static final int ATTEMPTS = 3;

	private static final int TOUCHES = 10;

	private static final boolean HAS_REACTOR = ClassUtils.isPresent("reactor.core.scheduler.Schedulers",
			QuorateCache.class.getClassLoader());

	private final String name;

	private final QuorateAsyncClient client;

	private final QuorateAsyncClient majority;

	private final CacheKeys keys;

	private final CacheForm form;

	private final StoreFailures failures;

	private final ConcurrentMap<String, Load> loads = new ConcurrentHashMap<>();

	QuorateCache(String name, QuorateAsyncClient client, CacheKeys keys, CacheForm form, StoreFailures failures) {
		super(true);
		this.name = name;
		this.client = client;
		this.majority = client.with(CallOptions::majority);
		this.keys = keys;
		this.form = form;
		this.failures = failures;
	}

	@Override
	public String getName() {
		return this.name;
	}

	@Override
	public QuorateAsyncClient getNativeCache() {
		return this.client;
	}

	@Override
	protected @Nullable Object lookup(Object key) {
		return await(read(this.keys.of(key))).value();
	}

	@Override
	public CompletableFuture<?> retrieve(Object key) {
		return read(this.keys.of(key)).thenApply((place) -> toValueWrapper(place.value()));
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> @Nullable T get(Object key, Callable<T> loader) {
		String id = this.keys.of(key);
		Load mine = new Load(Thread.currentThread());
		Load other = this.loads.putIfAbsent(id, mine);
		try {
			if (other != null) {
				return (T) other.result();
			}
			Place place = await(begin(id));
			Object value = place.isHit() ? fromStoreValue(place.value()) : loader.call();
			if (!place.isHit()) {
				await(end(id, place, value));
			}
			mine.complete(value);
			return (T) value;
		}
		catch (Exception failure) {
			mine.completeExceptionally(failure);
			throw new ValueRetrievalException(key, loader, failure);
		}
		finally {
			this.loads.remove(id, mine);
			mine.cancel(false);
		}
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
		String id = this.keys.of(key);
		Load mine = new Load(null);
		Load other = this.loads.putIfAbsent(id, mine);
		if (other != null) {
			return (CompletableFuture<T>) other.copy();
		}
		CompletableFuture<?> unused = CompletableFuture.completedFuture(id)
			.thenCompose(this::begin)
			.thenCompose((place) -> place.isHit() ? CompletableFuture.completedFuture(fromStoreValue(place.value()))
					: loader.get().thenCompose((value) -> end(id, place, value).thenApply((done) -> value)))
			.whenComplete((value, failure) -> {
				this.loads.remove(id, mine);
				if (failure != null) {
					mine.completeExceptionally(causeOf(failure));
				}
				else {
					mine.complete(value);
				}
			});
		return (CompletableFuture<T>) mine.copy();
	}

	@Override
	public void put(Object key, @Nullable Object value) {
		String id = this.keys.of(key);
		this.loads.remove(id);
		CompletableFuture<?> done = counted("put", this.client.put(write(id, value), this::soon));
		if (mayBlock()) {
			await(done);
		}
	}

	@Override
	public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
		String id = this.keys.of(key);
		Put put = write(id, value);
		this.loads.remove(id);
		Place place = Place.NOTHING;
		while (true) {
			try {
				String etag = place.etag();
				await(this.majority.put((etag != null) ? put.ifMatch(etag) : put.ifAbsent()));
				return null;
			}
			catch (PreconditionFailedException taken) {
				place = await(this.majority.get(id)).map(this::place).orElse(Place.NOTHING);
				if (place.isHit()) {
					return toValueWrapper(place.value());
				}
			}
		}
	}

	@Override
	public void evict(Object key) {
		finish("evict", remove(key));
	}

	@Override
	public boolean evictIfPresent(Object key) {
		return await(remove(key));
	}

	@Override
	public void clear() {
		finish("clear", removeAll());
	}

	@Override
	public boolean invalidate() {
		return await(removeAll());
	}

	/* What is under way was begun before: no one joins it from now on. */
	private CompletableFuture<Boolean> remove(Object key) {
		String id = this.keys.of(key);
		this.loads.remove(id);
		return this.majority.delete(Delete.of(id).ifMatch("*"), (options) -> options.repeatUnknown(true))
			.handle((written, failure) -> {
				if (failure != null && !isOvertaken(failure)) {
					throw new CompletionException(causeOf(failure));
				}
				return failure == null;
			});
	}

	private CompletableFuture<Boolean> removeAll() {
		this.loads.clear();
		return removeAll(RangeQuery.prefix(this.keys.prefix()), false);
	}

	/* Whatever version is there: a load that ends meanwhile has begun before. */
	private CompletableFuture<Boolean> removeAll(RangeQuery rest, boolean wasAny) {
		return this.majority.keyPage(rest.pageSize(BATCH)).thenCompose((page) -> {
			if (page.records().isEmpty()) {
				return CompletableFuture.completedFuture(wasAny);
			}
			List<Delete> items = page.records().stream().map((each) -> Delete.of(each.key()).ifMatch("*")).toList();
			return this.majority.batch(items, (options) -> options.repeatUnknown(true)).thenCompose((results) -> {
				results.forEach(QuorateCache::check);
				String cursor = page.cursor();
				return (cursor != null) ? removeAll(RangeQuery.cursor(cursor), true)
						: CompletableFuture.completedFuture(true);
			});
		});
	}

	private static void check(ItemResult result) {
		if (result instanceof FailedItem failed && !isOvertaken(failed.error())) {
			throw failed.error();
		}
	}

	/* Where a caller must not wait it cannot have the failure either. */
	private void finish(String operation, CompletableFuture<?> done) {
		if (mayBlock()) {
			await(done);
		}
		else {
			CompletableFuture<?> unused = counted(operation, done);
		}
	}

	private static boolean mayBlock() {
		return !HAS_REACTOR || !Schedulers.isInNonBlockingThread();
	}

	private CompletableFuture<Place> begin(String id) {
		return read(id).thenCompose((place) -> {
			if (!place.isAbsent()) {
				return CompletableFuture.completedFuture(place);
			}
			Put marker = Put.of(id, NOTHING).contentType(MARKER).ttl(LONGEST_LOAD).ifAbsent();
			return counted("put", this.majority.put(marker, this::soon))
				.thenApply((written) -> (written != null) ? new Place(null, written.etag(), false) : Place.FAILED);
		});
	}

	private CompletableFuture<?> end(String id, Place place, @Nullable Object value) {
		if (place.etag() == null) {
			return CompletableFuture.completedFuture(null);
		}
		return counted("put", this.majority.put(write(id, value).ifMatch(place.etag()), this::soon));
	}

	private CompletableFuture<Place> read(String id) {
		return counted("get",
				this.client.get(id, this::soon).thenApply((found) -> found.map(this::place).orElse(Place.NOTHING)))
			.thenApply((place) -> (place != null) ? place : Place.FAILED);
	}

	private Place place(Entity entity) {
		try {
			Object value = switch (entity.metadata().contentType()) {
				case MARKER -> null;
				case NULL -> NullValue.INSTANCE;
				default -> this.form.codec().decode(entity.value());
			};
			if (value != null) {
				keep(entity);
			}
			return new Place(value, entity.etag(), false);
		}
		catch (RuntimeException failure) {
			this.failures.count(this.name, "decode", failure);
			return new Place(null, entity.etag(), false);
		}
	}

	private void keep(Entity entity) {
		Duration ttl = this.form.ttl();
		Instant expires = entity.metadata().expires();
		if (this.form.isIdle() && ttl != null && expires != null
				&& Instant.now().plus(ttl).minus(ttl.dividedBy(TOUCHES)).isAfter(expires)) {
			CompletableFuture<?> unused = counted("touch",
					this.majority.touch(Touch.of(entity.key(), ttl).ifMatch(entity.etag()), this::soon));
		}
	}

	private Put write(String id, @Nullable Object value) {
		Put put = (value == null || value instanceof NullValue) ? Put.of(id, NOTHING).contentType(NULL)
				: Put.of(id, this.form.codec().encode(value)).contentType(this.form.codec().contentType());
		return (this.form.ttl() != null) ? put.ttl(this.form.ttl()) : put;
	}

	private CallOptions soon(CallOptions options) {
		Duration share = this.form.timeout().dividedBy(ATTEMPTS);
		return options.deadline(this.form.timeout()).stallTimeout(share.isZero() ? this.form.timeout() : share);
	}

	private <T> CompletableFuture<@Nullable T> counted(String operation, CompletableFuture<T> call) {
		return call.handle((result, failure) -> {
			if (failure != null && !isOvertaken(failure)) {
				this.failures.count(this.name, operation, causeOf(failure));
			}
			return result;
		});
	}

	private static boolean isOvertaken(Throwable failure) {
		return causeOf(failure) instanceof PreconditionFailedException;
	}

	private static Throwable causeOf(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	private static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
		try {
			return future.get();
		}
		catch (InterruptedException interrupt) {
			future.cancel(true);
			Thread.currentThread().interrupt();
			throw new IllegalStateException("the thread was interrupted", interrupt);
		}
		catch (ExecutionException failure) {
			throw (failure.getCause() instanceof RuntimeException cause) ? cause : new IllegalStateException(failure);
		}
	}

	/** The content of a key: the value, and its version or that of a marker. */
	private record Place(@Nullable Object value, @Nullable String etag, boolean isAbsent) {

		static final Place NOTHING = new Place(null, null, true);

		static final Place FAILED = new Place(null, null, false);

		boolean isHit() {
			return this.value != null;
		}

	}

	/** A load that others of this process wait for. */
	private static final class Load extends CompletableFuture<@Nullable Object> {

		private final @Nullable Thread thread;

		Load(@Nullable Thread thread) {
			this.thread = thread;
		}

		@Nullable Object result() {
			if (Thread.currentThread().equals(this.thread)) {
				throw new IllegalStateException("the load of a value needs the same value");
			}
			return await(this);
		}

	}

}
