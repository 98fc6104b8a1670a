package io.quorate.spring.boot.session;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.quorate.client.CallOptions;
import io.quorate.client.ContendedException;
import io.quorate.client.Delete;
import io.quorate.client.Entity;
import io.quorate.client.Get;
import io.quorate.client.PreconditionFailedException;
import io.quorate.client.Put;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.Touch;
import io.quorate.spring.boot.store.StoreFailures;
import org.jspecify.annotations.Nullable;
import org.springframework.session.MapSession;

/**
 * The sessions in the cluster, each under one key that only conditional writes change:
 * requests at once lose no attribute, and none revives a session that was deleted. Safe
 * for threads.
 */
final class SessionStore {

	private static final int LONGEST_PAUSE = 50;

	private static final long LONGEST_SAVE = TimeUnit.SECONDS.toNanos(30);

	private final QuorateAsyncClient client;

	private final SessionRules rules;

	private final StoreFailures failures;

	SessionStore(QuorateAsyncClient client, SessionRules rules, StoreFailures failures) {
		this.client = client;
		this.rules = rules;
		this.failures = failures;
	}

	QuorateSession create() {
		MapSession session = new MapSession(this.rules.ids().generate());
		session.setMaxInactiveInterval(this.rules.interval());
		return new QuorateSession(session, this.rules, true);
	}

	CompletableFuture<Optional<QuorateSession>> find(String id) {
		if (!isKey(id)) {
			return CompletableFuture.completedFuture(Optional.empty());
		}
		return this.client.get(key(id), CallOptions::majority)
			.thenApply((found) -> found.flatMap((entity) -> loaded(id, entity)));
	}

	/* A cookie may have anything. */
	private boolean isKey(String id) {
		try {
			Get.of(key(id));
			return true;
		}
		catch (IllegalArgumentException failure) {
			return false;
		}
	}

	private Optional<QuorateSession> loaded(String id, Entity entity) {
		return decoded(entity).flatMap((stored) -> {
			MapSession session = new MapSession(id);
			session.setCreationTime(stored.creation());
			session.setMaxInactiveInterval(stored.interval());
			session.setLastAccessedTime(lastAccess(stored, entity));
			try {
				stored.attributes()
					.forEach((name, value) -> session.setAttribute(name, this.rules.codec().decode(value)));
			}
			catch (RuntimeException failure) {
				this.failures.count("session", "decode", failure);
				return Optional.empty();
			}
			return Optional.of(new QuorateSession(session, this.rules, false));
		});
	}

	private Optional<StoredSession> decoded(Entity entity) {
		try {
			return Optional.of(StoredSession.decode(entity.value()));
		}
		catch (IllegalArgumentException failure) {
			this.failures.count("session", "decode", failure);
			return Optional.empty();
		}
	}

	private static Instant lastAccess(StoredSession stored, Entity entity) {
		Instant expires = entity.metadata().expires();
		Instant written = entity.metadata().lastModified();
		if (expires != null && !stored.interval().isNegative()) {
			return expires.minus(stored.interval());
		}
		return (written != null) ? written : stored.creation();
	}

	CompletableFuture<Void> delete(String id) {
		if (!isKey(id)) {
			return CompletableFuture.completedFuture(null);
		}
		return done(this.client.delete(Delete.of(key(id)).ifMatch("*"),
				(options) -> options.majority().repeatUnknown(true)))
			.exceptionallyCompose((failure) -> isOvertaken(failure) ? CompletableFuture.completedFuture(null)
					: CompletableFuture.failedFuture(causeOf(failure)));
	}

	private static CompletableFuture<Void> done(CompletableFuture<?> call) {
		return call.thenAccept((result) -> {
		});
	}

	CompletableFuture<Void> save(QuorateSession session) {
		SessionChange change = session.change();
		return write(change).thenAccept((done) -> session.saved(change));
	}

