package io.quorate.repair.hint;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.repair.HintBacklog;
import io.quorate.repair.HintBacklogs;
import io.quorate.repair.HintSink;
import io.quorate.repair.RepairProperties;
import io.quorate.storage.thread.OwnedThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the thread that stores and delivers hints, from before the first connection to a
 * peer until after the last one.
 */
final class HintedHandoff implements HintSink, HintBacklogs, LayoutFollower, SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(HintedHandoff.class);

	/*
	 * Begins before the connections to peers, and ends after them: a write that fails
	 * with a connection becomes a hint.
	 */
	private static final int PHASE = WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE - 2;

	private static final long PAUSE_AFTER_FAULT_NANOS = Duration.ofSeconds(1).toNanos();

	private final HintEnvironment around;

	private final HintKeeper keeper;

	private final AtomicBoolean isWoken = new AtomicBoolean();

	private final OwnedThread thread = new OwnedThread("hints", this::run);

	/**
	 * Opens the hints in a directory; nothing is handed over before the start. Deletes
	 * those for nodes that have left while this node was down.
	 * @param decided ids of all members by a layout that is decided, {@code null} when
	 * none is known
	 */
	HintedHandoff(Path directory, @Nullable Collection<String> decided, HintEnvironment around,
			RepairProperties properties, MeterRegistry registry) {
		this.around = around;
		if (decided != null) {
			HintKeeper.discardAllBut(directory, decided);
		}
		this.keeper = HintKeeper.open(directory, around, properties, new HintMetrics(registry), this::wake);
	}

	@Override
	public void missed(Key key, Entry entry, String node) {
		this.keeper.missed(key, entry, node);
	}

	@Override
	public void joins(Endpoint peer) {
		this.keeper.membersChanged();
	}

	@Override
	public void left(String peer) {
		this.keeper.membersChanged();
	}

	@Override
	public List<HintBacklog> owed() {
		long now = this.around.millis().getAsLong();
		return this.around.members().get().keySet().stream().sorted().map((member) -> {
			BacklogSize backlogSize = this.keeper.owedTo(member);
			return new HintBacklog(member, backlogSize.count(), backlogSize.bytes(),
					Duration.ofMillis(backlogSize.ageMillis(now)));
		}).toList();
	}

	private void wake() {
		if (!this.isWoken.getAndSet(true)) {
			this.thread.wake();
		}
	}

	@Override
	public void start() {
		this.thread.start();
	}

	private void run() {
		while (this.thread.isRunning()) {
			this.isWoken.set(false);
			long wait = turn();
			if (wait > 0 && !this.isWoken.get() && this.thread.isRunning()) {
				LockSupport.parkNanos(this, wait);
			}
		}
		this.keeper.close();
	}

	private long turn() {
		try {
			return this.keeper.turn();
		}
		catch (RuntimeException | Error bug) {
			log.error("Internal error while storing or delivering hints", bug);
			return PAUSE_AFTER_FAULT_NANOS;
		}
	}

	@Override
	public void stop() {
		this.thread.stop();
	}

	@Override
	public boolean isRunning() {
		return this.thread.isRunning();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
