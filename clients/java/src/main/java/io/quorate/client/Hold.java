package io.quorate.client;

import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.quorate.client.Attempts.Doubt;
import org.jspecify.annotations.Nullable;

/**
 * A key that this client has created with an expiry, or may have, and its belief in it:
 * for the time to live less a margin, from when the request was sent that succeeded last.
 * One thread at a time changes it, but for its renewal.
 */
final class Hold implements UnderWay {

	private static final Duration LEAST_TTL = Duration.ofSeconds(5);

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

	private final Recipes recipes;

	private final String key;

	/* Whether the thread runs that has acquired it. */
	private final BooleanSupplier isAlive;

	private final CompletableFuture<@Nullable Void> loss = new CompletableFuture<>();

	private volatile Duration ttl;

	private volatile String etag = "";

	private volatile @Nullable Long until;

	private volatile boolean mayExist;

	private volatile boolean isReleased;

	private @Nullable Request creation;

	private volatile @Nullable Future<?> renewal;

	Hold(Recipes recipes, String key, Duration ttl, BooleanSupplier isAlive) {
		Keys.check(key);
		this.recipes = recipes;
		this.key = key;
		this.ttl = checked(ttl);
		this.isAlive = isAlive;
	}

	private static Duration checked(Duration ttl) {
		Put.checkTtl(ttl);
		if (ttl.compareTo(LEAST_TTL) < 0) {
			throw new IllegalArgumentException("the ttl of a lock is at least 5 seconds, not " + ttl);
		}
		return ttl;
	}

	Core core() {
		return this.recipes.core();
	}

	String key() {
		return this.key;
	}

	String etag() {
		return this.etag;
	}

	boolean isHeld() {
		Long end = this.until;
		return end != null && end - nanos() > 0;
	}

	private long nanos() {
		return core().transport().nanos();
	}

	/** Creates the key as soon as it is absent. Leaves none behind if that fails. */
	CompletableFuture<Hold> acquire(Steps steps, Duration wait) {
		long end = nanos() + wait.toNanos();
		return secured(Steps.repeat(() -> create(steps, end)));
	}

	private CompletableFuture<Optional<Hold>> create(Steps steps, long end) {
		return then(create(steps), (isCreated, failure) -> {
			if (failure == null && isCreated) {
				return CompletableFuture.completedFuture(Optional.of(this));
			}
			Throwable reason = (failure != null) ? failure : new LockedException(this.key);
			long left = end - nanos();
			if (left <= 0 || !(reason instanceof UnavailableException) || steps.areAbandoned()) {
				return CompletableFuture.failedFuture(reason);
			}
			return awaitAbsence(steps, left).thenApply((none) -> Optional.empty());
		});
	}

	private CompletableFuture<@Nullable Void> awaitAbsence(Steps steps, long left) {
		CallOptions options = core().options();
		Places places = core().transport().places();
		long most = Math.min(options.stallTimeout().toNanos(), options.deadline().toNanos());
		long seconds = Math.min(left, most) / SECOND - 1;
		if (seconds <= 0) {
			return pause(steps, left, 20, 200);
		}
		// The holder may be one of this client, and needs a place to release it.
		if (!places.beginWait()) {
			return pause(steps, left, 200, 1_000);
		}
		// Without an answer it is asked for without a wait. Those who wait come back at
		// once.
		return this.recipes.awaitAbsence(steps, this.key, seconds, this.recipes.begin())
			.whenComplete((isAbsent, failure) -> places.endWait())
			.handle((isAbsent, failure) -> isAbsent)
			.thenCompose((any) -> pause(steps, left, 20, 200));
	}

	private static CompletableFuture<@Nullable Void> pause(Steps steps, long left, long least, long most) {
		return steps
			.pause(Math.min(left, ThreadLocalRandom.current().nextLong(least * MILLISECOND, most * MILLISECOND)));
	}

