package io.quorate.process;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.Watch;
import io.quorate.client.WatchEvent;
import io.quorate.client.WatchOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that watches a prefix, through another node whenever its own is killed and
 * from its cursor, while others write and delete.
 */
class WatchIT extends SharedCluster {

	private static final String PREFIX = "watched-";

	private static final int KEYS = 20;

	private static final int KILLS = Scale.of(3, 60);

	/* Has no value, so no ETag. */
	private static final String DELETED = "";

	/* Of the last events. */
	private @Nullable String cursor;

	private final Map<String, String> known = new HashMap<>();

	@Test
	void aClientLearnsTheLastVersionOfEachKeyWhileNodesAreKilled() throws Exception {
		AtomicBoolean isOver = new AtomicBoolean();
		AtomicReference<QuorateClient> writing = new AtomicReference<>(client());
		try (Workers writers = Workers.begin(2, (number) -> write(writing, number, isOver))) {
			for (int kill = 0; kill < KILLS; kill++) {
				String node = "n" + kill % NODES;
				// A node that starts again has another address.
				try (QuorateClient client = client(); Watch watch = client.watch(options())) {
					writing.getAndSet(client()).close();
					follow(watch, 20);
					this.cluster.kill9(node);
					follow(watch, 20);
				}
				this.cluster.restart(node);
			}
			writing.getAndSet(client()).close();
			try (QuorateClient client = client(); Watch watch = client.watch(options())) {
				follow(watch, 20);
				isOver.set(true);
				writers.join(PATIENCE);
				Map<String, String> last = last();
				long end = System.nanoTime() + PATIENCE.toNanos();
				while (!this.known.equals(last) && System.nanoTime() < end) {
					follow(watch, 1);
				}
				assertThat(this.known).isEqualTo(last);
			}
		}
		finally {
			isOver.set(true);
			writing.get().close();
		}
	}

	private QuorateClient client() {
		return QuorateClient.of(this.cluster.names()
			.stream()
			.map((name) -> this.cluster.node(name).uri("").toString())
			.toArray(String[]::new));
	}

	private WatchOptions options() {
		WatchOptions options = WatchOptions.prefix(PREFIX);
		return (this.cursor != null) ? options.fromCursor(this.cursor) : options.fromState();
	}

	private static void write(AtomicReference<QuorateClient> writing, int number, AtomicBoolean isOver) {
		Random random = new Random(number);
		while (!isOver.get()) {
			String key = PREFIX + random.nextInt(KEYS);
			QuorateClient client = writing.get();
			try {
				if (random.nextInt(5) == 0) {
					client.delete(key);
				}
				else {
					client.put(key, Integer.toString(random.nextInt()));
				}
			}
			catch (QuorateException | IllegalStateException ended) {
				// Beside a kill the outcome of a write does not matter.
				Scale.report("WatchIT: " + ended.getMessage());
			}
		}
	}

	/** Takes events, none of a key before an older one. */
	private void follow(Watch watch, int events) {
		for (int i = 0; i < events; i++) {
			WatchEvent event = watch.next(Duration.ofSeconds(1)).orElse(null);
			switch (event) {
				case WatchEvent.Put put -> learn(put.key(), put.etag(), put.etag());
				case WatchEvent.Delete delete -> learn(delete.key(), delete.etag(), DELETED);
				case WatchEvent.Gap _ -> this.known.clear();
				case null, default -> {
				}
			}
			this.cursor = (event != null && event.cursor() != null) ? event.cursor() : this.cursor;
		}
	}

	private void learn(String key, String etag, String state) {
		String before = this.known.put(key, state);
		if (before != null) {
			assertThat(etag).as(key).isGreaterThanOrEqualTo(before);
		}
		if (state.equals(DELETED)) {
			this.known.remove(key);
		}
	}

	private Map<String, String> last() throws Exception {
		Map<String, String> last = new HashMap<>();
		try (KeyRequests requests = new KeyRequests(() -> this.cluster)) {
			for (int key : IntStream.range(0, KEYS).toArray()) {
				KeyRequests.Reply reply = requests.get(PREFIX + key);
				if (reply.status() == 200) {
					last.put(PREFIX + key, reply.etag());
				}
			}
		}
		return last;
	}

}
