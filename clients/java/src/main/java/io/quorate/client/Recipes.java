package io.quorate.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.quorate.client.Attempts.Doubt;
import org.jspecify.annotations.Nullable;

/**
 * The recipes of the handbook, as calls that consist of others. They are for a majority
 * of all replicas, whatever the options of the client say.
 */
final class Recipes {

	private static final String LINEARIZABLE = "linearizable";

	private static final int KEYS_AT_ONCE = 250;

	private static final int JOBS_AT_ONCE = 100;

	/*
	 * The clock of a producer may be late: its jobs come before those that were first.
	 */
	private static final long HEADS_LAST = TimeUnit.HOURS.toNanos(1);

	private static final int MOST_HEADS = 1_000;

	private final Core core;

	/* Of prefixes. Tombstones of done jobs are before the first one. */
	private final Map<String, Head> heads = new ConcurrentHashMap<>();

	Recipes(Core core) {
		this.core = core;
	}

	Core core() {
		return this.core;
	}

	Deadline begin() {
		return new Deadline(this.core.options(), this.core.transport()::nanos);
	}

	CompletableFuture<Optional<Written>> update(Steps steps, String key,
			Function<Optional<Entity>, ? extends @Nullable Item> change) {
		return update(steps, key, change, begin(), 0);
	}

	private CompletableFuture<Optional<Written>> update(Steps steps, String key,
			Function<Optional<Entity>, ? extends @Nullable Item> change, Deadline deadline, int tries) {
		return steps.ask(this.core.get(key, until(deadline))).thenCompose((now) -> {
			Item item = changed(key, now.orElse(null), change.apply(now));
			if (item == null) {
				return CompletableFuture.completedFuture(Optional.empty());
			}
			return write(steps, item, deadline).thenApply(Optional::of).exceptionallyCompose((thrown) -> {
				if (!(Steps.cause(thrown) instanceof PreconditionFailedException unmet)) {
					return CompletableFuture.failedFuture(thrown);
				}
				return steps
					.pause(tries, deadline,
							new DeadlineExceededException("others were faster until the deadline", unmet))
					.thenCompose((none) -> update(steps, key, change, deadline, tries + 1));
			});
		});
	}

	/** Returns the write of an item on the version that its caller has seen. */
	private static @Nullable Item changed(String key, @Nullable Entity now, @Nullable Item wanted) {
		if (wanted == null) {
			return null;
		}
		if (!wanted.key().equals(key)) {
			throw new IllegalArgumentException("the function is to change " + key + ", not " + wanted.key());
		}
		if (wanted instanceof Put put) {
			return (now != null) ? put.over(now.etag()) : put.ifMatchNothing();
		}
		if (wanted instanceof Delete delete) {
			return (now != null) ? delete.ifMatch(now.etag()) : null;
		}
		throw new IllegalArgumentException("the function is to return a Put or a Delete, not " + wanted);
	}

	CompletableFuture<Long> increment(Steps steps, String key, long by, @Nullable Duration ttl) {
		AtomicLong sum = new AtomicLong();
		return update(steps, key, (now) -> {
			sum.set(Math.addExact(now.map(Recipes::number).orElse(0L), by));
			Put put = Put.of(key, Long.toString(sum.get()));
			return (ttl != null && now.isEmpty()) ? put.ttl(ttl) : put;
		}).thenApply((written) -> sum.get());
	}

	private static long number(Entity entity) {
		try {
			return Long.parseLong(entity.text());
		}
		catch (NumberFormatException failure) {
			throw new IllegalStateException("the value of " + entity.key() + " is no whole number", failure);
		}
	}

	CompletableFuture<Optional<Written>> putIfAbsent(Steps steps, Put put) {
		return unlessUnmet(write(steps, put.ifMatchNothing(), begin()));
	}

	/**
	 * Returns the recipe of a lock.
	 * @param isAlive the condition on which it is renewed
	 */
	Function<Steps, CompletableFuture<HeldLock>> lock(String key, Duration ttl, Duration wait,
			BooleanSupplier isAlive) {
		Hold hold = new Hold(this, key, ttl, isAlive);
		return (steps) -> hold.acquire(steps, wait).thenApply(HeldLock::new);
	}

