package io.quorate.spring.boot.config;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.quorate.client.CallInterruptedException;
import io.quorate.client.CallOptions;
import io.quorate.client.Entity;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.Watch;
import io.quorate.client.WatchEvent;
import io.quorate.client.WatchOptions;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * The refresh of imported configuration: one watch, with a thread and a connection, for
 * each prefix. Changes are taken when nothing has come for half a second, and up to half
 * a second later, so that not all applications react at once.
 */
final class ConfigRefresh implements SmartLifecycle {

	private static final Log LOG = LogFactory.getLog(ConfigRefresh.class);

	private static final Duration QUIET = Duration.ofMillis(500);

	/* Also if there is no quiet. */
	private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

	private static final Duration IDLE = Duration.ofHours(1);

	private static final long REFUSAL_PAUSE = 30;

	private final QuorateClient client;

	private final List<QuoratePropertySource> sources;

	private final Consumer<Set<String>> listener;

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean isRunning;

	ConfigRefresh(QuorateClient client, List<QuoratePropertySource> sources, Consumer<Set<String>> listener) {
		this.client = client;
		this.sources = sources;
		this.listener = listener;
	}

	@Override
	public void start() {
		this.isRunning = true;
		for (QuoratePropertySource source : this.sources) {
			Thread thread = new Thread(() -> follow(source), source.getName());
			thread.setDaemon(true);
			thread.start();
			this.threads.add(thread);
		}
	}

	@Override
	public void stop() {
		this.isRunning = false;
		this.threads.forEach(Thread::interrupt);
		this.threads.clear();
	}

	@Override
	public boolean isRunning() {
		return this.isRunning;
	}

	private void follow(QuoratePropertySource source) {
		while (this.isRunning) {
			try (Watch watch = this.client.watch(
					WatchOptions.prefix(source.getSource().prefix()).fromState().withValues(), CallOptions::majority)) {
				new Following(source).run(watch);
			}
			catch (CallInterruptedException end) {
				return;
			}
			catch (QuorateException failure) {
				LOG.warn("The refresh of " + source.getName() + " pauses: " + failure.getMessage());
				if (!hasPaused()) {
					return;
				}
			}
		}
	}

	private static boolean hasPaused() {
		try {
			TimeUnit.SECONDS.sleep(REFUSAL_PAUSE);
			return true;
		}
		catch (InterruptedException end) {
			return false;
		}
	}

	/** The state of one watch. */
	private final class Following {

		private final QuoratePropertySource source;

		private final ConfigValues values;

		/* The keys of the present state until it is whole. */
		private @Nullable Set<String> state = new HashSet<>();

		private final Map<String, Instant> ends = new HashMap<>();

		private boolean isChanged;

		private long firstChange;

		private long due;

		Following(QuoratePropertySource source) {
			this.source = source;
			this.values = source.getSource();
		}

		void run(Watch watch) {
			while (ConfigRefresh.this.isRunning) {
				boolean isDue = this.isChanged && this.state == null;
				Optional<WatchEvent> event = watch.next(isDue ? Duration.ofNanos(this.due - System.nanoTime()) : IDLE);
				event.ifPresent(this::take);
				if (isDue && (event.isEmpty() || this.due - System.nanoTime() <= 0)) {
					exchange();
				}
			}
		}

		private void take(WatchEvent event) {
			if (event instanceof WatchEvent.Put put) {
				this.ends.put(put.key(), Objects.requireNonNullElse(put.expires(), Instant.MAX));
				put(put.key(), put.hasValue() ? put.value() : null);
			}
			else if (event instanceof WatchEvent.Delete delete) {
				remove(delete.key());
			}
			else if (event instanceof WatchEvent.Gap) {
				this.state = new HashSet<>();
			}
			else if (event instanceof WatchEvent.Live live) {
				live(live);
			}
		}

		private void put(String key, byte @Nullable [] bytes) {
			if (this.state != null) {
				this.state.add(key);
			}
			// A large value is not part of its event.
			byte[] value = (bytes != null) ? bytes
					: ConfigRefresh.this.client.get(key, CallOptions::majority).map(Entity::value).orElse(null);
			try {
				if (value != null) {
					this.values.put(key, value);
				}
			}
			catch (IllegalArgumentException failure) {
				LOG.warn("The last good value stays: " + failure.getMessage());
			}
			changed();
		}

		private void remove(String key) {
			this.ends.remove(key);
			this.values.remove(key);
			changed();
		}

		private void live(WatchEvent.Live live) {
			if (this.state != null) {
				this.values.retain(this.state);
				this.ends.keySet().retainAll(this.state);
				this.state = null;
				changed();
			}
			// An expiry has no event.
			Set<String> expired = new HashSet<>(this.ends.keySet());
			expired.removeIf((key) -> Objects.requireNonNull(this.ends.get(key)).isAfter(live.asOf()));
			expired.forEach(this::remove);
		}

		private void changed() {
			long now = System.nanoTime();
			if (!this.isChanged) {
				this.isChanged = true;
				this.firstChange = now;
			}
			long jitter = ThreadLocalRandom.current().nextLong(QUIET.toNanos());
			this.due = Math.min(now + QUIET.toNanos() + jitter, this.firstChange + LONGEST_WAIT.toNanos());
		}

		private void exchange() {
			this.isChanged = false;
			Set<String> names = this.source.exchange();
			if (!names.isEmpty() && ConfigRefresh.this.isRunning) {
				LOG.info("Changed by " + this.source.getName() + ": " + names);
				try {
					ConfigRefresh.this.listener.accept(names);
				}
				catch (RuntimeException failure) {
					LOG.warn("A listener of changed configuration has failed", failure);
				}
			}
		}

	}

}