	private CompletableFuture<Void> write(SessionChange change) {
		String stored = change.storedId();
		Duration ttl = change.ttl(change.interval());
		if (stored == null) {
			return ttl.isZero() ? CompletableFuture.completedFuture(null) : create(change, ttl);
		}
		if (change.isTouch() && !ttl.isZero()) {
			return this.client.touch(Touch.of(key(stored), ttl), CallOptions::majority)
				.thenAccept((touched) -> touched.orElseThrow(SessionStore::gone));
		}
		return merge(change, stored);
	}

	private CompletableFuture<Void> create(SessionChange change, Duration ttl) {
		return done(this.client.put(put(change.id(), change.created(), ttl).ifAbsent(), CallOptions::majority))
			// Another save of the same new session may have been faster.
			.exceptionallyCompose((failure) -> isOvertaken(failure) ? merge(change, change.id())
					: CompletableFuture.failedFuture(causeOf(failure)));
	}

	private CompletableFuture<Void> merge(SessionChange change, String stored) {
		AtomicReference<@Nullable String> moved = new AtomicReference<>();
		return repeated(() -> mergeOnce(change, stored, moved), System.nanoTime() + LONGEST_SAVE);
	}

	private CompletableFuture<Void> mergeOnce(SessionChange change, String stored,
			AtomicReference<@Nullable String> moved) {
		return this.client.get(key(stored), CallOptions::majority).thenCompose((found) -> {
			StoredSession before = found.flatMap(this::decoded).filter(change::isOf).orElse(null);
			if (before == null) {
				return undo(change, moved.get());
			}
			StoredSession after = change.onto(before);
			Duration ttl = change.ttl(after.interval());
			if (ttl.isZero()) {
				return delete(stored);
			}
			Put put = put(change.id(), after, ttl);
			String etag = found.get().etag();
			return stored.equals(change.id()) ? done(this.client.put(put.ifMatch(etag), CallOptions::majority))
					: move(put, Delete.of(key(stored)).ifMatch(etag), moved);
		});
	}

	/* The new id first: a process that ends between the two writes has lost nothing. */
	private CompletableFuture<Void> move(Put put, Delete old, AtomicReference<@Nullable String> moved) {
		String etag = moved.get();
		return this.client.put((etag != null) ? put.ifMatch(etag) : put.ifAbsent(), CallOptions::majority)
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(
					isOvertaken(failure) ? new IllegalStateException("Session id is taken") : causeOf(failure)))
			.thenCompose((written) -> {
				moved.set(written.etag());
				return done(this.client.delete(old, CallOptions::majority));
			});
	}

	private CompletableFuture<Void> undo(SessionChange change, @Nullable String moved) {
		CompletableFuture<Void> undone = (moved != null)
				? done(this.client.delete(Delete.of(key(change.id())).ifMatch(moved), CallOptions::majority))
				: CompletableFuture.completedFuture(null);
		// What is left under an id that nobody has expires.
		return undone.handle((done, failure) -> null).thenCompose((done) -> CompletableFuture.failedFuture(gone()));
	}

	private static CompletableFuture<Void> repeated(Supplier<CompletableFuture<Void>> attempt, long end) {
		return attempt.get().exceptionallyCompose((failure) -> {
			boolean isOver = System.nanoTime() - end > 0;
			if (isOver || !(isOvertaken(failure) || causeOf(failure) instanceof ContendedException)) {
				return CompletableFuture.failedFuture(causeOf(failure));
			}
			int pause = 1 + ThreadLocalRandom.current().nextInt(LONGEST_PAUSE);
			return CompletableFuture
				.runAsync(() -> {
				}, CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS))
				.thenCompose((waited) -> repeated(attempt, end));
		});
	}

	private Put put(String id, StoredSession session, Duration ttl) {
		return Put.of(key(id), session.encode()).ttl(ttl);
	}

	private String key(String id) {
		return this.rules.prefix() + id;
	}

	private static IllegalStateException gone() {
		return new IllegalStateException("Session was invalidated");
	}

	private static boolean isOvertaken(Throwable failure) {
		return causeOf(failure) instanceof PreconditionFailedException;
	}

	private static Throwable causeOf(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
