package io.quorate.client;

import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The calls of one recipe, one after the other. What follows a call runs on an executor:
 * that of the caller, or the thread that waits for the recipe.
 */
final class Steps implements UnderWay {

	private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(300);

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

	private final Core core;

	private final Executor executor;

	private volatile @Nullable UnavailableException end;

	private volatile @Nullable Call<?> call;

	private volatile @Nullable CompletableFuture<?> pause;

	Steps(Core core, Executor executor) {
		this.core = core;
		this.executor = executor;
	}

	/**
	 * Runs a recipe on this thread, and waits for its result. An interrupt ends the
	 * present call.
	 */
	static <T extends @Nullable Object> T await(Core core, Function<Steps, CompletableFuture<T>> recipe) {
		BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
		Steps steps = new Steps(core, tasks::add);
		CompletableFuture<T> result = steps.run(recipe);
		CompletableFuture<T> unused = result.whenComplete((value, failure) -> tasks.add(() -> {
		}));
		boolean isInterrupted = false;
		try {
			while (!result.isDone()) {
				try {
					tasks.take().run();
				}
				catch (InterruptedException interrupt) {
					isInterrupted = true;
					steps.abandon(new CallInterruptedException("the thread was interrupted", interrupt));
				}
			}
			return result.join();
		}
		catch (CompletionException failure) {
			throw thrown(cause(failure));
		}
		finally {
			if (isInterrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/* What a function of the caller has thrown stays as it is. */
	private static RuntimeException thrown(Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
		return (failure instanceof RuntimeException own && !(failure instanceof QuorateException)) ? own
				: Core.thrown(failure);
	}

	/** Runs a recipe on the executor of the caller. */
	static <T extends @Nullable Object> CompletableFuture<T> begin(Core core,
			Function<Steps, CompletableFuture<T>> recipe) {
		return begin(core, recipe, (value) -> {
		});
	}

	/**
	 * Runs a recipe on the executor of the caller.
	 * @param discard takes a result for which the caller waits no more
	 */
	static <T extends @Nullable Object> CompletableFuture<T> begin(Core core,
			Function<Steps, CompletableFuture<T>> recipe, Consumer<T> discard) {
		Steps steps = new Steps(core, core::hand);
		CompletableFuture<T> result = new CompletableFuture<>();
		CompletableFuture<T> unused = steps.run(recipe).whenComplete((value, failure) -> {
			if (failure != null) {
				result.completeExceptionally(cause(failure));
			}
			else if (!result.complete(value)) {
				discard.accept(value);
			}
		});
		CompletableFuture<T> unusedEnd = result.whenComplete(
				(value, failure) -> steps.abandon(new CallInterruptedException("the call was cancelled", null)));
		return result;
	}

	/** Runs a recipe, which ends with the client. */
	<T extends @Nullable Object> CompletableFuture<T> run(Function<Steps, CompletableFuture<T>> recipe) {
		this.core.add(this);
		try {
			return recipe.apply(this).whenComplete((value, failure) -> this.core.remove(this));
		}
		catch (RuntimeException | Error failure) {
			this.core.remove(this);
			throw failure;
		}
	}

	static Throwable cause(Throwable failure) {
		Throwable cause = failure.getCause();
		return (failure instanceof CompletionException && cause != null) ? cause : failure;
	}

	/**
	 * Repeats a round until one has a result. A round that has ended is held by none of
	 * the next ones, however many there are.
	 */
	static <T> CompletableFuture<T> repeat(Supplier<CompletableFuture<Optional<T>>> round) {
		CompletableFuture<T> result = new CompletableFuture<>();
		repeat(round, result);
		return result;
	}

	private static <T> void repeat(Supplier<CompletableFuture<Optional<T>>> round, CompletableFuture<T> result) {
		CompletableFuture<?> unused = CompletableFuture.completedFuture(round)
			.thenCompose(Supplier::get)
			.whenComplete((found, failure) -> {
				if (failure != null) {
					result.completeExceptionally(cause(failure));
				}
				else if (found.isPresent()) {
					result.complete(found.get());
				}
				else {
					repeat(round, result);
				}
			});
	}

	/** Starts a call. */
	<T> CompletableFuture<T> ask(Call<T> next) {
		CompletableFuture<T> result = new CompletableFuture<>();
		next.whenEnded((value, failure) -> this.executor.execute(() -> {
			if (failure != null) {
				result.completeExceptionally(failure);
			}
			else {
				result.complete(value);
			}
		}));
		this.call = next;
		UnavailableException reason = this.end;
		if (reason != null) {
			next.abandon(reason);
		}
		next.start();
		return result;
	}

	/**
	 * Waits for a random time, a longer one with each try; fails where the deadline comes
	 * first, or the caller waits no more.
	 */
	CompletableFuture<@Nullable Void> pause(int tries, Deadline deadline, QuorateException failure) {
		long longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE << Math.min(tries, 10));
		long nanos = ThreadLocalRandom.current().nextLong(longest / 10, longest);
		return (nanos < deadline.left() && this.end == null) ? pause(nanos) : CompletableFuture.failedFuture(failure);
	}

	CompletableFuture<@Nullable Void> pause(long nanos) {
		CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
		try {
			Future<?> unused = this.core.transport()
				.schedule(() -> this.executor.execute(() -> over.complete(null)), nanos);
		}
		catch (RejectedExecutionException closed) {
			over.completeExceptionally(new CallInterruptedException("the client was closed", closed));
		}
		this.pause = over;
		UnavailableException reason = this.end;
		if (reason != null) {
			over.completeExceptionally(reason);
		}
		return over;
	}

	boolean areAbandoned() {
		return this.end != null;
	}

	/** Ends the present call or pause, and lets no other one follow. */
	@Override
	public void abandon(UnavailableException reason) {
		this.end = reason;
		Call<?> present = this.call;
		if (present != null) {
			present.abandon(reason);
		}
		CompletableFuture<?> over = this.pause;
		if (over != null) {
			this.executor.execute(() -> over.completeExceptionally(reason));
		}
	}

}
