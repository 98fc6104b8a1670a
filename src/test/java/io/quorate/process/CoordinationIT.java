package io.quorate.process;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.process.JobWorker.Outcome;
import io.quorate.process.KeyRequests.Reply;
import io.quorate.process.Lease.Belief;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many clients that do at once what the handbook's recipes say, through all nodes and
 * without a fault.
 */
class CoordinationIT extends SharedCluster {

	private static final int CREATORS = 24;

	private static final int CREATIONS = Scale.of(20, 200);

	private static final int COUNTERS = 8;

	private static final int INCREMENTS = Scale.of(25, 250);

	private static final int LIMIT_OF_RATE = Scale.of(20, 500);

	private static final int CONTENDERS = Scale.of(10, 50);

	/* The first ones never delete the lock. */
	private static final int STOPPING = CONTENDERS / 5;

	private static final int HOLDS = Scale.of(2, 10);

	private static final int JOBS = Scale.of(50, 1000);

	private static final int WORKERS = Scale.of(4, 24);

	private static final int DYING = Scale.of(2, 12);

	private static final String POISON = "0020";

	private static final Duration LIMIT = Duration.ofMinutes(Scale.of(5, 60));

	private final KeyRequests requests = new KeyRequests(() -> this.cluster);

	@AfterAll
	void closeRequests() {
		this.requests.close();
	}

	@Test
	void aKeyIsCreatedOnce() throws Exception {
		for (int i = 0; i < CREATIONS; i++) {
			String key = "coordination-once-" + i;
			Queue<Reply> winners = new ConcurrentLinkedQueue<>();
			Workers.run(CREATORS, LIMIT, (number) -> {
				Reply created = this.requests.create(key, "by " + number);
				assertThat(created.status()).isIn(201, 412);
				if (created.status() == 201) {
					winners.add(created);
				}
			});
			assertThat(winners).as("those who created %s", key).hasSize(1);
			assertThat(this.requests.get(key).etag()).isEqualTo(winners.element().etag());
		}
	}

	@Test
	void aCounterHasEachIncrement() throws Exception {
		String key = "coordination-counter";
		Workers.run(COUNTERS, LIMIT, (_) -> {
			for (int i = 0; i < INCREMENTS; i++) {
				assertThat(increment(key, "", "", Integer.MAX_VALUE)).isTrue();
			}
		});
		assertThat(this.requests.get(key).body()).isEqualTo(Integer.toString(COUNTERS * INCREMENTS));
	}

	@Test
	void aRateLimitLetsNoMoreThrough() throws Exception {
		String key = "coordination-rate";
		assertThat(increment(key, "?ttl=3600", "?ttl=keep", LIMIT_OF_RATE)).isTrue();
		String expires = this.requests.get(key).expires();
		AtomicInteger through = new AtomicInteger(1);
		Workers.run(COUNTERS, LIMIT, (_) -> {
			while (increment(key, "?ttl=3600", "?ttl=keep", LIMIT_OF_RATE)) {
				through.incrementAndGet();
			}
		});
		assertThat(through).hasValue(LIMIT_OF_RATE);
		assertThat(this.requests.get(key).expires()).isNotEmpty().isEqualTo(expires);
	}

	/* Whether the number was below the limit. */
	private boolean increment(String key, String whenCreated, String whenReplaced, int limit)
			throws IOException, InterruptedException {
		while (true) {
			Reply seen = this.requests.get(key);
			assertThat(seen.status()).isIn(200, 404);
			int count = (seen.status() == 200) ? Integer.parseInt(seen.body()) : 0;
			if (count == limit) {
				return false;
			}
			String next = Integer.toString(count + 1);
			Reply written = (seen.status() == 200) ? this.requests.replace(key + whenReplaced, seen, next)
					: this.requests.create(key + whenCreated, next);
			assertThat(written.status()).isIn(201, 412);
			if (written.status() == 201) {
				return true;
			}
		}
	}