	/** Creates the key; tells whether it was absent, and its holder may believe in it. */
	CompletableFuture<Boolean> create(Steps steps) {
		Deadline deadline = this.recipes.begin();
		Request request = Requests.put(Put.of(this.key, Holder.NAME).ttl(this.ttl).ifAbsent(),
				core().options().forMajority(deadline));
		this.creation = request;
		this.etag = "";
		this.isReleased = false;
		this.mayExist = true;
		long sent = nanos();
		return then(this.recipes.once(steps, this.key, request, deadline, null), (written, failure) -> {
			if (failure != null) {
				this.mayExist = failure instanceof OutcomeUnknownException;
				return (failure instanceof PreconditionFailedException) ? CompletableFuture.completedFuture(false)
						: CompletableFuture.failedFuture(failure);
			}
			this.etag = written.etag();
			// It may be over since an earlier attempt has created it.
			if (written.replayed() && !written.etag().equals(written.current())) {
				this.mayExist = false;
				return CompletableFuture.completedFuture(false);
			}
			believe(sent, this.ttl);
			return isHeld() ? CompletableFuture.completedFuture(true) : giveUp(steps).thenApply((none) -> false);
		});
	}

	private void believe(long sent, Duration time) {
		long end = sent + time.toNanos() - SECOND - time.toNanos() / 10;
		Long before = this.until;
		this.until = (before == null || end - before > 0) ? Long.valueOf(end) : before;
	}

	/** Renews it in the background from now on. */
	void keep() {
		try {
			core().add(this);
			renewIn(this.ttl.toNanos() / 3);
		}
		catch (IllegalStateException closed) {
			lose();
		}
	}

	private void renewIn(long nanos) {
		Long end = this.until;
		long left = (end != null) ? Math.max(0, end - nanos()) : 0;
		try {
			this.renewal = core().transport().schedule(this::renewAgain, Math.min(nanos, left));
		}
		catch (RejectedExecutionException closed) {
			lose();
		}
	}

	private void renewAgain() {
		if (this.isReleased) {
			return;
		}
		if (!this.isAlive.getAsBoolean()) {
			lose();
			return;
		}
		Steps steps = new Steps(core(), Runnable::run);
		CompletableFuture<@Nullable Void> unused = touch(steps, this.ttl).whenComplete((none, failure) -> {
			if (!(failure != null && Steps.cause(failure) instanceof LockLostException)) {
				renewIn(this.ttl.toNanos() / ((failure == null) ? 3 : 10));
			}
		});
	}

	/**
	 * Touches the key for another time, which its renewals have, too, if that succeeds.
	 */
	CompletableFuture<@Nullable Void> renew(Steps steps, Duration time) {
		Duration asked = checked(time);
		return touch(steps, asked).whenComplete((none, failure) -> {
			if (failure == null) {
				this.ttl = asked;
			}
		});
	}

	private CompletableFuture<@Nullable Void> touch(Steps steps, Duration asked) {
		long sent = nanos();
		Long end = this.until;
		if (end == null || end - sent <= 0) {
			return CompletableFuture.failedFuture(lose());
		}
		CallOptions options = core().options().forMajority(this.recipes.begin()).deadline(Duration.ofNanos(end - sent));
		Request request = Requests.touch(Touch.of(this.key, asked).ifMatch(this.etag), options).urgent();
		Call<Optional<Touched>> call = core().begin(Operation.TOUCH, options, request,
				(answer) -> Answers.touched(this.key, answer));
		return then(steps.ask(call), (touched, failure) -> {
			// Its holder may know meanwhile that it is lost, or have released it.
			if (failure instanceof PreconditionFailedException
					|| (failure == null && (touched.isEmpty() || this.until == null))) {
				return CompletableFuture.failedFuture(lose());
			}
			if (failure != null) {
				return CompletableFuture.failedFuture(failure);
			}
			believe(sent, asked);
			return CompletableFuture.completedFuture(null);
		});
	}

	/** Believes no more, and returns the error that says so. */
	LockLostException lose() {
		this.until = null;
		core().remove(this);
		if (!this.isReleased) {
			core().hand(() -> this.loss.complete(null));
		}
		return new LockLostException(this.key + " may be that of another holder than " + this.etag);
	}

	CompletableFuture<@Nullable Void> loss() {
		return this.loss;
	}

	/** Ends it with the client. */
	@Override
	public void abandon(UnavailableException reason) {
		lose();
	}

