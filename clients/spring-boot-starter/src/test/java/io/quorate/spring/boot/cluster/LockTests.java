package io.quorate.spring.boot.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import io.quorate.client.LockLostException;
import io.quorate.spring.boot.lock.QuorateLock;
import io.quorate.spring.boot.lock.QuorateLockRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The contract of a lock registry, and what other stores got wrong. */
@SuppressWarnings("LockNotBeforeTry")
class LockTests extends Stores {

	private static final Duration TTL = Duration.ofSeconds(30 * Cluster.SLOWNESS);

	private final QuorateLockRegistry registry = registry();

	/** A registry of another process. */
	private final QuorateLockRegistry other = registry();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void stopThreads() {
		this.threads.shutdownNow();
	}

	private QuorateLockRegistry registry() {
		return new QuorateLockRegistry(client(), this.prefix, TTL);
	}

	private <T> T elsewhere(Callable<T> task) throws Exception {
		return this.threads.submit(task).get(2, TimeUnit.MINUTES);
	}

	/** Has the store lose the lock, as by the end of its time. */
	private void expire(String key) {
		client().delete(this.prefix + key);
	}

	private Instant expires() {
		return Objects.requireNonNull(client().head(this.prefix + "foo").orElseThrow().expires());
	}

	private boolean isStored(String key) {
		return client().head(this.prefix + key).isPresent();
	}

	@Test
	void lockIsStoredWhileItIsHeld() throws InterruptedException {
		for (int i = 0; i < 3; i++) {
			Lock lock = this.registry.obtain("foo");
			lock.lock();
			assertThat(isStored("foo")).isTrue();
			lock.unlock();
			lock.lockInterruptibly();
			lock.unlock();
			assertThat(lock.tryLock()).isTrue();
			lock.unlock();
			assertThat(lock.tryLock(1, TimeUnit.MINUTES)).isTrue();
			lock.unlock();
			assertThat(isStored("foo")).isFalse();
		}
	}

	@Test
	void timeOfTheLockIsThatOfTheCaller() throws InterruptedException {
		QuorateLock lock = this.registry.obtain("foo");
		lock.lock(Duration.ofHours(1));
		assertThat(expires()).isAfter(Instant.now().plus(Duration.ofMinutes(50)));
		lock.unlock();
		assertThat(lock.tryLock(Duration.ofMinutes(1), Duration.ofHours(2))).isTrue();
		assertThat(expires()).isAfter(Instant.now().plus(Duration.ofMinutes(110)));
		lock.unlock();
	}

	@Test
	void lockIsReentrant() throws InterruptedException {
		QuorateLock lock = this.registry.obtain("foo");
		lock.lock();
		assertThat(this.registry.obtain("foo")).isSameAs(lock);
		String token = lock.token();
		lock.lock();
		lock.lockInterruptibly();
		assertThat(lock.tryLock()).isTrue();
		assertThat(lock.tryLock(Duration.ZERO, TTL)).isTrue();
		assertThat(lock.token()).isEqualTo(token);
		for (int i = 0; i < 4; i++) {
			lock.unlock();
			assertThat(isStored("foo")).isTrue();
		}
		lock.unlock();
		assertThat(isStored("foo")).isFalse();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
	}

	@Test
	void otherKeysAreOtherLocks() {
		Lock foo = this.registry.obtain("foo");
		foo.lock();
		Lock bar = this.registry.obtain("bar");
		assertThat(bar).isNotSameAs(foo);
		assertThat(bar.tryLock()).isTrue();
		bar.unlock();
		foo.unlock();
	}

