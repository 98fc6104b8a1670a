package io.quorate.security.jwt;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import io.quorate.clock.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JSON web tokens of one issuer. A token that was checked is known at once until its
 * end; any other one is checked on two threads of their own, each only once at a time,
 * and a bounded number of them, for one address and in all. Safe for any number of
 * threads.
 */
public final class Jwts implements AutoCloseable {

	static final int MAX_KNOWN = 10_000;

	static final int MAX_PENDING = 256;

	/* The others are for tokens whose key is known: a reading of keys may hang. */
	static final int MAX_WAITING_FOR_KEYS = MAX_PENDING / 2;

	/* The others are for tokens of other addresses. */
	static final int MAX_PENDING_OF_ADDRESS = MAX_PENDING / 4;

	/** The time within which a check ends: longer than a reading of the keys takes. */
	static final Duration DEADLINE = Duration.ofSeconds(10);

	private static final int THREADS = 2;

	private static final Duration IDLE = Duration.ofSeconds(10);

	private static final Logger log = LoggerFactory.getLogger(Jwts.class);

	private final JwtCheck check;

	private final WatchedKeys keys;

	private final TimeSource clock;

	private final Duration deadline;

	/* Both by the SHA-256 of the token. */
	private final Cache<ByteBuffer, VerifiedJwt> known;

	private final Map<ByteBuffer, CompletableFuture<VerifiedJwt>> pending = new ConcurrentHashMap<>();

	private final Map<String, Integer> pendingByAddress = new ConcurrentHashMap<>();

	private final AtomicInteger waitingForKeys = new AtomicInteger();

	private final ThreadPoolExecutor threads;

	/**
	 * Tokens that are checked by these keys.
	 * @param deadline the time within which a check ends
	 */
	Jwts(JwtCheck check, WatchedKeys keys, TimeSource clock, Duration deadline) {
		this.check = check;
		this.keys = keys;
		this.clock = clock;
		this.deadline = deadline;
		this.known = Caffeine.newBuilder()
			.maximumSize(MAX_KNOWN)
			.expireAfter(Expiry.<ByteBuffer, VerifiedJwt>writing((_, token) -> Duration.between(now(), token.end())))
			.executor(Runnable::run)
			.build();
		this.threads = new ThreadPoolExecutor(THREADS, THREADS, IDLE.toMillis(), TimeUnit.MILLISECONDS,
				new LinkedBlockingQueue<>(2 * MAX_PENDING), Thread.ofPlatform().name("jwt-", 1).daemon().factory());
		this.threads.allowCoreThreadTimeOut(true);
	}

	/** Whether a text may be a token. */
	public static boolean hasForm(String text) {
		return JwtCheck.hasForm(text);
	}

	/**
	 * The subject that a token names, though nothing proves it; {@code null} if none is
	 * found.
	 */
	public static @Nullable String claimedSubject(String token) {
		return JwtCheck.claimedSubject(token);
	}

	/** The issuer whose tokens are valid. */
	public String issuer() {
		return this.check.issuer();
	}

	/** The audience that a token must name. */
	public String audience() {
		return this.check.audience();
	}

	/** Number of keys that the issuer has. */
	public int keys() {
		return this.keys.keys().size();
	}

	/** Whether the keys could be used when they were read the last time. */
	public boolean areKeysValid() {
		return this.keys.areValid();
	}

	/** Whether a token is still valid. */
	public boolean isValid(VerifiedJwt token, Instant now) {
		return token.isValid(this.keys.keys(), now);
	}

	/** A token that was checked before, {@code null} when it has to be checked first. */
	public @Nullable VerifiedJwt known(String token, Instant now) {
		if (token.length() > JwtCheck.MAX_LENGTH) {
			return null;
		}
		VerifiedJwt verified = this.known.getIfPresent(digest(token));
		return (verified != null && isValid(verified, now)) ? verified : null;
	}

