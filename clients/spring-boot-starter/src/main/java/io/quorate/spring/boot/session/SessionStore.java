package io.quorate.spring.boot.session;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.quorate.client.CallOptions;
import io.quorate.client.Delete;
import io.quorate.client.Entity;
import io.quorate.client.Get;
import io.quorate.client.PreconditionFailedException;
import io.quorate.client.Put;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.Touch;
import io.quorate.client.Written;
import io.quorate.spring.boot.store.StoreFailures;
import org.jspecify.annotations.Nullable;
import org.springframework.session.MapSession;

/**
 * The sessions in the cluster, each under one key that only conditional writes change:
 * requests at once lose no attribute, and none revives a session that was deleted. Safe
 * for threads.
 */
final class SessionStore {

	private final QuorateAsyncClient client;

	private final SessionRules rules;

	private final StoreFailures failures;

	SessionStore(QuorateAsyncClient client, SessionRules rules, StoreFailures failures) {
		this.client = client.with(CallOptions::majority);
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
		return this.client.get(key(id)).thenApply((found) -> found.flatMap((entity) -> loaded(id, entity)));
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
		return done(this.client.delete(Delete.of(key(id)).ifMatch("*"), (options) -> options.repeatUnknown(true)))
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
			return this.client.touch(Touch.of(key(stored), ttl))
				.thenCompose((touched) -> touched.isPresent() ? CompletableFuture.completedFuture(null)
						: CompletableFuture.failedFuture(gone()));
		}
		return stored.equals(change.id()) ? merge(change, stored) : move(change, stored, null);
	}

	private CompletableFuture<Void> create(SessionChange change, Duration ttl) {
		return this.client.putIfAbsent(put(change.id(), change.created(), ttl))
			// Another save of the same new session may have been faster.
			.thenCompose((written) -> written.isPresent() ? CompletableFuture.completedFuture(null)
					: merge(change, change.id()));
	}

	private CompletableFuture<Void> merge(SessionChange change, String stored) {
		return done(this.client.update(key(stored), (found) -> {
			StoredSession before = present(change, found).orElseThrow(SessionStore::gone);
			StoredSession after = change.onto(before);
			Duration ttl = change.ttl(after.interval());
			if (after.interval().equals(before.interval()) && left(found).compareTo(ttl) > 0) {
				// A later request has renewed it. By its default a change keeps the end.
				return Put.of(key(stored), after.encode());
			}
			return ttl.isZero() ? Delete.of(key(stored)) : put(stored, after, ttl);
		}));
	}

	/* The new id first: a process that ends between the two writes has lost nothing. */
	private CompletableFuture<Void> move(SessionChange change, String stored, @Nullable String moved) {
		return this.client.get(key(stored)).thenCompose((found) -> {
			StoredSession before = present(change, found).orElse(null);
			if (before == null) {
				return undo(change, moved);
			}
			StoredSession after = change.onto(before);
			Duration ttl = change.ttl(after.interval());
			if (after.interval().equals(before.interval()) && left(found).compareTo(ttl) > 0) {
				ttl = left(found);
			}
			if (ttl.isZero()) {
				return merge(change, stored);
			}
			String etag = found.get().etag();
			return copy(change, put(change.id(), after, ttl), moved).thenCompose((copied) -> this.client
				.update(key(stored),
						(now) -> now.filter((same) -> same.etag().equals(etag))
							.map((same) -> Delete.of(same.key()))
							.orElse(null))
				.thenCompose((deleted) -> deleted.isPresent() ? CompletableFuture.completedFuture(null)
						: move(change, stored, copied)));
		});
	}

	/** Writes the session under its new id, and returns the version. */
	private CompletableFuture<String> copy(SessionChange change, Put put, @Nullable String moved) {
		if (moved != null) {
			return this.client.put(put.ifMatch(moved)).thenApply(Written::etag);
		}
		return this.client.putIfAbsent(put).thenCompose((written) -> {
			if (written.isPresent()) {
				return CompletableFuture.completedFuture(written.get().etag());
			}
			// It may be that of an earlier save, which has failed behind it.
			return this.client.get(key(change.id())).thenCompose((found) -> {
				Entity earlier = found.filter((entity) -> present(change, found).isPresent())
					.orElseThrow(SessionStore::gone);
				return copy(change, put, earlier.etag());
			});
		});
	}

	private CompletableFuture<Void> undo(SessionChange change, @Nullable String moved) {
		CompletableFuture<?> undone = (moved != null) ? this.client.delete(Delete.of(key(change.id())).ifMatch(moved))
				: CompletableFuture.completedFuture(moved);
		// What is left expires, under an id that no browser has.
		return undone.handle((done, failure) -> failure).thenCompose((ended) -> CompletableFuture.failedFuture(gone()));
	}

	private Optional<StoredSession> present(SessionChange change, Optional<Entity> found) {
		return found.flatMap(this::decoded).filter(change::isOf);
	}

	/* In whole seconds, and never more than there are. */
	private static Duration left(Optional<Entity> found) {
		return found.flatMap((entity) -> Optional.ofNullable(entity.metadata().expires()))
			.map((expires) -> Duration.ofSeconds(Math.max(0, Duration.between(Instant.now(), expires).toSeconds())))
			.orElse(Duration.ZERO);
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