	/** Returns the recipe of a job. */
	Function<Steps, CompletableFuture<Optional<Job>>> take(String prefix, Duration ttl, Duration wait, int attempts,
			BooleanSupplier isAlive) {
		Taking taking = new Taking(this, prefix, ttl, attempts, isAlive);
		return (steps) -> taking.take(steps, wait).thenApply((claim) -> claim.map(Job::new));
	}

	/** Returns the outcome of a write, which is empty if its condition does not hold. */
	static CompletableFuture<Optional<Written>> unlessUnmet(CompletableFuture<Written> write) {
		return write.thenApply(Optional::of)
			.exceptionallyCompose((thrown) -> (Steps.cause(thrown) instanceof PreconditionFailedException)
					? CompletableFuture.completedFuture(Optional.empty()) : CompletableFuture.failedFuture(thrown));
	}

	CompletableFuture<Long> deletePrefix(Steps steps, String prefix) {
		if (prefix.isEmpty()) {
			throw new IllegalArgumentException(
					"a prefix has at least one character: all keys are deleted by their first characters");
		}
		return deleteAll(steps, RangeQuery.prefix(prefix), begin(), 0);
	}

	private CompletableFuture<Long> deleteAll(Steps steps, RangeQuery query, Deadline deadline, long before) {
		return steps.ask(this.core.keyPage(query.pageSize(KEYS_AT_ONCE), until(deadline))).thenCompose((page) -> {
			List<Delete> items = page.records()
				.stream()
				.map((each) -> Delete.of(each.key()).ifMatch(each.etag()))
				.toList();
			return delete(steps, items, deadline, 0).thenCompose((count) -> {
				deadline.restart();
				String rest = page.cursor();
				return (rest != null) ? deleteAll(steps, RangeQuery.cursor(rest), deadline, before + count)
						: CompletableFuture.completedFuture(before + count);
			});
		});
	}

	private CompletableFuture<Long> delete(Steps steps, List<Delete> items, Deadline deadline, int tries) {
		return steps.ask(this.core.batch(items, until(deadline)))
			.exceptionallyCompose((thrown) -> (Steps.cause(thrown) instanceof OutcomeUnknownException unknown)
					? CompletableFuture
						.completedFuture(items.stream().<ItemResult>map((each) -> new FailedItem(unknown)).toList())
					: CompletableFuture.failedFuture(thrown))
			.thenCompose((results) -> {
				List<Delete> left = new ArrayList<>();
				QuorateException last = null;
				long gone = 0;
				for (int i = 0; i < items.size(); i++) {
					QuorateException error = (results.get(i) instanceof FailedItem failed) ? failed.error() : null;
					if (error instanceof OutcomeUnknownException || error instanceof UnavailableException) {
						left.add(items.get(i));
						last = error;
					}
					else if (error instanceof PreconditionFailedException unmet) {
						// Another version was written later than all of this; none is
						// left by an attempt of unknown outcome.
						gone += unmet.current().isEmpty() ? 1 : 0;
					}
					else if (error != null) {
						throw error;
					}
					else {
						gone++;
					}
				}
				long count = gone;
				if (last == null) {
					return CompletableFuture.completedFuture(count);
				}
				if (left.size() < items.size()) {
					deadline.restart();
				}
				return steps.pause(tries, deadline, last)
					.thenCompose((none) -> delete(steps, left, deadline, tries + 1))
					.thenApply((more) -> count + more);
			});
	}

	/** Writes an item with a condition by which that is done once. */
	CompletableFuture<Written> write(Steps steps, Item item, Deadline deadline) {
		CallOptions options = this.core.options().forMajority(deadline);
		Request request = (item instanceof Put put) ? Requests.put(put, options)
				: Requests.delete((Delete) item, options);
		return once(steps, item.key(), request, deadline, null);
	}

	/**
	 * Repeats a write, with the same idempotency key, until its outcome is known. It ends
	 * with a {@link PreconditionFailedException} if it has not happened, and with an
	 * {@link OutcomeUnknownException} if the deadline has passed before that, or the
	 * nodes have forgotten it.
	 */
	CompletableFuture<Written> once(Steps steps, String key, Request request, Deadline deadline,
			@Nullable Doubt doubt) {
		return once(steps, key, request, deadline, doubt, 0);
	}

