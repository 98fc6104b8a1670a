package io.quorate.process;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import io.quorate.process.KeyRequests.Reply;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A key that a client has created with an expiry, and in which it believes for a while,
 * as the handbook's recipe of a lock has it. Used by one thread.
 */
final class Lease {

	/** The shortest one, of a holder that stops: others wait until it is over. */
	static final int SHORT_SECONDS = 5;

	/** That of a holder that goes on, however busy the machine is. */
	static final int LONG_SECONDS = 60;

	private final KeyRequests requests;

	private final String key;

	private final int seconds;

	private final Reply created;

	private long until;

	private Lease(KeyRequests requests, String key, int seconds, Reply created, long sent) {
		this.requests = requests;
		this.key = key;
		this.seconds = seconds;
		this.created = created;
		believe(sent);
	}

	/** Takes it, or returns {@code null} while another client has it. */
	static @Nullable Lease take(KeyRequests requests, String key, int seconds)
			throws IOException, InterruptedException {
		long sent = System.nanoTime();
		Reply created = requests.create(key + "?ttl=" + seconds, "held");
		assertThat(created.status()).isIn(201, 412);
		return (created.status() == 201) ? new Lease(requests, key, seconds, created, sent) : null;
	}

	private void believe(long sent) {
		this.until = sent + Duration.ofMillis(900L * this.seconds - 1000).toNanos();
	}

	String token() {
		return this.created.etag();
	}

	boolean isBelieved() {
		return System.nanoTime() - this.until < 0;
	}

	void touch() throws IOException, InterruptedException {
		long sent = System.nanoTime();
		Reply touched = this.requests.touch(this.key + "?ttl=" + this.seconds, this.created);
		assertThat(touched.status()).isIn(200, 404, 412);
		if (touched.status() == 200) {
			believe(sent);
		}
	}

	/** Deletes it, unless another client has it by now. */
	void release() throws IOException, InterruptedException {
		assertThat(this.requests.delete(this.key, this.created).status()).isIn(202, 412);
	}

	/** The time for which its holder has believed in it, if it has stopped now. */
	Belief stopped(String token, long begin) {
		return new Belief(token, begin, isBelieved() ? System.nanoTime() : this.until);
	}

	/** The time for which its holder believes in it, if it never stops. */
	Belief unstopped(String token, long begin) {
		return new Belief(token, begin, this.until);
	}

	/**
	 * A time in which a client did what no other might do meanwhile.
	 *
	 * @param token by which what it did was fenced
	 * @param begin first instant, of {@link System#nanoTime()}
	 * @param end instant behind the last one
	 */
	record Belief(String token, long begin, long end) {

		private boolean isEmpty() {
			return this.end - this.begin <= 0;
		}

		/** Fails if two overlap, or the tokens do not rise with time. */
		static void requireOneAtATime(Collection<Belief> beliefs) {
			List<Belief> sorted = beliefs.stream()
				.filter((belief) -> !belief.isEmpty())
				.sorted(Comparator.comparing(Belief::token))
				.toList();
			for (int i = 1; i < sorted.size(); i++) {
				assertThat(sorted.get(i).begin() - sorted.get(i - 1).end())
					.as("nanoseconds from %s to %s", sorted.get(i - 1), sorted.get(i))
					.isNotNegative();
			}
		}

	}

}