	@Test
	void aLockHasOneHolderAtATime() throws Exception {
		String key = "coordination-lock";
		Queue<Belief> beliefs = new ConcurrentLinkedQueue<>();
		Workers.run(CONTENDERS, LIMIT, (number) -> {
			if (number < STOPPING) {
				Lease lease = takeLock(key, Lease.SHORT_SECONDS);
				beliefs.add(lease.unstopped(lease.token(), System.nanoTime()));
			}
			for (int i = 0; i < HOLDS && number >= STOPPING; i++) {
				beliefs.add(hold(key));
			}
		});
		beliefs.add(hold(key));
		assertThat(beliefs).hasSize(STOPPING + (CONTENDERS - STOPPING) * HOLDS + 1);
		Belief.requireOneAtATime(beliefs);
	}

	private Belief hold(String key) throws IOException, InterruptedException {
		Lease lease = takeLock(key, Lease.LONG_SECONDS);
		long begin = System.nanoTime();
		lease.touch();
		Belief belief = lease.stopped(lease.token(), begin);
		lease.release();
		return belief;
	}

	private Lease takeLock(String key, int seconds) throws IOException, InterruptedException {
		Lease lease = Lease.take(this.requests, key, seconds);
		while (lease == null) {
			KeyRequests.awaitOthers();
			lease = Lease.take(this.requests, key, seconds);
		}
		return lease;
	}

	@Test
	void aJobIsDoneOnceOrAgainWhenItsLeaseIsOver() throws Exception {
		for (int i = 0; i < JOBS; i++) {
			assertThat(this.requests.create("jobs:coordination:%04d".formatted(i), "0").status()).isEqualTo(201);
		}
		Attempts attempts = new Attempts();
		Workers.run(DYING, LIMIT, (_) -> worker(Lease.SHORT_SECONDS, attempts.andDie()).run());
		Set<String> left = Set.copyOf(attempts.begun.keySet());
		Workers.run(WORKERS, LIMIT, (_) -> worker(Lease.LONG_SECONDS, attempts).run());
		assertThat(attempts.done).hasSize(JOBS - 1)
			.doesNotContainKey(POISON)
			.allSatisfy((_, times) -> assertThat(times).hasValue(1));
		assertThat(attempts.begun).hasSize(JOBS);
		attempts.begun.values().forEach(Belief::requireOneAtATime);
		assertThat(left).isNotEmpty().allSatisfy((job) -> assertThat(attempts.begun.get(job)).hasSizeGreaterThan(1));
		assertThat(keys("jobs")).isEqualTo(0);
		assertThat(keys("lease")).isEqualTo(0);
		assertThat(keys("dead")).isEqualTo(1);
		assertThat(this.requests.get("dead:coordination:" + POISON).body())
			.isEqualTo(Integer.toString(JobWorker.ATTEMPTS));
	}

	private JobWorker worker(int leaseSeconds, JobWorker.Work work) {
		return new JobWorker(this.requests, "coordination", leaseSeconds, work);
	}

	private long keys(String kind) throws IOException, InterruptedException {
		return this.requests.send("GET", "/v0/entities?keys=true&prefix=%s:coordination:".formatted(kind), "")
			.body()
			.lines()
			.filter((line) -> line.contains("\"key\""))
			.count();
	}

	/** The attempts of all workers. The poisoned job fails, the others are done. */
	private static final class Attempts implements JobWorker.Work {

		private final Map<String, Queue<Belief>> begun = new ConcurrentHashMap<>();

		private final Map<String, AtomicInteger> done = new ConcurrentHashMap<>();

		/** The same for workers that take a job and die. */
		JobWorker.Work andDie() {
			return new JobWorker.Work() {

				@Override
				public Outcome perform(String job) {
					return Outcome.DIED;
				}

				@Override
				public void ended(String job, Belief belief, boolean isDone) {
					Attempts.this.ended(job, belief, isDone);
				}

			};
		}

		@Override
		public Outcome perform(String job) {
			return job.equals(POISON) ? Outcome.FAILED : Outcome.DONE;
		}

		@Override
		public void ended(String job, Belief belief, boolean isDone) {
			this.begun.computeIfAbsent(job, (_) -> new ConcurrentLinkedQueue<>()).add(belief);
			if (isDone) {
				this.done.computeIfAbsent(job, (_) -> new AtomicInteger()).incrementAndGet();
			}
		}

	}

}