	private CompletableFuture<Written> once(Steps steps, String key, Request request, Deadline deadline,
			@Nullable Doubt doubt, int tries) {
		boolean isPut = request.method().equals("PUT");
		Call<Written> call = this.core.begin(isPut ? Operation.PUT : Operation.DELETE,
				this.core.options().forMajority(deadline), request, isPut ? Answers::put : Answers::deleted);
		if (doubt != null) {
			call.doubt(doubt);
		}
		return steps.ask(call).exceptionallyCompose((thrown) -> {
			Throwable failure = Steps.cause(thrown);
			if (failure instanceof ContendedException contended) {
				return steps.pause(tries, deadline, contended)
					.thenCompose((none) -> once(steps, key, request, deadline, doubt, tries + 1));
			}
			if (!(failure instanceof OutcomeUnknownException unknown) || isForgotten(unknown)) {
				return CompletableFuture.failedFuture(failure);
			}
			// The value that is there may be that of an earlier attempt: behind a read
			// that has settled it, the nodes say so by the key.
			return settle(steps, key, unknown, deadline).thenCompose((isSettled) -> steps
				.pause(tries, deadline, unknown)
				.thenCompose((none) -> once(steps, key, request, deadline, new Doubt(unknown, isSettled), tries + 1)));
		});
	}

	private static boolean isForgotten(OutcomeUnknownException unknown) {
		return unknown.problem()
			.filter((problem) -> isUnmet(problem) && Problems.leavesOutcomeUnknown(problem))
			.isPresent();
	}

	private static boolean isUnmet(Problem problem) {
		return problem.status() == 412;
	}

	private CompletableFuture<Boolean> settle(Steps steps, String key, OutcomeUnknownException unknown,
			Deadline deadline) {
		if (unknown.problem().filter(Recipes::isUnmet).isEmpty() || steps.areAbandoned()) {
			return CompletableFuture.completedFuture(false);
		}
		CallOptions options = this.core.options().forMajority(deadline);
		Request read = Requests.head(key, options).parameter("consistency", LINEARIZABLE);
		return steps.ask(this.core.begin(Operation.HEAD, options, read, (answer) -> Answers.metadata(key, answer)))
			.handle((metadata, failure) -> failure == null);
	}

	CompletableFuture<Optional<Entity>> read(Steps steps, String key, Deadline deadline) {
		CallOptions options = this.core.options().forMajority(deadline);
		Request read = Requests.get(Get.of(key), options).parameter("consistency", LINEARIZABLE);
		return steps.ask(this.core.begin(Operation.GET, options, read, (answer) -> Answers.entity(key, answer)));
	}

	/** Has a node answer when there is no value, or after so many seconds. */
	CompletableFuture<Boolean> awaitAbsence(Steps steps, String key, long seconds, Deadline deadline) {
		CallOptions options = this.core.options().forMajority(deadline);
		Request read = Requests.head(key, options).field("If-None-Match", "*").parameter("wait", seconds);
		return steps.ask(this.core.begin(Operation.HEAD, options, read, (answer) -> Answers.isAbsent(key, answer)));
	}

	/** Reads the first jobs, or the first ones of a rest. */
	CompletableFuture<Page<KeyRecord>> jobs(Steps steps, String prefix, @Nullable String rest) {
		Deadline deadline = begin();
		long now = this.core.transport().nanos();
		Head known = this.heads.get(prefix);
		Head head = (known != null && now - known.since() < HEADS_LAST) ? known : null;
		RangeQuery query = (head != null) ? RangeQuery.between(head.key(), head.end()) : RangeQuery.prefix(prefix);
		if (rest != null) {
			query = RangeQuery.cursor(rest);
		}
		return steps.ask(this.core.keyPage(query.pageSize(JOBS_AT_ONCE), until(deadline))).thenApply((page) -> {
			if (rest == null && !page.records().isEmpty()) {
				if (this.heads.size() >= MOST_HEADS) {
					this.heads.clear();
				}
				String end = String.valueOf(Keys.behindAllWith(prefix));
				this.heads.put(prefix, new Head(page.records().get(0).key(), end, (head != null) ? head.since() : now));
			}
			return page;
		});
	}

	private UnaryOperator<CallOptions> until(Deadline deadline) {
		return (options) -> options.forMajority(deadline);
	}

	/**
	 * The place at which the jobs of a prefix begin.
	 *
	 * @param key the first one
	 * @param end the key behind the last one
	 * @param since when all of them were looked at
	 */
	private record Head(String key, String end, long since) {
	}

}