	/** Ends its renewal; returns whether that has not ended by this before. */
	boolean end() {
		boolean isFirst = !this.isReleased;
		this.isReleased = true;
		core().remove(this);
		Future<?> next = this.renewal;
		if (next != null) {
			next.cancel(false);
		}
		return isFirst;
	}

	/** Believes no more, and deletes the key if it is still that of this holder. */
	CompletableFuture<@Nullable Void> release(Steps steps) {
		end();
		this.until = null;
		Deadline deadline = this.recipes.begin();
		Request request = Requests
			.delete(Delete.of(this.key).ifMatch(this.etag), core().options().forMajority(deadline))
			.urgent();
		return then(this.recipes.once(steps, this.key, request, deadline, null), (deleted, failure) -> {
			this.mayExist = failure != null && !(failure instanceof PreconditionFailedException);
			return (failure != null)
					? CompletableFuture
						.failedFuture((failure instanceof PreconditionFailedException) ? lose() : failure)
					: CompletableFuture.completedFuture(null);
		});
	}

	/** Leaves no key behind, also if it is not known whether there is one. */
	CompletableFuture<@Nullable Void> giveUp(Steps steps) {
		Request request = this.creation;
		CompletableFuture<?> known = CompletableFuture.completedFuture(null);
		if (this.etag.isEmpty() && request != null) {
			Deadline deadline = new Deadline(core().options().deadline(this.ttl), core().transport()::nanos);
			Doubt doubt = new Doubt(new OutcomeUnknownException("the creation had no answer", false, null, null),
					false);
			known = this.recipes.once(steps, this.key, request, deadline, doubt)
				.thenAccept((written) -> this.etag = written.etag());
		}
		return then(known.thenCompose((any) -> release(steps)), (none, failure) -> {
			if (failure instanceof PreconditionFailedException || failure instanceof LockLostException) {
				this.mayExist = false;
				return CompletableFuture.completedFuture(null);
			}
			return (failure != null) ? CompletableFuture.failedFuture(failure)
					: CompletableFuture.completedFuture(null);
		});
	}

	/** Returns steps whose failure leaves no key behind: what they left is deleted. */
	<T extends @Nullable Object> CompletableFuture<T> secured(CompletableFuture<T> steps) {
		return steps.whenComplete((value, failure) -> {
			if (failure != null && this.mayExist) {
				CompletableFuture<@Nullable Void> unused = leave();
			}
		});
	}

	/** Leaves no key behind, or one that ends by its time. */
	CompletableFuture<@Nullable Void> leave() {
		CompletableFuture<@Nullable Void> left;
		try {
			left = new Steps(core(), Runnable::run).run(this::giveUp);
		}
		catch (IllegalStateException closed) {
			left = CompletableFuture.failedFuture(closed);
		}
		return left.exceptionally((failure) -> {
			Core.log().log(Level.DEBUG, "{0} ends by its time: {1}", this.key, failure);
			return null;
		});
	}

	/** Goes on with a value or a failure, in place of which nothing is thrown. */
	static <T extends @Nullable Object, R extends @Nullable Object> CompletableFuture<R> then(
			CompletableFuture<T> first, Outcome<? super T, CompletableFuture<R>> next) {
		return first.handle(Ended<T>::new).thenCompose((ended) -> next.apply(ended.value(), ended.failure()));
	}

	/** The end of a step, with a value or a failure. */
	private record Ended<T extends @Nullable Object>(T value, @Nullable Throwable failure) {

		Ended {
			failure = (failure != null) ? Steps.cause(failure) : null;
		}

	}

	/** A function of a value, or of a failure in its place. */
	@FunctionalInterface
	interface Outcome<T extends @Nullable Object, R> {

		R apply(T value, @Nullable Throwable failure);

	}

	/** The name of this program in the value of a lock. */
	private static final class Holder {

		private static final String NAME = host() + " " + ProcessHandle.current().pid();

		private static String host() {
			try {
				return InetAddress.getLocalHost().getHostName();
			}
			catch (UnknownHostException nameless) {
				return "unknown";
			}
		}

	}

}
