package io.quorate.api.body;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import io.quorate.api.request.ConditionalProperties;
import io.quorate.api.request.IdempotencyKeyField;
import io.quorate.coordinator.Content;
import io.quorate.coordinator.Coordinator;
import io.quorate.coordinator.KeyWaits;
import io.quorate.coordinator.RangeScan;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.RequestContext;
import io.quorate.coordinator.ScanRequest;
import io.quorate.coordinator.Touched;
import io.quorate.coordinator.Written;
import io.quorate.entry.Condition;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.security.access.Caller.ReadableKey;
import io.quorate.security.access.Caller.ReadableRange;
import io.quorate.security.access.Caller.WritableKey;
import io.quorate.security.access.Caller;
import io.quorate.watch.ChangeSource;
import io.quorate.watch.WatchBatch;
import io.quorate.watch.WatchTerms;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import org.springframework.stereotype.Component;

/**
 * The coordinator as handlers reach it: each call takes a capability, which only the
 * check of a caller's rights makes. A handler that forgets the check does not compile.
 */
@Component
public final class AuthorizedCoordinator {

	private static final Problem CONDITION_REQUIRED = Problem.of(ProblemType.CONDITION_REQUIRED,
			"keys with this prefix (quorate.conditional.only) are written with If-Match, If-None-Match or consistency=linearizable; nothing was written");

	private final Coordinator coordinator;

	private final KeyWaits waits;

	private final ChangeSource changes;

	private final List<Key> onlyConditional;

	/** The same coordinator behind the checks. */
	public AuthorizedCoordinator(Coordinator coordinator, KeyWaits waits, ChangeSource changes,
			ConditionalProperties properties) {
		this.coordinator = coordinator;
		this.waits = waits;
		this.changes = changes;
		this.onlyConditional = properties.only().stream().map(Key::of).toList();
	}

	/** The replication factor of the present layout. */
	public int replicationFactor() {
		return this.coordinator.replicationFactor();
	}

	/**
	 * The capability to write a key on a condition. Whether that holds says which version
	 * the key has: the caller must be allowed to read it.
	 * @param condition the condition, {@link Condition#NONE} for a linearizable write
	 * without one, {@code null} for a plain write
	 * @throws io.quorate.security.access.DeniedException when the caller may not
	 * @throws ProblemException 428 when the key takes no plain writes
	 */
	public KeyWrite writing(Caller caller, Key key, @Nullable Condition condition) {
		return writing(caller, key, condition, null);
	}

	/**
	 * As {@link #writing(Caller, Key, Condition)}, for a write that may be repeated.
	 * @param once idempotency key of a write with a condition, {@code null} for none
	 */
	public KeyWrite writing(Caller caller, Key key, @Nullable Condition condition, @Nullable String once) {
		WritableKey writable = caller.writing(key);
		ReadableKey readable = (condition != null && !condition.isNone()) ? caller.reading(key) : null;
		if (condition == null && this.onlyConditional.stream().anyMatch(key::startsWith)) {
			throw new ProblemException(CONDITION_REQUIRED);
		}
		return new KeyWrite(writable, condition, readable, once, caller.principal().name());
	}

	/** Writes a value under a key that the caller may write so. */
	public Mono<Written> put(KeyWrite write, Content content, RequestContext requestContext) {
		Condition condition = write.condition(content);
		return (condition != null) ? this.coordinator.putIf(write.key.key(), condition, content, requestContext)
				: this.coordinator.put(write.key.key(), content, requestContext);
	}

	/** Deletes a key that the caller may write so. */
	public Mono<Written> delete(KeyWrite write, RequestContext requestContext) {
		Condition condition = write.condition(null);
		return (condition != null) ? this.coordinator.deleteIf(write.key.key(), condition, requestContext)
				: this.coordinator.delete(write.key.key(), requestContext);
	}

	/** Renews the time to live of a value that the caller may write on a condition. */
	public Mono<Touched> touch(KeyWrite write, Duration ttl, RequestContext requestContext) {
		Condition condition = Objects.requireNonNull(write.condition, "a touch has a condition");
		return this.coordinator.touch(write.key.key(), condition, ttl, requestContext);
	}

	/** Reads what the condition of a write has failed on. */
	public Mono<ReadOutcome> readConditioned(KeyWrite write, RequestContext requestContext) {
		return read(Objects.requireNonNull(write.conditioned), false, requestContext);
	}

	/**
	 * Reads a key that the caller may read.
	 * @param isLinearizable whether at one instant, or as its quorum says
	 */
	public Mono<ReadOutcome> read(ReadableKey key, boolean isLinearizable, RequestContext requestContext) {
		return isLinearizable ? this.coordinator.readLinearizable(key.key(), requestContext)
				: this.coordinator.read(key.key(), requestContext);
	}

	/** Reads a key that the caller may read until it holds what is awaited. */
	public Mono<ReadOutcome> await(ReadableKey key, KeyWaits.Terms terms) {
		return this.waits.until(key.key(), terms);
	}

	/** Reads a range that the caller may read. */
	public RangeScan scan(ReadableRange range, Function<ScanRange, ScanRequest> request) {
		return this.coordinator.scan(request.apply(range.range()));
	}

	/** Watches a range that the caller may read. */
	public Flux<WatchBatch> watch(ReadableRange range, Function<ScanRange, WatchTerms> terms) {
		return this.changes.watch(terms.apply(range.range()));
	}

	/** A write that a caller may do: only the check of its rights makes one. */
	public static final class KeyWrite {

		private final WritableKey key;

		private final @Nullable Condition condition;

		/* On a condition alone. */
		private final @Nullable ReadableKey conditioned;

		private final @Nullable String once;

		private final String principal;

		private KeyWrite(WritableKey key, @Nullable Condition condition, @Nullable ReadableKey conditioned,
				@Nullable String once, String principal) {
			this.key = key;
			this.condition = condition;
			this.conditioned = conditioned;
			this.once = once;
			this.principal = principal;
		}

		private @Nullable Condition condition(@Nullable Content content) {
			return (this.condition != null && this.once != null)
					? IdempotencyKeyField.once(this.condition, this.once, this.principal, content) : this.condition;
		}

		/** Whether it depends on what the key holds. */
		public boolean isConditional() {
			return this.conditioned != null;
		}

	}

}
