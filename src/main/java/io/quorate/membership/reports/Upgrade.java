package io.quorate.membership.reports;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.StoreIdentity;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The upgrade of a cluster from one program to the next.
 * <p>
 * Members run two programs while an upgrade rolls, and all files stay at the format level
 * of the program before, which can be started again. When all members run the newer
 * program, an operator {@linkplain #finalizeFormats finalizes} the upgrade on one of
 * them: it raises its format level, and each member that hears of a higher level than its
 * own follows. A new directory takes the level of the others, or the newest one when
 * those of all members are new.
 * <p>
 * Safe for any number of threads. No method waits for the disk except
 * {@link #finalizeFormats}; that of a new node that is alone is done at its start.
 */
public final class Upgrade implements LayoutFollower {

	private static final Logger log = LoggerFactory.getLogger(Upgrade.class);

	private final Layouts layouts;

	private final Membership membership;

	private final StoreIdentity identity;

	private final Executor executor;

	private final Map<String, Program> programs = new ConcurrentHashMap<>();

	private final Map<String, String> refusals = new ConcurrentHashMap<>();

	private final AtomicBoolean follows = new AtomicBoolean();

	/* Pause after a failure to follow; tests make it shorter. */
	long retryMillis = 10_000;

	/* Newest level of the software; tests plant a later one. */
	int newest = FormatLevel.NEWEST;

	private volatile Program own;

	/**
	 * The upgrade as one member takes part in it.
	 * @param program program of this node, with the newest format level that it may write
	 * @param executor runs the changes of the level on behalf of peers, which wait for
	 * the disk
	 * @throws UncheckedIOException when the level of a node that is alone, or whose
	 * directory is not new, could not be recorded
	 */
	public Upgrade(Layouts layouts, Membership membership, StoreIdentity identity, Program program, Executor executor) {
		this.layouts = layouts;
		this.membership = membership;
		this.identity = identity;
		this.executor = executor;
		this.own = program;
		boolean isUndecided = program.formatLevel() == FormatLevel.UNDECIDED;
		if (isUndecided && (layouts.isAlone() || !identity.isNew())) {
			try {
				/* What is not new was written as at the first level. */
				raise(layouts.isAlone() ? program.newestFormatLevel() : FormatLevel.FIRST);
			}
			catch (IOException failure) {
				throw new UncheckedIOException(failure);
			}
		}
		layouts.follow(this);
	}

	@Override
	public void left(String peer) {
		this.refusals.remove(peer);
		this.programs.remove(peer);
	}

	/** The program of this node, and the format level of its files. */
	public Program own() {
		return this.own;
	}

	/** The programs that peers have reported, by the ids of the peers. */
	public Map<String, Program> programs() {
		return new TreeMap<>(this.programs);
	}

	/**
	 * Reasons for which this node and peers refuse each other's connections, by the ids
	 * of the peers.
	 */
	public Map<String, String> refusals() {
		return new TreeMap<>(this.refusals);
	}

	/**
	 * A peer and this node have refused each other, or the peer that was refused is gone.
	 * @param why reason in words, {@code null} when the peer is gone
	 */
	public void refused(String peer, @Nullable String why) {
		if (why != null) {
			this.refusals.put(peer, why);
		}
		else {
			this.refusals.remove(peer);
		}
	}

	/** A peer has reported its program. This node follows it to a higher format level. */
	public void heard(String peer, Program theirs) {
		if (!this.layouts.current().hasMember(peer)) {
			return;
		}
		this.refusals.remove(peer);
		this.programs.put(peer, theirs);
		int level = levelToFollow();
		if (level > this.own.formatLevel() && this.follows.compareAndSet(false, true)) {
			begin(() -> follow(level));
		}
	}

	private void begin(Runnable following) {
		try {
			this.executor.execute(following);
		}
		catch (RuntimeException | Error noThread) {
			// Each report of a peer tries again.
			this.follows.set(false);
			log.error("This node stays at format level {}", this.own.formatLevel(), noThread);
		}
	}

	private void follow(int level) {
		boolean isFollowed = false;
		try {
			raise(level);
			isFollowed = true;
		}
		catch (IOException failure) {
			log.error("This node stays at format level {}, and tries again in {} ms", this.own.formatLevel(),
					this.retryMillis, failure);
		}
		finally {
			if (isFollowed) {
				this.follows.set(false);
			}
			else {
				CompletableFuture.delayedExecutor(this.retryMillis, TimeUnit.MILLISECONDS)
					.execute(() -> this.follows.set(false));
			}
		}
	}

	/*
	 * The highest level of a peer; for a new directory also what all new ones agree on.
	 */
	private int levelToFollow() {
		int highest = this.own.formatLevel();
		int common = this.own.newestFormatLevel();
		for (Program each : this.programs.values()) {
			highest = Math.max(highest, each.formatLevel());
			common = Math.min(common, each.newestFormatLevel());
		}
		boolean areAllNew = highest == FormatLevel.UNDECIDED && this.programs.size() == this.layouts.peers().size();
		return Math.min(areAllNew ? common : highest, this.own.newestFormatLevel());
	}

	private synchronized void raise(int level) throws IOException {
		try {
			this.identity.raiseFormatLevel(level);
		}
		catch (IOException | RuntimeException failure) {
			throw new IOException("it is not known whether format level %d is recorded: %s".formatted(level, failure),
					failure);
		}
		this.own = this.own.at(this.identity.formatLevel());
	}

	/** Whether this node writes the newest formats of its software. */
	public boolean isFinalized() {
		return this.own.formatLevel() == this.newest;
	}

	/**
	 * Reasons for which the upgrade cannot be finalized now, in words; none when it can,
	 * or is.
	 */
	public List<String> objections() {
		List<String> all = new ArrayList<>();
		if (isFinalized()) {
			return all;
		}
		if (this.own.newestFormatLevel() < this.newest) {
			all.add("%s is held at the program before by quorate.internode.newest-version"
				.formatted(this.layouts.self()));
		}
		for (Endpoint peer : this.layouts.peers()) {
			String objection = objection(peer.id());
			if (objection != null) {
				all.add(objection);
			}
		}
		return all;
	}

	private @Nullable String objection(String peer) {
		MemberState state = this.membership.stateOf(peer);
		Program program = this.programs.get(peer);
		if (state != MemberState.UP) {
			return "%s is %s".formatted(peer, state.word());
		}
		if (program == null) {
			return "%s has not reported its program yet".formatted(peer);
		}
		return (program.newestFormatLevel() < this.newest) ? "%s runs an older program".formatted(peer) : null;
	}

	/**
	 * Finalizes the upgrade: from now on this node writes the newest formats, and the
	 * other members do when they hear of it, within two keep-alives. No member can go
	 * back to the program before. Does nothing when that is done. Waits for the disk.
	 * @throws IllegalStateException when there are {@link #objections()}
	 * @throws IOException when it is not known whether the level was recorded: then it
	 * has to be repeated, and the program before must not be started
	 */
	public void finalizeFormats() throws IOException {
		List<String> objections = objections();
		if (!objections.isEmpty()) {
			throw new IllegalStateException(String.join("; ", objections));
		}
		raise(this.newest);
	}

}
