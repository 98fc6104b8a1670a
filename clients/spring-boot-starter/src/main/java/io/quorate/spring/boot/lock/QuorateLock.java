package io.quorate.spring.boot.lock;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.quorate.client.CallInterruptedException;
import io.quorate.client.HeldLock;
import io.quorate.client.LockLostException;
import io.quorate.client.LockedException;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock of one thread of all processes, which the client renews while the thread holds
 * it. Locked again by its thread it asks the store whether it still is. Safe for threads.
 */
public final class QuorateLock implements DistributedLock {

	private static final Duration TURN = Duration.ofMinutes(1);

	private final QuorateClient client;

	private final String key;

	private final Duration ttl;

	private final ReentrantLock local = new ReentrantLock();

	private volatile @Nullable HeldLock held;

	private volatile long lastUse = System.nanoTime();

	QuorateLock(QuorateClient client, String key, Duration ttl) {
		this.client = client;
		this.key = key;
		this.ttl = ttl;
	}

	/**
	 * Returns the fencing token, as text above those of all earlier holders.
	 * @throws IllegalStateException if this thread does not hold the lock
	 */
	public String token() {
		return held().token();
	}

	/**
	 * Returns the lock as the client has it, which tells of its loss.
	 * @throws IllegalStateException if this thread does not hold the lock
	 */
	public HeldLock held() {
		HeldLock present = this.held;
		if (present == null || !this.local.isHeldByCurrentThread()) {
			throw new IllegalStateException("You do not own the lock at " + this.key);
		}
		return present;
	}

	@Override
	public void lock() {
		lock(this.ttl);
	}

	@Override
	public void lock(Duration time) {
		this.local.lock();
		boolean isInterrupted = false;
		boolean isLocked = false;
		try {
			while (!isLocked) {
				try {
					isLocked = acquire(time, TURN);
				}
				catch (QuorateException failure) {
					if (!isInterrupt(failure) || !Thread.interrupted()) {
						throw failure;
					}
					isInterrupted = true;
				}
			}
		}
		finally {
			left(isLocked);
			if (isInterrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.local.lockInterruptibly();
		boolean isLocked = false;
		try {
			while (!isLocked) {
				isLocked = acquireInterruptibly(this.ttl, TURN);
			}
		}
		finally {
			left(isLocked);
		}
	}

	@Override
	public boolean tryLock() {
		if (!this.local.tryLock()) {
			return false;
		}
		boolean isLocked = false;
		try {
			isLocked = acquire(this.ttl, Duration.ZERO);
			return isLocked;
		}
		catch (LockLostException lost) {
			return false;
		}
		finally {
			left(isLocked);
		}
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return tryLock(Duration.ofNanos(unit.toNanos(time)), this.ttl);
	}

	@Override
	public boolean tryLock(Duration wait, Duration time) throws InterruptedException {
		long begin = System.nanoTime();
		if (!this.local.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS)) {
			return false;
		}
		boolean isLocked = false;
		try {
			Duration left = wait.minusNanos(System.nanoTime() - begin);
			isLocked = acquireInterruptibly(time, left.isNegative() ? Duration.ZERO : left);
			return isLocked;
		}
		catch (LockLostException lost) {
			return false;
		}
		finally {
			left(isLocked);
		}
	}

	private boolean acquireInterruptibly(Duration time, Duration wait) throws InterruptedException {
		try {
			return acquire(time, wait);
		}
		catch (QuorateException failure) {
			if (!isInterrupt(failure) || !Thread.interrupted()) {
				throw failure;
			}
			InterruptedException thrown = new InterruptedException();
			thrown.initCause(failure);
			throw thrown;
		}
	}

	/* The outcome of a write that was under way is unknown besides. */
	private static boolean isInterrupt(QuorateException failure) {
		return failure instanceof CallInterruptedException || failure.getCause() instanceof CallInterruptedException;
	}

	private boolean acquire(Duration time, Duration wait) {
		HeldLock present = this.held;
		if (present != null) {
			present.renew(time);
			return true;
		}
		try {
			this.held = this.client.lock(this.key, time, wait);
			return true;
		}
		catch (LockedException other) {
			return false;
		}
	}

	private void left(boolean isLocked) {
		this.lastUse = System.nanoTime();
		if (!isLocked) {
			this.local.unlock();
		}
	}

	/**
	 * Releases the lock, also if the thread was interrupted.
	 * @throws IllegalStateException if this thread does not hold the lock
	 * @throws ConcurrentModificationException if another one may have had it
	 */
	@Override
	public void unlock() {
		HeldLock present = held();
		if (this.local.getHoldCount() > 1) {
			this.local.unlock();
			return;
		}
		boolean isInterrupted = Thread.interrupted();
		try {
			present.release();
		}
		catch (LockLostException lost) {
			throw (ConcurrentModificationException) new ConcurrentModificationException(
					"The lock at " + this.key + " was lost before its release")
				.initCause(lost);
		}
		finally {
			this.held = null;
			this.lastUse = System.nanoTime();
			this.local.unlock();
			if (isInterrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("a lock of several processes has no conditions");
	}

	void renew(@Nullable Duration time) {
		try {
			held().renew((time != null) ? time : this.ttl);
		}
		catch (LockLostException lost) {
			throw new IllegalStateException("The lock at " + this.key + " is lost", lost);
		}
	}

	boolean isUsed() {
		return this.local.isLocked() || this.local.hasQueuedThreads();
	}

	long unusedNanos() {
		return System.nanoTime() - this.lastUse;
	}

	@Override
	public String toString() {
		return "QuorateLock[" + this.key + ", " + (isUsed() ? "used" : "free") + "]";
	}

}
