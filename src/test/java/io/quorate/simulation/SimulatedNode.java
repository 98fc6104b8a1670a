package io.quorate.simulation;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Ledger;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.membership.agreement.FormerMemberException;
import io.quorate.repair.record.DrivenHorizon;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A node: its directory, which outlives its processes, and the one that runs, if any. A
 * crash may come before or after each thing that is made durable.
 */
final class SimulatedNode {

	private final SimulatedCluster cluster;

	private final int number;

	private final String id;

	private long aheadMillis;

	/* The latest time that any process of it had reason to believe. */
	private long mostBelievedMillis;

	private long standsStillUntil;

	/* When its clocks stood still last, and for how long before that. */
	private long frozenAtNanos;

	private long frozenUntilNanos;

	private long stoodNanos;

	private Directory directory;

	private int lives;

	private @Nullable SimulatedProcess process;

	/** A directory: all that is durable. */
	static final class Directory {

		final RecordedIdentity identity;

		final SimulatedTables tables;

		final DrivenHorizon horizon = new DrivenHorizon();

		final List<Owed> hints = new ArrayList<>();

		@Nullable AcceptorState ledger;

		/* Of the clock. */
		long ceiling;

		/* Whether the next process has to fill it anew. */
		boolean isRebuilt;

		Directory(UUID storageId, PlantedBug bug) {
			this.identity = new RecordedIdentity(storageId, FormatLevel.NEWEST);
			this.tables = new SimulatedTables(bug);
		}

	}

	/** An entry that a node has missed at an instant. */
	record Owed(String node, Key key, Entry entry, long nanos) {
	}

	SimulatedNode(SimulatedCluster cluster, int number) {
		this.cluster = cluster;
		this.number = number;
		this.id = "n" + number;
		this.aheadMillis = cluster.weather().random(100 + number).nextInt(1 + cluster.weather().mostSkewMillis);
		this.directory = newDirectory();
	}

	private Directory newDirectory() {
		return new Directory(new UUID(++this.lives, this.number), this.cluster.bug());
	}

	String id() {
		return this.id;
	}

	int number() {
		return this.number;
	}

	Directory directory() {
		return this.directory;
	}

	@Nullable SimulatedProcess process() {
		return this.process;
	}

	boolean isUp() {
		return this.process != null;
	}

	long physicalMillis() {
		return 1_000_000_000 + TimeUnit.NANOSECONDS.toMillis(bootNanos()) + this.aheadMillis;
	}

	/** Its clock since its start, which stands still with all of its clocks. */
	long bootNanos() {
		return Math.max(this.cluster.time().nanos(), this.frozenUntilNanos) - this.stoodNanos
				- (this.frozenUntilNanos - this.frozenAtNanos);
	}

	/** As if its machine were suspended without notice: its clocks are behind then. */
	void freeze(Duration time) {
		standStill(time);
		this.stoodNanos += this.frozenUntilNanos - this.frozenAtNanos;
		this.frozenAtNanos = this.cluster.time().nanos();
		this.frozenUntilNanos = this.frozenAtNanos + time.toNanos();
	}

	boolean isFrozen() {
		return this.cluster.time().nanos() < this.frozenUntilNanos;
	}

	/** Sets its clock. */
	void moveClock(Random random) {
		moveClock(random.nextInt(1 + this.cluster.weather().mostSkewMillis));
	}

	/** Sets its clock so far ahead, or behind if that is negative. */
	void moveClock(long millis) {
		SimulatedProcess its = this.process;
		if (its != null) {
			its.checkClock();
		}
		this.aheadMillis = millis + TimeUnit.NANOSECONDS.toMillis(this.cluster.time().nanos() - bootNanos());
		if (its != null) {
			its.checkClock();
		}
	}

	/** Its process has reason to believe that it is not later than this. */
	long mostBelievedMillis(long believedMillis) {
		this.mostBelievedMillis = Math.max(this.mostBelievedMillis, believedMillis);
		return this.mostBelievedMillis;
	}

	/** Has no request come to it for a while. */
	void standStill(Duration time) {
		this.standsStillUntil = this.cluster.time().nanos() + time.toNanos();
	}

	long standsStillUntil() {
		return this.standsStillUntil;
	}

	/** A directory in which rebuilds are recorded. */
	Path records() {
		return this.cluster.records(id() + "-" + this.lives);
	}

	/**
	 * Starts a process, unless one runs. A directory of a member that has left is
	 * replaced by an empty one.
	 */
	void start() {
		if (this.process != null) {
			return;
		}
		try {
			this.process = new SimulatedProcess(this.cluster, this);
		}
		catch (FormerMemberException left) {
			this.cluster.judge().startsNoMore(id(), this.directory.identity);
			this.directory = newDirectory();
			this.process = new SimulatedProcess(this.cluster, this);
		}
		this.process.begin();
	}

	/** Kills the process, if there is any. */
	void kill() {
		SimulatedProcess killed = this.process;
		this.process = null;
		if (killed != null) {
			killed.die();
			this.cluster.killed(killed);
		}
	}

	/**
	 * The directory is lost with all that it holds; the next process has to fill it anew.
	 */
	void loseDisk() {
		kill();
		Directory lost = this.directory;
		this.directory = newDirectory();
		this.directory.isRebuilt = true;
		if (this.cluster.bug() == PlantedBug.BY_NAME) {
			this.directory = new Directory(lost.identity.storageId(), this.cluster.bug());
			this.directory.isRebuilt = true;
			this.directory.identity.settle();
		}
	}

	/** The node is set up anew, as one that was never a member. */
	void empty() {
		kill();
		this.directory = newDirectory();
	}

	/** The file of its votes. */
	Ledger ledger(AcceptorState first) {
		Directory its = this.directory;
		return new Ledger() {

			@Override
			public AcceptorState recovered() {
				AcceptorState kept = its.ledger;
				return (kept != null) ? kept : first;
			}

			@Override
			public void keep(AcceptorState state) throws IOException {
				mayCrash();
				its.ledger = state;
				SimulatedNode.this.cluster.judge().decided(state.decisions());
				mayCrash();
			}

		};
	}

	/** The power fails here, now and then. */
	void mayCrash() {
		if (this.cluster.crashes()) {
			throw new PowerFailure(this);
		}
	}

	@Override
	public String toString() {
		return (this.process != null) ? this.process.toString() : id() + " is down";
	}

}
