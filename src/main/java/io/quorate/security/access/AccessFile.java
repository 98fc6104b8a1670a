package io.quorate.security.access;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.quorate.clock.TimeSource;
import io.quorate.security.SecretFiles;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The access file, watched: its content is compared every few seconds, which also finds
 * files that Kubernetes replaces by symbolic links. A new content that can be used is in
 * use as soon as two looks have found it, for open connections, too: half of a file that
 * is being written may grant more than the whole. One that cannot be used changes
 * nothing, and is an error in the log and a meter. One thread of its own reads.
 */
final class AccessFile implements AutoCloseable {

	private static final Duration INTERVAL = Duration.ofSeconds(5);

	/* Least time between two looks that find the same. */
	static final Duration SETTLED = Duration.ofMillis(500);

	private static final Logger log = LoggerFactory.getLogger(AccessFile.class);

	private static final double MILLIS_PER_SECOND = 1000;

	private final Path path;

	private final Audit audit;

	private final ScheduledExecutorService thread;

	private volatile Access access;

	private volatile boolean valid = true;

	/* These belong to the thread. */
	private byte[] content;

	private final Settling settling = new Settling();

	private @Nullable String lastError;

	/**
	 * Reads the file, and watches it from now on.
	 * @param thread reads the file, and ends with this
	 * @throws AccessFileException when it cannot be used
	 */
	AccessFile(Path path, ScheduledExecutorService thread, Audit audit, TimeSource clock, MeterRegistry meters) {
		this.path = path;
		this.thread = thread;
		this.audit = audit;
		this.content = contentAtStart();
		this.access = accessAtStart(this.content);
		SecretFiles.warnOfReaders("access file", this.path);
		SecurityMeters.ACCESS_VALID.gauge(meters, this, (file) -> file.valid ? 1 : 0);
		SecurityMeters.CREDENTIAL_REMAINING.gauge(meters, this,
				(file) -> remainingSeconds(file.access, Instant.ofEpochMilli(clock.millis())));
		// What the start has read may have been half of it.
		lookAfter(SETTLED);
	}

	private static double seconds(Instant from, Instant to) {
		return Duration.between(from, to).toMillis() / MILLIS_PER_SECOND;
	}

	private static double remainingSeconds(Access access, Instant now) {
		return access.firstEnd(now).map((end) -> seconds(now, end)).orElse(Double.NaN);
	}

	/* A pipe would keep the thread for ever, a huge file take the memory of the node. */
	private byte[] content() throws IOException {
		if (Files.exists(this.path) && !Files.isRegularFile(this.path)) {
			throw new AccessFileException("it is no regular file");
		}
		try (InputStream in = Files.newInputStream(this.path)) {
			return in.readNBytes(AccessReader.MAX_BYTES + 1);
		}
	}

	private byte[] contentAtStart() {
		try {
			return content();
		}
		catch (IOException absent) {
			throw new AccessFileException(
					"quorate.security.access: %s cannot be read: %s".formatted(this.path, absent.toString()));
		}
	}

	private Access accessAtStart(byte[] bytes) {
		try {
			return AccessReader.read(bytes, Access.NONE);
		}
		catch (AccessFileException wrong) {
			throw new AccessFileException(
					"quorate.security.access: %s cannot be used: %s".formatted(this.path, wrong.getMessage()));
		}
	}

	/** The access that is in use. */
	Access access() {
		return this.access;
	}

	private void lookAfter(Duration delay) {
		try {
			var _ = this.thread.schedule(() -> lookAfter(look()), delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException closed) {
			log.debug("The access file is not watched any more", closed);
		}
	}

	/* Returns the time until the next one, whatever happens: nothing else looks again. */
	private Duration look() {
		try {
			byte[] now = content();
			if (isSame(now, this.content)) {
				this.settling.forget();
			}
			else if (!this.settling.isOver(now, System.nanoTime())) {
				return SETTLED;
			}
			else {
				use(AccessReader.read(now, this.access), now);
			}
			this.valid = true;
			this.lastError = null;
		}
		catch (IOException | RuntimeException | Error unusable) {
			this.valid = false;
			String error = (unusable instanceof AccessFileException) ? String.valueOf(unusable.getMessage())
					: unusable.toString();
			if (!error.equals(this.lastError)) {
				this.lastError = error;
				log.error("The access file {} cannot be used, the one before stays in use: {}", this.path, error);
			}
		}
		return INTERVAL;
	}

	private static boolean isSame(byte[] now, byte @Nullable [] before) {
		return Arrays.equals(now, before);
	}

	private void use(Access later, byte[] bytes) {
		Access.Changes changes = this.access.changesTo(later);
		this.content = bytes;
		this.access = later;
		if (!changes.isEmpty()) {
			log.info("The access file {} is in use as it is now: {} principals were added, {} removed, {} changed",
					this.path, changes.added().size(), changes.removed().size(), changes.changed().size());
			this.audit.changed(changes);
		}
	}

	@Override
	public void close() {
		this.thread.shutdownNow();
	}

	/** A new content, until it stays the same. */
	static final class Settling {

		private byte @Nullable [] found;

		private long foundNanos;

		/** Whether the look of some time ago has found the same. */
		boolean isOver(byte[] now, long nanos) {
			if (!isSame(now, this.found)) {
				this.found = now;
				this.foundNanos = nanos;
			}
			return nanos - this.foundNanos >= SETTLED.toNanos();
		}

		/** The content is again the one that is in use. */
		void forget() {
			this.found = null;
		}

	}

}
