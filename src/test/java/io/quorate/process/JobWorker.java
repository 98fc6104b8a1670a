package io.quorate.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.quorate.process.KeyRequests.Reply;
import io.quorate.process.Lease.Belief;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A worker of a queue, by the handbook's recipe: it leases a job, counts the attempt, and
 * deletes what it has done. The value of a job is the number of its attempts. Used by one
 * thread.
 */
final class JobWorker {

	/** What was attempted so often goes to the dead ones. */
	static final int ATTEMPTS = 3;

	private final KeyRequests requests;

	private final String queue;

	private final int leaseSeconds;

	private final Work work;

	private String first = "";

	private boolean isDead;

	/**
	 * A worker.
	 * @param queue name of the jobs' prefix
	 * @param leaseSeconds the time for which it leases a job
	 */
	JobWorker(KeyRequests requests, String queue, int leaseSeconds, Work work) {
		this.requests = requests;
		this.queue = queue;
		this.leaseSeconds = leaseSeconds;
		this.work = work;
	}

	/** Works until no job is left, or until it dies. */
	void run() throws IOException, InterruptedException {
		for (List<String> jobs = jobs(); !jobs.isEmpty() && !this.isDead; jobs = jobs()) {
			Collections.shuffle(jobs);
			boolean isIdle = true;
			for (String job : jobs) {
				if (!this.isDead && take(job)) {
					isIdle = false;
				}
			}
			if (isIdle) {
				KeyRequests.awaitOthers();
			}
		}
	}

	/* Behind the deleted ones: they would be read each time. */
	private List<String> jobs() throws IOException, InterruptedException {
		String range = this.first.isEmpty() ? "prefix=jobs:%s:".formatted(this.queue)
				: "start=jobs:%s:%s&end=jobs:%1$s;".formatted(this.queue, this.first);
		Reply listed = this.requests.send("GET", "/v0/entities?keys=true&limit=100&" + range, "");
		assertThat(listed.status()).as(listed.body()).isEqualTo(200);
		List<String> jobs = new ArrayList<>();
		for (String line : listed.body().split("\n", -1)) {
			JsonNode key = line.isEmpty() ? null : JsonMapper.shared().readTree(line).get("key");
			if (key != null) {
				jobs.add(key.asString().substring("jobs:".length() + this.queue.length() + 1));
			}
		}
		if (!jobs.isEmpty()) {
			this.first = jobs.getFirst();
		}
		return jobs;
	}

	/* Whether it has begun the job. */
	private boolean take(String name) throws IOException, InterruptedException {
		Lease lease = Lease.take(this.requests, key("lease", name), this.leaseSeconds);
		if (lease == null) {
			return false;
		}
		Reply taken = attempt(name);
		boolean isBegun = false;
		if (taken != null && lease.isBelieved()) {
			work(name, taken, lease);
			isBegun = true;
		}
		if (!this.isDead) {
			lease.release();
		}
		return isBegun;
	}

	private @Nullable Reply attempt(String name) throws IOException, InterruptedException {
		Reply seen = this.requests.get(key("jobs", name));
		if (seen.status() == 404) {
			return null;
		}
		assertThat(seen.status()).as(seen.body()).isEqualTo(200);
		int attempts = Integer.parseInt(seen.body());
		if (attempts == ATTEMPTS) {
			assertThat(this.requests.create(key("dead", name), seen.body()).status()).isIn(201, 412);
			assertThat(this.requests.delete(key("jobs", name), seen).status()).isIn(202, 412);
			return null;
		}
		Reply taken = this.requests.replace(key("jobs", name), seen, Integer.toString(attempts + 1));
		assertThat(taken.status()).isIn(201, 412);
		return (taken.status() == 201) ? taken : null;
	}

	private void work(String name, Reply taken, Lease lease) throws IOException, InterruptedException {
		long begin = System.nanoTime();
		switch (this.work.perform(name)) {
			case DIED -> {
				this.isDead = true;
				this.work.ended(name, lease.unstopped(taken.etag(), begin), false);
			}
			case FAILED -> this.work.ended(name, lease.stopped(taken.etag(), begin), false);
			case DONE -> {
				Belief belief = lease.stopped(taken.etag(), begin);
				Reply deleted = this.requests.delete(key("jobs", name), taken);
				assertThat(deleted.status()).isIn(202, 412);
				this.work.ended(name, belief, deleted.status() == 202);
			}
		}
	}

	private String key(String kind, String name) {
		return kind + ":" + this.queue + ":" + name;
	}

	/** The outcome of one attempt, as the worker has it. */
	enum Outcome {

		DONE, FAILED, DIED

	}

	/** The jobs of a queue, as their workers see them. */
	interface Work {

		/** Does a job, or tries to. */
		Outcome perform(String job);

		/**
		 * Hears of the end of an attempt.
		 * @param belief the time of the attempt
		 * @param isDone whether the job is deleted by it
		 */
		void ended(String job, Belief belief, boolean isDone);

	}

}
