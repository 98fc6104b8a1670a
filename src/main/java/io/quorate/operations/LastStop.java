package io.quorate.operations;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplicationShutdownHandlers;

/**
 * The time that the process before this one took to stop, which only this one can report.
 * A stop writes a file beside the data when it begins and when it has ended. The file is
 * absent while a node runs. Nothing depends on it: if it cannot be read or written, the
 * time is unknown. Safe for any number of threads.
 */
final class LastStop implements AutoCloseable {

	static final String FILE_NAME = "STOP";

	private static final Logger log = LoggerFactory.getLogger(LastStop.class);

	private static final String BEGUN = "begun";

	private static final double MILLIS_PER_SECOND = Duration.ofSeconds(1).toMillis();

	private final Path directory;

	private final Path file;

	private final double seconds;

	private final SpringApplicationShutdownHandlers handlers;

	private final Runnable handler = this::end;

	private final CountDownLatch ended = new CountDownLatch(1);

	/* Of a stop that nothing else ends. */
	private @Nullable Duration limit;

	private Runnable halt = () -> {
	};

	private volatile long begunNanos;

	private volatile boolean begun;

	private LastStop(Path directory, SpringApplicationShutdownHandlers handlers, double seconds) {
		this.handlers = handlers;
		this.directory = directory;
		this.file = directory.resolve(FILE_NAME);
		this.seconds = seconds;
	}

	/**
	 * Reads the file that the process before has left in a directory, and deletes it.
	 * @param handlers run when everything is closed and the process ends
	 */
	static LastStop in(Path directory, SpringApplicationShutdownHandlers handlers) {
		LastStop stop = new LastStop(directory, handlers, takeFrom(directory));
		handlers.add(stop.handler);
		return stop;
	}

	private static double takeFrom(Path directory) {
		Path file = directory.resolve(FILE_NAME);
		try {
			double seconds = Files.exists(file) ? read(Files.readString(file).strip()) : Double.NaN;
			Files.deleteIfExists(file);
			return seconds;
		}
		catch (IOException | NumberFormatException unreadable) {
			log.warn("{} cannot be read: it is not known how long the last stop took", file, unreadable);
			return Double.NaN;
		}
	}

	/** A stop that has begun and not ended was cut off: it would have taken longer. */
	private static double read(String text) {
		return text.equals(BEGUN) ? Double.POSITIVE_INFINITY : Long.parseLong(text) / MILLIS_PER_SECOND;
	}

	/**
	 * Seconds from the beginning to the end of the last stop; infinite if it was cut off,
	 * NaN if there was none or nothing is known of it.
	 */
	double seconds() {
		return this.seconds;
	}

	/**
	 * Bounds the stop, which a supervisor would end much later.
	 * @param longest the longest time that it takes
	 * @param halting ends the process at once
	 */
	void haltAfter(Duration longest, Runnable halting) {
		this.limit = longest;
		this.halt = halting;
	}

	/** Notes that the process begins to stop. */
	void begin() {
		this.begunNanos = System.nanoTime();
		this.begun = true;
		write(BEGUN);
		Duration longest = this.limit;
		if (longest != null) {
			Thread.ofPlatform().daemon().name("stop-limit").start(() -> bound(longest));
		}
	}

	private void bound(Duration longest) {
		try {
			if (!this.ended.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
				log.error("The node has not stopped within {} s (quorate.operations.stop-limit): the process ends now",
						longest.toSeconds());
				this.halt.run();
			}
		}
		catch (InterruptedException stopped) {
			Thread.currentThread().interrupt();
		}
	}

	/** Notes that the process has stopped, if it ever began to. */
	void end() {
		this.ended.countDown();
		if (this.begun) {
			long millis = Duration.ofNanos(System.nanoTime() - this.begunNanos).toMillis();
			log.info("The node has stopped within {} ms", millis);
			write(Long.toString(millis));
		}
	}

	/**
	 * The node is closed. If the process goes on, the stop ends now, and the handler is
	 * removed; else the handler ends it when everything is closed.
	 */
	@Override
	public void close() {
		try {
			this.handlers.remove(this.handler);
		}
		catch (IllegalStateException processEnds) {
			return;
		}
		end();
	}

	private void write(String text) {
		Path fresh = this.directory.resolve(FILE_NAME + ".tmp");
		try {
			if (Files.isDirectory(this.directory)) {
				Files.writeString(fresh, text + "\n", StandardCharsets.US_ASCII);
				Files.move(fresh, this.file, StandardCopyOption.ATOMIC_MOVE);
			}
		}
		catch (IOException failure) {
			log.warn("{} cannot be written: the next start will not know how long this stop took", this.file, failure);
		}
	}

}
