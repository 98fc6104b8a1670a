package io.quorate.repair.rebuild;

import java.io.IOException;
import java.util.Set;
import java.util.UUID;

import io.quorate.internode.Position;
import io.quorate.membership.members.Membership;
import io.quorate.repair.purge.PurgePermission;
import io.quorate.repair.record.CoveredLosses;
import io.quorate.repair.record.RebuildRecord.State;
import io.quorate.repair.record.RebuildRecord.Step;
import io.quorate.repair.record.RebuildRecord;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreIdentity;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of this node's rebuild. When the node learns that it must be rebuilt, the
 * state changes in memory first, and then on the disk; at the end it changes on the disk
 * first. Safe for any number of threads; {@link #persist}, {@link #setAside} and
 * {@link #finish} wait for the disk.
 */
final class RebuildState {

	private static final Logger log = LoggerFactory.getLogger(RebuildState.class);

	private final RebuildRecord record;

	private final Membership membership;

	private final PurgePermission purgePermission;

	/* Taken before the monitor: the state that is written last is the one in memory. */
	private final Object writing = new Object();

	private State state;

	private @Nullable Postponed postponed;

	private Runnable listener = () -> {
	};

	/**
	 * The reason of a rebuild.
	 *
	 * @param why for operators
	 * @param whole whether this node holds all that its peers remember of it
	 */
	record Cause(String why, boolean whole) {
	}

	/** A rebuild that begins once there is a source. */
	private record Postponed(Cause cause, UUID storageId, Position position) {
	}

	/**
	 * The state from before the start.
	 * @param isAside whether data of the store is set aside: then a rebuild was begun,
	 * whatever the record says
	 */
	RebuildState(RebuildRecord record, boolean isAside, Membership membership, PurgePermission purgePermission) {
		this.record = record;
		this.membership = membership;
		this.purgePermission = purgePermission;
		this.state = (isAside && record.state().step() == Step.NONE) ? unrecorded(record.state()) : record.state();
		if (isRebuilding()) {
			log.warn("The rebuild of this node goes on: {}", this.state.why());
			pause();
		}
		if (this.state.step() == Step.ASIDE) {
			this.membership.storeEmptied();
		}
	}

	private static State unrecorded(State found) {
		return new State(Step.BEGUN,
				"something is set aside, and %s does not say why".formatted(RebuildRecord.FILE_NAME),
				found.coveredLosses());
	}

	private void pause() {
		this.purgePermission.pause(true);
		this.membership.rebuildingChanged(true);
	}

	/**
	 * Sets the listener that is called for each rebuild that is to begin. It must not
	 * block.
	 */
	synchronized void onBegin(Runnable told) {
		this.listener = told;
	}

	synchronized boolean isRebuilding() {
		return this.state.step() != Step.NONE;
	}

	synchronized State state() {
		return this.state;
	}

	synchronized CoveredLosses coveredLosses() {
		return this.state.coveredLosses();
	}

	/**
	 * Begins a rebuild of this node, or adds a loss to the one that is under way. If that
	 * one is to end without its sources, and the loss is new, it begins anew.
	 * @param why reason, for operators
	 * @param storageId identity of the data that is lost, or incomplete
	 * @param position latest position that it is known to have reached: the rebuild
	 * covers the loss of that data up to it
	 */
	void begin(String why, UUID storageId, Position position) {
		begin(new Cause(why, false), storageId, position);
	}

	/**
	 * As {@link #begin(String, UUID, Position)}. A node that holds its data does not
	 * begin while all nodes from which it would copy are being rebuilt: it is the source
	 * that they wait for.
	 */
	synchronized void begin(Cause cause, UUID storageId, Position position) {
		if (!isRebuilding() && cause.whole() && hasNoSource()) {
			postpone(new Postponed(cause, storageId, position));
			return;
		}
		CoveredLosses coveredLosses = this.state.coveredLosses().with(storageId, position);
		if (!isRebuilding()) {
			this.state = new State(Step.BEGUN, cause.why(), coveredLosses);
			this.postponed = null;
			pause();
			log.warn("This node is to be rebuilt from its peers and answers no reads until then: {}", cause.why());
			this.listener.run();
		}
		else if (!coveredLosses.equals(this.state.coveredLosses())) {
			addLosses(cause, coveredLosses);
		}
	}

	private boolean hasNoSource() {
		Set<String> sources = this.purgePermission.sharing();
		return !sources.isEmpty() && sources.stream().allMatch(this.purgePermission::isRebuilding);
	}

	private void postpone(Postponed later) {
		if (this.postponed == null) {
			log.warn("This node is not rebuilt yet, as all others are, and wait for it: {}", later.cause().why());
		}
		this.postponed = later;
	}

	/** Begins the rebuild that waits for a source, if there is one. */
	synchronized void beginPostponed() {
		Postponed due = this.postponed;
		if (due != null && !hasNoSource()) {
			this.postponed = null;
			begin(due.cause(), due.storageId(), due.position());
		}
	}

	/**
	 * Begins a rebuild of this node that ends only once all sources are copied. The one
	 * that is under way begins anew if it is to end without them.
	 * @param storageId identity of the data that is lost, or incomplete
	 * @param position latest position that it is known to have reached
	 */
	synchronized void beginComplete(Cause cause, UUID storageId, Position position) {
		begin(cause, storageId, position);
		if (isRebuilding()) {
			addLosses(cause, this.state.coveredLosses());
		}
	}

	/*
	 * The loss was not known when the rebuild was abandoned. All that was set aside may
	 * have been merged since: it is set aside again.
	 */
	private void addLosses(Cause cause, CoveredLosses coveredLosses) {
		if (!this.state.ended()) {
			this.state = new State(this.state.step(), this.state.why(), coveredLosses);
			return;
		}
		log.warn("The rebuild of this node does not end without its sources, but begins anew: {}", cause.why());
		this.state = new State(Step.BEGUN, cause.why(), coveredLosses);
		this.membership.storeToBeEmptied();
		this.listener.run();
	}

	/**
	 * Begins a rebuild, by which peers, if there are any, bring back lost data before the
	 * node serves.
	 * @throws StorageStartException when that cannot be recorded
	 */
	void beginAfterSalvage(StoreIdentity identity, boolean hasOthers) {
		try {
			if (hasOthers) {
				begin("this data was salvaged, and something of it is lost", identity.storageId(), Position.NONE);
				persist();
			}
			identity.rebuildBegun();
		}
		catch (IOException failure) {
			throw new StorageStartException("that this node is to be rebuilt cannot be recorded: " + failure, failure);
		}
	}

	/**
	 * Begins an incarnation: voids what was agreed with peers before, and requests that a
	 * rebuild that is under way ends without its sources.
	 * @param history number of the cluster's history
	 */
	synchronized void incarnationBegins(long incarnation, long history) {
		this.purgePermission.begin(incarnation, history, isRebuilding());
		abandon();
	}

	/** Requests that a rebuild that is under way ends without its sources. */
	synchronized void abandon() {
		this.state = this.state.abandoned();
		this.listener.run();
	}

	/**
	 * Whether the rebuild goes on with what was set aside and copied: it was neither
	 * abandoned, nor has it begun anew.
	 */
	synchronized boolean isUnderWay() {
		return this.state.step() == Step.ASIDE && !this.state.ended();
	}

	/** Whether the rebuild is to end without its sources. */
	synchronized boolean isAbandoned() {
		return this.state.ended();
	}

	/** Writes the state to the disk. */
	void persist() throws IOException {
		synchronized (this.writing) {
			this.record.become(state());
		}
	}

	/**
	 * Records that the node's own data is set aside: the store has been empty since
	 * before this call.
	 */
	void setAside() throws IOException {
		synchronized (this) {
			this.membership.storeEmptied();
			this.state = this.state.at(Step.ASIDE);
		}
		persist();
	}

	/**
	 * Ends the rebuild, unless a peer has reported meanwhile that it remembers more.
	 * @param coveredLosses losses that it has repaired
	 * @param copied hybrid time: the highest horizon of all
	 * @param complete whether all sources were copied; otherwise it ends only while it is
	 * abandoned
	 * @return whether it has ended
	 */
	boolean finish(CoveredLosses coveredLosses, long copied, boolean complete) throws IOException {
		synchronized (this.writing) {
			if (!mayFinish(coveredLosses, complete)) {
				return false;
			}
			State finished = new State(Step.NONE, "", coveredLosses.upTo(copied));
			this.record.become(finished);
			synchronized (this) {
				if (mayFinish(coveredLosses, complete)) {
					this.state = finished;
					this.purgePermission.pause(false);
					this.membership.rebuildingChanged(false);
					return true;
				}
			}
			this.record.become(state());
			return false;
		}
	}

	/* A rebuild that has begun anew has its data still to set aside. */
	private synchronized boolean mayFinish(CoveredLosses coveredLosses, boolean complete) {
		return this.state.step() == Step.ASIDE && this.state.coveredLosses().equals(coveredLosses)
				&& (complete || this.state.ended());
	}

}