	/**
	 * Checks a token. Completes on another thread, exceptionally when the token is
	 * refused, with a {@link RejectedExecutionException} when too many wait, and with a
	 * {@link TimeoutException} when the check has not ended in time.
	 * @param address the client's; only some of the places are for the tokens of one
	 */
	public CompletableFuture<VerifiedJwt> verify(String token, String address) {
		if (token.length() > JwtCheck.MAX_LENGTH) {
			return CompletableFuture.failedFuture(new RefusedJwtException(RefusedJwtException.Reason.MALFORMED));
		}
		ByteBuffer digest = digest(token);
		CompletableFuture<VerifiedJwt> outcome = new CompletableFuture<>();
		// A client that has its result finds the place of the check free.
		CompletableFuture<VerifiedJwt> result = outcome.whenComplete((_, _) -> ended(digest, address));
		CompletableFuture<VerifiedJwt> underWay = this.pending.putIfAbsent(digest, result);
		if (underWay != null) {
			return underWay;
		}
		int ofAddress = this.pendingByAddress.merge(address, 1, Integer::sum);
		if (ofAddress > MAX_PENDING_OF_ADDRESS || this.pending.size() > MAX_PENDING) {
			outcome.completeExceptionally(new RejectedExecutionException("too many tokens wait for their check"));
		}
		else {
			outcome.orTimeout(this.deadline.toNanos(), TimeUnit.NANOSECONDS);
			check(token, digest, outcome, true);
		}
		return result;
	}

	private void ended(ByteBuffer digest, String address) {
		this.pending.remove(digest);
		this.pendingByAddress.computeIfPresent(address, (_, number) -> (number > 1) ? number - 1 : null);
	}

	private void check(String token, ByteBuffer digest, CompletableFuture<VerifiedJwt> result, boolean mayLookAgain) {
		try {
			this.threads.execute(() -> checkNow(token, digest, result, mayLookAgain));
		}
		catch (RejectedExecutionException full) {
			result.completeExceptionally(full);
		}
		catch (OutOfMemoryError noThread) {
			result.completeExceptionally(new RejectedExecutionException("no thread can be started", noThread));
		}
	}

	private void checkNow(String token, ByteBuffer digest, CompletableFuture<VerifiedJwt> result,
			boolean mayLookAgain) {
		try {
			VerifiedJwt verified = this.check.verify(token, this.keys.keys(), now());
			this.known.put(digest, verified);
			result.complete(verified);
		}
		catch (RefusedJwtException refused) {
			CompletableFuture<Void> another = (mayLookAgain
					&& refused.reason() == RefusedJwtException.Reason.UNKNOWN_KEY) ? this.keys.another() : null;
			if (another != null) {
				checkAfter(another, token, digest, result);
			}
			else {
				log.debug("A JSON web token is refused: {}", refused.reason());
				result.completeExceptionally(refused);
			}
		}
		catch (RuntimeException | Error broken) {
			log.debug("A JSON web token cannot be checked", broken);
			result.completeExceptionally(broken);
		}
	}

	private void checkAfter(CompletableFuture<Void> reading, String token, ByteBuffer digest,
			CompletableFuture<VerifiedJwt> result) {
		if (this.waitingForKeys.incrementAndGet() > MAX_WAITING_FOR_KEYS) {
			this.waitingForKeys.decrementAndGet();
			result.completeExceptionally(
					new RejectedExecutionException("too many tokens wait for a reading of the keys"));
			return;
		}
		var _ = reading.thenRun(() -> {
			this.waitingForKeys.decrementAndGet();
			check(token, digest, result, false);
		});
	}

	private Instant now() {
		return Instant.ofEpochMilli(this.clock.millis());
	}

	private static ByteBuffer digest(String token) {
		try {
			return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException impossible) {
			throw new IllegalStateException("every JDK has SHA-256", impossible);
		}
	}

	/** Ends the checks; the tokens that wait for theirs are not checked any more. */
	@Override
	public void close() {
		this.keys.close();
		this.threads.shutdownNow();
		this.pending.values()
			.forEach((result) -> result.completeExceptionally(new RejectedExecutionException("this node stops")));
	}

}
