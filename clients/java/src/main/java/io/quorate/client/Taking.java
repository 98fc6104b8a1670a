package io.quorate.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/** The search for a job of a queue. */
final class Taking {

	/** The most attempts, unless the caller wants others. */
	static final int ATTEMPTS = 3;

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final Recipes recipes;

	private final String prefix;

	private final Duration ttl;

	private final int attempts;

	private final BooleanSupplier isAlive;

	Taking(Recipes recipes, String prefix, Duration ttl, int attempts, BooleanSupplier isAlive) {
		if (attempts < 1) {
			throw new IllegalArgumentException("a job has at least 1 attempt, not " + attempts);
		}
		this.recipes = recipes;
		this.prefix = prefix;
		this.ttl = ttl;
		this.attempts = attempts;
		this.isAlive = isAlive;
		// What is wrong is so also while there is no job.
		lease(prefix);
	}

	private Hold lease(String job) {
		return new Hold(this.recipes, beside(job, "lease"), this.ttl, this.isAlive);
	}

	/**
	 * Returns the key of what belongs to a job.
	 * @param kind {@code lease} or {@code dead}
	 * @throws IllegalArgumentException if the key is none of a job
	 */
	static String beside(String job, String kind) {
		int place = (":" + job).indexOf(":jobs:");
		if (place < 0) {
			throw new IllegalArgumentException(
					"the keys of jobs begin with 'jobs:', or have ':jobs:' in them, unlike '" + job + "'");
		}
		return job.substring(0, place) + kind + job.substring(place + "jobs".length());
	}

	/** Returns the first of the jobs, in random order, that no other worker has. */
	CompletableFuture<Optional<Claim>> take(Steps steps, Duration wait) {
		long end = this.recipes.core().transport().nanos() + wait.toNanos();
		AtomicReference<@Nullable String> rest = new AtomicReference<>();
		return Steps.repeat(() -> search(steps, rest, end));
	}

	/* One page. The result is empty where the search goes on. */
	private CompletableFuture<Optional<Optional<Claim>>> search(Steps steps, AtomicReference<@Nullable String> rest,
			long end) {
		return this.recipes.jobs(steps, this.prefix, rest.get()).thenCompose((page) -> {
			List<KeyRecord> jobs = new ArrayList<>(page.records());
			Collections.shuffle(jobs);
			return first(steps, new ArrayDeque<>(jobs)).thenCompose((claim) -> {
				rest.set(page.cursor());
				long left = end - this.recipes.core().transport().nanos();
				if (claim.isPresent() || (page.cursor() == null && left <= 0)) {
					return CompletableFuture.completedFuture(Optional.of(claim));
				}
				if (page.cursor() != null) {
					return CompletableFuture.completedFuture(Optional.empty());
				}
				return steps.pause(Math.min(left, ThreadLocalRandom.current().nextLong(SECOND / 2, SECOND * 3 / 2)))
					.thenApply((none) -> Optional.empty());
			});
		});
	}

	private CompletableFuture<Optional<Claim>> first(Steps steps, Deque<KeyRecord> jobs) {
		KeyRecord job = jobs.poll();
		if (job == null) {
			return CompletableFuture.completedFuture(Optional.empty());
		}
		Hold hold = lease(job.key());
		return hold
			.secured(hold.create(steps)
				.thenCompose((isLeased) -> isLeased ? begin(steps, job.key(), hold)
						: CompletableFuture.completedFuture(Optional.<Claim>empty())))
			.thenCompose((claim) -> claim.isPresent() ? CompletableFuture.completedFuture(claim) : first(steps, jobs));
	}

	private CompletableFuture<Optional<Claim>> begin(Steps steps, String key, Hold hold) {
		Deadline deadline = this.recipes.begin();
		return this.recipes.read(steps, key, deadline)
			.thenCompose((job) -> job.isPresent() ? count(steps, job.get(), hold, deadline)
					: CompletableFuture.completedFuture(Optional.<Claim>empty()))
			.thenCompose((claim) -> claim.isPresent() ? CompletableFuture.completedFuture(claim)
					: hold.giveUp(steps).thenApply((none) -> Optional.empty()));
	}

	private CompletableFuture<Optional<Claim>> count(Steps steps, Entity job, Hold hold, Deadline deadline) {
		Json.Attempted attempted = Json.attempted(job.value());
		if (attempted == null || attempted.attempt() >= this.attempts) {
			return bury(steps, job, deadline);
		}
		Put counted = Put.of(job.key(), attempted.next()).contentType(job.metadata().contentType()).over(job.etag());
		return Recipes.unlessUnmet(this.recipes.write(steps, counted, deadline))
			.thenApply((written) -> written.filter((any) -> hold.isHeld())
				.map((version) -> new Claim(this.recipes, hold, job.key(), version.etag(), attempted)));
	}

	/* Over the grave of an earlier job of the same key. */
	private CompletableFuture<Optional<Claim>> bury(Steps steps, Entity job, Deadline deadline) {
		Put grave = Put.of(beside(job.key(), "dead"), job.value()).contentType(job.metadata().contentType());
		return steps.ask(this.recipes.core().put(grave, (options) -> options.forMajority(deadline).repeatUnknown(true)))
			.thenCompose((buried) -> Recipes
				.unlessUnmet(this.recipes.write(steps, Delete.of(job.key()).ifMatch(job.etag()), deadline)))
			.thenApply((deleted) -> Optional.empty());
	}

	/**
	 * A job whose lease this client has, and whose attempt it has counted.
	 *
	 * @param etag the version of this attempt
	 * @param before the job before it
	 */
	record Claim(Recipes recipes, Hold hold, String key, String etag, Json.Attempted before) {

		/** Deletes the job and its lease. */
		CompletableFuture<@Nullable Void> done(Steps steps) {
			Delete job = Delete.of(this.key).ifMatch(this.etag);
			return Hold.then(this.recipes.write(steps, job, this.recipes.begin()), (deleted, failure) -> {
				if (failure != null && !(failure instanceof PreconditionFailedException)) {
					return CompletableFuture.failedFuture(failure);
				}
				return this.hold.leave()
					.thenCompose((none) -> (failure == null) ? CompletableFuture.completedFuture(null)
							: CompletableFuture.failedFuture(this.hold.lose()));
			});
		}

	}

}
