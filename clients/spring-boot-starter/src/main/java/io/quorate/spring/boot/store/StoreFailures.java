package io.quorate.spring.boot.store;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The failures that an application does not see, because its cache or its sessions go on
 * without the store: they are counted, and logged at most once in ten seconds. Safe for
 * threads.
 */
public final class StoreFailures {

	/** The name of the counter. */
	public static final String METER = "quorate.client.store.failures";

	private static final Log LOG = LogFactory.getLog(StoreFailures.class);

	private static final long PAUSE = Duration.ofSeconds(10).toNanos();

	private final BiConsumer<String, String> counter;

	private final AtomicLong lastLog = new AtomicLong(System.nanoTime() - PAUSE);

	/**
	 * Creates failures.
	 * @param counter gets the store and the operation of each one
	 */
	public StoreFailures(BiConsumer<String, String> counter) {
		this.counter = counter;
	}

	/**
	 * Counts a failure.
	 * @param store the name of the cache, or {@code session}
	 * @param operation what has failed
	 * @param failure the reason
	 */
	public void count(String store, String operation, Throwable failure) {
		this.counter.accept(store, operation);
		long last = this.lastLog.get();
		long now = System.nanoTime();
		if (now - last >= PAUSE && this.lastLog.compareAndSet(last, now)) {
			LOG.warn("Quorate, " + store + ", " + operation + ": " + failure);
		}
	}

}
