package io.quorate.repair.rebuild;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.SetAsideData;
import io.quorate.storage.StorageException;
import io.quorate.storage.Store;
import org.jspecify.annotations.Nullable;

/** A store that fails some of its writes, and notes which pages are read. */
final class UnsteadyStore {

	private final Store store;

	private final Supplier<@Nullable StorageException> failure;

	/** Number of writes to come that a promise refuses. */
	final AtomicInteger promised = new AtomicInteger();

	final List<Key> pagesOfAside = new CopyOnWriteArrayList<>();

	/**
	 * A store in front of another.
	 * @param failure what becomes of the next write, {@code null} for what has to
	 */
	UnsteadyStore(Store store, Supplier<@Nullable StorageException> failure) {
		this.store = store;
		this.failure = failure;
	}

	Store front() {
		return front(Store.class, this.store);
	}

	private <T> T front(Class<T> type, T behind) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(_, method, arguments) -> answer(behind, method, arguments)));
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the caller has it
	private @Nullable Object answer(Object behind, Method method, @Nullable Object @Nullable [] arguments)
			throws Throwable {
		if (behind instanceof Store && method.getName().equals("apply")) {
			StorageException failed = this.failure.get();
			if (failed != null) {
				return CompletableFuture.failedFuture(failed);
			}
			if (this.promised.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
				return CompletableFuture.completedFuture(new ApplyResult.Promised(Timestamp.ofMillis(1)));
			}
		}
		if (behind instanceof SetAsideData && method.getName().equals("page") && arguments != null
				&& arguments[0] instanceof Key start) {
			this.pagesOfAside.add(start);
		}
		try {
			Object result = method.invoke(behind, arguments);
			return (result instanceof Optional<?> optional)
					? optional.map((aside) -> front(SetAsideData.class, (SetAsideData) aside)) : result;
		}
		catch (InvocationTargetException thrown) {
			throw thrown.getCause();
		}
	}

}
