package io.quorate.repair.rebuild;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.quorate.repair.purge.PurgePermission;
import io.quorate.repair.record.Lineage;
import io.quorate.repair.record.PeerRecords;
import io.quorate.storage.thread.OwnedThread;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Persists, once a second, what this node knows of its peers and the state of a rebuild,
 * and now and then a higher purge horizon and the next generation of the data's history.
 * One thread.
 */
final class RecordWriter implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(RecordWriter.class);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	/* A horizon that is behind by so little of the grace period does no harm. */
	private static final int STEPS_OF_GRACE = 1000;

	private final PeerRecords records;

	private final Lineage lineage;

	private final PurgePermission purgePermission;

	private final RebuildState rebuild;

	private final long stepNanos;

	private final OwnedThread thread = new OwnedThread("records", this::work);

	private long advancedNanos;

	private boolean failing;

	RecordWriter(PeerRecords records, Lineage lineage, PurgePermission purgePermission, RebuildState rebuild,
			Duration grace) {
		this.records = records;
		this.lineage = lineage;
		this.purgePermission = purgePermission;
		this.rebuild = rebuild;
		this.stepNanos = grace.dividedBy(STEPS_OF_GRACE).toNanos();
		this.advancedNanos = System.nanoTime() - this.stepNanos;
	}

	@Override
	public void start() {
		this.thread.start();
	}

	/**
	 * Begins the next generation now: a peer is disconnected, and remembers this one. If
	 * the state of a whole machine was put back, its connections are lost, too.
	 */
	void beginGeneration() {
		this.lineage.ask();
		this.thread.wake();
	}

	private void work() {
		while (this.thread.isRunning()) {
			keep();
			LockSupport.parkNanos(PAUSE.toNanos());
		}
		keep();
	}

	private void keep() {
		try {
			save();
			this.lineage.advance();
			if (System.nanoTime() - this.advancedNanos >= this.stepNanos) {
				this.purgePermission.advance(this::save);
				this.advancedNanos = System.nanoTime();
			}
			this.failing = false;
		}
		catch (IOException | RuntimeException | Error failure) {
			if (!this.failing) {
				log.error(
						"The records of peers, of a rebuild, of the purge horizon or of the lineage cannot be written",
						failure);
			}
			this.failing = true;
		}
	}

	/* A node that goes back to an incarnation is to be rebuilt in it. */
	private void save() throws IOException {
		this.records.save(this.rebuild::persist);
	}

	@Override
	public void stop() {
		this.thread.stop();
	}

	@Override
	public boolean isRunning() {
		return this.thread.isRunning();
	}

	/** Ends after the node has announced its stop to its peers. */
	@Override
	public int getPhase() {
		return DEFAULT_PHASE - 1;
	}

}
