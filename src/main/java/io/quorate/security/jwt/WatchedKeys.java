package io.quorate.security.jwt;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of an issuer, watched: its source is read every few seconds or minutes, and
 * earlier for a token whose key is not known. Keys that cannot be used change nothing,
 * and are an error in the log and a meter. One thread of its own reads.
 */
final class WatchedKeys implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(WatchedKeys.class);

	private final KeySource source;

	private final long gapNanos;

	private final LongSupplier nanos;

	private final ScheduledExecutorService thread = Executors
		.newSingleThreadScheduledExecutor((task) -> Thread.ofPlatform().name("jwt-keys").daemon().unstarted(task));

	private volatile IssuerKeys keys = IssuerKeys.NONE;

	private volatile boolean valid;

	private @Nullable CompletableFuture<Void> underWay;

	private long lookedNanos;

	/* These belong to the thread. */
	private byte @Nullable [] content;

	private @Nullable String lastError;

	/**
	 * Keys that are not read yet.
	 * @param gap least time between two readings for tokens with unknown keys
	 */
	WatchedKeys(KeySource source, Duration gap, LongSupplier nanos) {
		this.source = source;
		this.gapNanos = gap.toNanos();
		this.nanos = nanos;
		this.lookedNanos = nanos.getAsLong() - this.gapNanos;
	}

	/**
	 * Reads the keys.
	 * @throws JwtKeysException when they cannot be used
	 */
	WatchedKeys required() {
		try {
			use();
		}
		catch (IOException | InterruptedException absent) {
			throw new JwtKeysException(
					"quorate.security.jwt: the keys in %s cannot be read: %s".formatted(this.source.name(), absent));
		}
		catch (JwtKeysException wrong) {
			throw new JwtKeysException("quorate.security.jwt: the keys in %s cannot be used: %s"
				.formatted(this.source.name(), wrong.getMessage()));
		}
		return this;
	}

	/** Watches the keys from now on; until they are there no token is valid. */
	WatchedKeys watched(Duration interval) {
		var _ = this.thread.scheduleWithFixedDelay(this::look, 0, interval.toNanos(), TimeUnit.NANOSECONDS);
		return this;
	}

	/** The keys that are in use. */
	IssuerKeys keys() {
		return this.keys;
	}

	/** Whether they could be used when they were read the last time. */
	boolean areValid() {
		return this.valid;
	}

	/**
	 * A reading for a token whose key is not known; {@code null} when the last one of
	 * that kind is too short ago.
	 */
	synchronized @Nullable CompletableFuture<Void> another() {
		if (this.underWay != null) {
			return this.underWay;
		}
		long now = this.nanos.getAsLong();
		if (now - this.lookedNanos < this.gapNanos) {
			return null;
		}
		this.lookedNanos = now;
		CompletableFuture<Void> reading = new CompletableFuture<>();
		try {
			this.thread.execute(() -> {
				try {
					look();
				}
				finally {
					ended(reading);
				}
			});
		}
		catch (RejectedExecutionException closed) {
			return null;
		}
		this.underWay = reading;
		return reading;
	}

	private void ended(CompletableFuture<Void> reading) {
		synchronized (this) {
			this.underWay = null;
		}
		reading.complete(null);
	}

	/* A task that throws would not run again. */
	private void look() {
		try {
			use();
			this.lastError = null;
		}
		catch (InterruptedException closed) {
			Thread.currentThread().interrupt();
		}
		catch (IOException | RuntimeException | Error unusable) {
			this.valid = false;
			String error = (unusable instanceof JwtKeysException) ? String.valueOf(unusable.getMessage())
					: unusable.toString();
			if (!error.equals(this.lastError)) {
				this.lastError = error;
				log.error("The keys of JSON web tokens in {} cannot be used, those before stay in use: {}",
						this.source.name(), error);
			}
		}
	}

	private void use() throws IOException, InterruptedException {
		byte[] now = this.source.content();
		if (this.content == null || !Arrays.equals(now, this.content)) {
			IssuerKeys later = IssuerKeys.read(now).after(this.keys);
			this.content = now;
			this.keys = later;
			log.info("The keys of JSON web tokens in {} are in use as they are now: {}", this.source.name(),
					later.size());
		}
		this.valid = true;
	}

	@Override
	public void close() {
		this.thread.shutdownNow();
	}

}
