package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.repair.MissedWrites;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;

/**
 * The replicas that did not take one attempt of a write, of all that it was sent to. They
 * are told to {@link MissedWrites} once some replica holds the entry or may hold it:
 * until then nothing has happened that they could have missed. Safe for any number of
 * threads.
 */
final class Misses {

	private final Key key;

	private final Entry entry;

	private final List<Replica> receivers;

	private final MissedWrites missed;

	private final List<String> untold = new ArrayList<>(0);

	private int refusals;

	private @Nullable Failure refusal;

	private boolean mayBeHeld;

	private boolean isSuperseded;

	private int failures;

	private int settled;

	Misses(Key key, Entry entry, List<Replica> receivers, MissedWrites missed) {
		this.key = key;
		this.entry = entry;
		this.receivers = receivers;
		this.missed = missed;
	}

	/**
	 * Takes note of what became of the entry at one replica, once for each.
	 * @return how far it has come if this was the last one, else {@code null}
	 */
	@Nullable Reach settle(String node, WriteReply reply) {
		Settled now = note(node, reply);
		for (String misser : now.missers()) {
			this.missed.missed(this.key, this.entry, misser);
		}
		return now.reach();
	}

	/** What follows from an answer: who is to be told, and how far the entry came. */
	private record Settled(List<String> missers, @Nullable Reach reach) {

		private static final Settled PENDING = new Settled(List.of(), null);

	}

	private synchronized Settled note(String node, WriteReply reply) {
		if (reply instanceof WriteReply.Failed(Failure failure)) {
			this.failures++;
			this.untold.add(node);
			noteFailure(failure);
		}
		else {
			/* Also one that says superseded may hold it, beside a newer entry. */
			this.mayBeHeld = true;
			this.isSuperseded |= reply instanceof WriteReply.Superseded;
		}
		this.settled++;
		Reach reach = (this.settled == this.receivers.size()) ? reach() : null;
		if (!this.mayBeHeld || this.untold.isEmpty()) {
			return (reach != null) ? new Settled(List.of(), reach) : Settled.PENDING;
		}
		List<String> told = List.copyOf(this.untold);
		this.untold.clear();
		return new Settled(told, reach);
	}

	private Reach reach() {
		if (this.failures > 0) {
			return this.mayBeHeld ? Reach.MISSED : Reach.NOWHERE;
		}
		return this.isSuperseded ? Reach.SUPERSEDED : Reach.EVERYWHERE;
	}

	/** A node that could not be asked has not refused anything, and holds nothing. */
	private void noteFailure(Failure failure) {
		if (!failure.reason().isRefusal()) {
			this.mayBeHeld = true;
		}
		else if (failure.reason() != Reason.DISCONNECTED) {
			this.refusals++;
			this.refusal = (this.refusal == null || failure.reason() == Reason.DISK_FULL) ? failure : this.refusal;
		}
	}

	/**
	 * Whether all have refused the entry that have said anything, and the others are
	 * going to say something.
	 * @param suspect nodes that are not expected to answer
	 */
	synchronized boolean mayBeRefusedByAll(Predicate<String> suspect) {
		if (this.mayBeHeld || this.refusals < this.untold.size()) {
			return false;
		}
		return this.receivers.stream()
			.map(Replica::nodeId)
			.allMatch((node) -> this.untold.contains(node) || !suspect.test(node));
	}

	/** With what every replica has refused the entry, or {@code null} if not all have. */
	synchronized @Nullable Failure refusalOfAll() {
		return (this.refusals == this.receivers.size()) ? this.refusal : null;
	}

}