	@Test
	void otherThreadNeitherLocksNorUnlocks() throws Exception {
		QuorateLock lock = this.registry.obtain("foo");
		lock.lock();
		assertThat(elsewhere(() -> this.registry.obtain("foo").tryLock(200, TimeUnit.MILLISECONDS))).isFalse();
		elsewhere(() -> {
			assertThatIllegalStateException().isThrownBy(lock::unlock).withMessageContaining("You do not own the lock");
			assertThatIllegalStateException().isThrownBy(lock::token);
			assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("foo"));
			return true;
		});
		lock.unlock();
		assertThat(elsewhere(() -> {
			Lock same = this.registry.obtain("foo");
			boolean isLocked = same.tryLock();
			same.unlock();
			return isLocked;
		})).isTrue();
	}

	@Test
	void otherThreadAndOtherProcessWait() throws Exception {
		for (QuorateLockRegistry waiting : List.of(this.registry, this.other)) {
			Lock lock = this.registry.obtain("foo");
			lock.lock();
			CountDownLatch started = new CountDownLatch(1);
			AtomicInteger order = new AtomicInteger();
			Future<Integer> second = this.threads.submit(() -> {
				Lock mine = waiting.obtain("foo");
				started.countDown();
				mine.lockInterruptibly();
				int turn = order.incrementAndGet();
				mine.unlock();
				return turn;
			});
			started.await();
			assertThat(order.incrementAndGet()).isEqualTo(1);
			lock.unlock();
			assertThat(second.get(2, TimeUnit.MINUTES)).isEqualTo(2);
		}
	}

	@Test
	void tokenRises() {
		QuorateLock lock = this.registry.obtain("foo");
		lock.lock();
		String first = lock.token();
		lock.unlock();
		QuorateLock later = this.other.obtain("foo");
		later.lock();
		assertThat(later.token()).isGreaterThan(first);
		later.unlock();
	}

	@Test
	void unlockOfALostLockSaysSoAndFreesItsThread() throws Exception {
		QuorateLock lock = this.registry.obtain("foo");
		lock.lock();
		expire("foo");
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
		assertThat(elsewhere(() -> {
			lock.lock();
			lock.unlock();
			return true;
		})).isTrue();
	}

	@Test
	void unlockLeavesTheLockOfAnother() throws Exception {
		QuorateLock lock = this.registry.obtain("foo");
		lock.lock();
		expire("foo");
		CountDownLatch end = new CountDownLatch(1);
		Future<Boolean> later = this.threads.submit(() -> {
			Lock mine = this.other.obtain("foo");
			mine.lock();
			end.await();
			mine.unlock();
			return true;
		});
		Cluster.await(() -> isStored("foo"));
		assertThat(lock.tryLock()).as("locked again").isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
		assertThat(isStored("foo")).isTrue();
		end.countDown();
		assertThat(later.get(2, TimeUnit.MINUTES)).isTrue();
	}

	@Test
	void heldLockIsRenewed() throws InterruptedException {
		QuorateLock lock = this.registry.obtain("foo");
		lock.lock(Duration.ofSeconds(5));
		Instant before = expires();
		Cluster.await(() -> expires().isAfter(before));
		this.registry.renewLock("foo", Duration.ofHours(1));
		assertThat(expires()).isAfter(Instant.now().plus(Duration.ofMinutes(50)));
		this.registry.renewLock("foo");
		assertThat(this.other.obtain("foo").tryLock()).isFalse();
		lock.unlock();
	}

	@Test
	void lockThatIsNotHeldIsNotRenewed() {
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("foo"));
		QuorateLock lock = this.registry.obtain("foo");
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("foo"));
		lock.lock();
		expire("foo");
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("foo"));
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
	}

	@Test
	void holderLearnsOfTheLoss() throws Exception {
		QuorateLock lock = this.registry.obtain("foo");
		lock.lock(Duration.ofSeconds(5));
		CountDownLatch told = new CountDownLatch(1);
		lock.held().onLost(told::countDown);
		expire("foo");
		assertThat(told.await(2, TimeUnit.MINUTES)).isTrue();
		assertThat(lock.held().isHeld()).isFalse();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
	}

	@Test
	void interruptEndsAWaitThatAllowsIt() throws Exception {
		Lock lock = this.registry.obtain("foo");
		lock.lock();
		CountDownLatch started = new CountDownLatch(1);
		Thread[] waiting = new Thread[1];
		Future<Boolean> interrupted = this.threads.submit(() -> {
			waiting[0] = Thread.currentThread();
			started.countDown();
			try {
				this.other.obtain("foo").lockInterruptibly();
				return false;
			}
			catch (InterruptedException end) {
				return true;
			}
		});
		started.await();
		waiting[0].interrupt();
		assertThat(interrupted.get(2, TimeUnit.MINUTES)).isTrue();
		lock.unlock();
	}

	@Test
	void interruptDoesNotEndAPlainLockNorAnUnlock() throws Exception {
		Lock lock = this.registry.obtain("foo");
		lock.lock();
		CountDownLatch started = new CountDownLatch(1);
		Thread[] waiting = new Thread[1];
		Future<Boolean> second = this.threads.submit(() -> {
			waiting[0] = Thread.currentThread();
			started.countDown();
			Lock mine = this.other.obtain("foo");
			mine.lock();
			boolean isInterrupted = Thread.currentThread().isInterrupted();
			mine.unlock();
			return isInterrupted && Thread.interrupted();
		});
		started.await();
		waiting[0].interrupt();
		lock.unlock();
		assertThat(second.get(2, TimeUnit.MINUTES)).isTrue();
		assertThat(isStored("foo")).isFalse();
	}

	@Test
	void oneOfManyHasTheLockAtATime() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		Set<String> tokens = ConcurrentHashMap.newKeySet();
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			QuorateLockRegistry process = registry();
			for (int j = 0; j < 2; j++) {
				all.add(this.threads.submit(() -> {
					for (int k = 0; k < 3; k++) {
						QuorateLock lock = process.obtain("foo");
						lock.lock();
						assertThat(inside.incrementAndGet()).isEqualTo(1);
						assertThat(tokens.add(lock.token())).isTrue();
						inside.decrementAndGet();
						lock.unlock();
					}
				}));
			}
		}
		for (Future<?> each : all) {
			each.get(5, TimeUnit.MINUTES);
		}
		assertThat(tokens).hasSize(24);
	}

	@Test
	void oneOfTwoThatWaitIsAwoken() throws Exception {
		Lock lock = this.registry.obtain("foo");
		lock.lock();
		CountDownLatch locked = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger holders = new AtomicInteger();
		List<Future<?>> both = new ArrayList<>();
		for (QuorateLockRegistry process : List.of(this.other, registry())) {
			both.add(this.threads.submit(() -> {
				Lock mine = process.obtain("foo");
				mine.lockInterruptibly();
				holders.incrementAndGet();
				locked.countDown();
				end.await();
				holders.decrementAndGet();
				mine.unlock();
				return true;
			}));
		}
		lock.unlock();
		assertThat(locked.await(2, TimeUnit.MINUTES)).isTrue();
		assertThat(holders).hasValue(1);
		end.countDown();
		for (Future<?> each : both) {
			each.get(2, TimeUnit.MINUTES);
		}
	}

	@Test
	void taskRunsInsideALock() throws Exception {
		assertThat(this.registry.<Boolean, Exception>executeLocked("foo", () -> isStored("foo"))).isTrue();
		Lock lock = this.other.obtain("foo");
		lock.lock();
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> this.registry.executeLocked("foo", Duration.ofMillis(10), () -> {
			}));
		lock.unlock();
	}

	@Test
	void locksOfOneRegistryAreEqual() {
		assertThat(this.registry.obtain("foo")).isSameAs(this.registry.obtain("foo"))
			.isNotEqualTo(this.other.obtain("foo"));
	}

	@Test
	void heldLocksAreRemembered() {
		QuorateLock held = this.registry.obtain("held");
		held.lock();
		QuorateLock free = this.registry.obtain("free");
		this.registry.expireUnusedOlderThan(TimeUnit.HOURS.toMillis(1));
		assertThat(this.registry.obtain("free")).isSameAs(free);
		this.registry.expireUnusedOlderThan(-1_000);
		assertThat(this.registry.obtain("free")).isNotSameAs(free);
		for (int i = 0; i < 10_001; i++) {
			this.registry.obtain("many" + i);
		}
		QuorateLock last = this.registry.obtain("many10000");
		assertThat(this.registry.obtain("held")).isSameAs(held);
		assertThat(this.registry.obtain("many10000")).isSameAs(last);
		held.unlock();
	}

	@Test
	void lockIsObtainedWhileOthersForgetIt() throws Exception {
		List<Future<?>> both = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			both.add(this.threads.submit(() -> {
				for (int j = 0; j < 10; j++) {
					this.registry.expireUnusedOlderThan(-1_000);
					Lock lock = this.registry.obtain("foo" + j);
					lock.lock();
					lock.unlock();
				}
			}));
		}
		for (Future<?> each : both) {
			each.get(5, TimeUnit.MINUTES);
		}
	}

	@Test
	void oneOfTwoCandidatesLeads() throws Exception {
		AtomicInteger leaders = new AtomicInteger();
		CountDownLatch granted = new CountDownLatch(1);
		LockRegistryLeaderInitiator first = candidate(this.registry, leaders, granted);
		LockRegistryLeaderInitiator second = candidate(this.other, leaders, granted);
		first.start();
		second.start();
		assertThat(granted.await(2, TimeUnit.MINUTES)).isTrue();
		assertThat(leaders).hasValue(1);
		boolean isFirst = first.getContext().isLeader();
		(isFirst ? first : second).stop();
		LockRegistryLeaderInitiator rest = isFirst ? second : first;
		Cluster.await(() -> rest.getContext().isLeader());
		rest.stop();
	}

	private static LockRegistryLeaderInitiator candidate(QuorateLockRegistry registry, AtomicInteger leaders,
			CountDownLatch granted) {
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(registry,
				new DefaultCandidate("id", "leader") {

					@Override
					public void onGranted(Context context) {
						leaders.incrementAndGet();
						granted.countDown();
					}

				});
		ApplicationEventPublisher none = (event) -> {
		};
		initiator.setApplicationEventPublisher(none);
		return initiator;
	}

}
