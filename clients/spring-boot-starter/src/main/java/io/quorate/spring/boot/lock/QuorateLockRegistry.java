package io.quorate.spring.boot.lock;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.quorate.client.QuorateClient;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * The locks of Spring Integration in the cluster. It remembers up to 10,000 locks, and
 * all that are held. Safe for threads.
 */
public final class QuorateLockRegistry
		implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

	private static final int MOST_LOCKS = 10_000;

	private final QuorateClient client;

	private final String prefix;

	private final Duration ttl;

	/* Those that were obtained last are at the end. */
	private final Map<String, QuorateLock> locks = new LinkedHashMap<>(16, 0.75F, true);

	/**
	 * Creates a registry.
	 * @param client the client, which stays open
	 * @param prefix the beginning of the keys
	 * @param ttl the time after which the lock of a process that has ended is free, at
	 * least 5 seconds
	 */
	public QuorateLockRegistry(QuorateClient client, String prefix, Duration ttl) {
		this.client = client;
		this.prefix = prefix;
		this.ttl = ttl;
	}

	@Override
	public QuorateLock obtain(Object key) {
		String id = this.prefix + key;
		synchronized (this.locks) {
			QuorateLock lock = this.locks.computeIfAbsent(id,
					(absent) -> new QuorateLock(this.client, absent, this.ttl));
			if (this.locks.size() > MOST_LOCKS) {
				this.locks.values()
					.stream()
					.filter((each) -> each != lock && !each.isUsed())
					.findFirst()
					.ifPresent((oldest) -> this.locks.values().remove(oldest));
			}
			return lock;
		}
	}

	@Override
	public void expireUnusedOlderThan(long age) {
		synchronized (this.locks) {
			this.locks.values()
				.removeIf((each) -> !each.isUsed() && each.unusedNanos() > TimeUnit.MILLISECONDS.toNanos(age));
		}
	}

	@Override
	public void renewLock(Object key) {
		renew(key, null);
	}

	@Override
	public void renewLock(Object key, Duration time) {
		renew(key, time);
	}

	private void renew(Object key, @Nullable Duration time) {
		QuorateLock lock;
		synchronized (this.locks) {
			lock = this.locks.get(this.prefix + key);
		}
		if (lock == null) {
			throw new IllegalStateException("You do not own the lock at " + this.prefix + key);
		}
		lock.renew(time);
	}

	/** Returns the number of the locks that it remembers. */
	int size() {
		synchronized (this.locks) {
			return this.locks.size();
		}
	}

}
