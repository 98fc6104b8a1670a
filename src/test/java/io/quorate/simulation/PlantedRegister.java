package io.quorate.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Lineage;
import io.quorate.entry.Summary;
import io.quorate.replica.LookReply;
import io.quorate.replica.Origin;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;

/**
 * The rules of registers, less the one that a planted bug leaves out: what a coordinator
 * hears of replicas is falsified.
 */
final class PlantedRegister {

	/** Time after which a promise ends. */
	static final Duration FORGOTTEN = Duration.ofMillis(100);

	private final PlantedBug bug;

	/* That each round proposes, by its ballot. */
	private final Map<Timestamp, Timestamp> versions = new HashMap<>();

	PlantedRegister(PlantedBug bug) {
		this.bug = bug;
	}

	/** Whether a store takes an entry in spite of a promise. */
	static boolean isPassing(PlantedBug bug, Entry entry, Origin origin) {
		return switch (bug) {
			case WRITE_PASSES -> origin instanceof Origin.Client && entry.lineage() == null;
			case REPAIR_PASSES -> !(origin instanceof Origin.Client);
			default -> false;
		};
	}

	void proposes(Proposal proposal) {
		if (this.bug == PlantedBug.NO_SETTLE) {
			this.versions.put(proposal.ballot(), proposal.version());
		}
	}

	/** Whether an entry counts as stored that is not sent. */
	boolean isFeigned(Entry entry) {
		Timestamp proposed = (entry.lineage() != null) ? this.versions.get(entry.timestamp()) : null;
		return proposed != null && !proposed.equals(entry.version());
	}

	/** Whether a hint is kept, be the entry chosen or not. */
	boolean isHintKept(Entry entry, WriteReply reply) {
		return this.bug == PlantedBug.UNCHOSEN_HINTS && entry.lineage() != null && reply instanceof WriteReply.Failed;
	}

	/** Whether a replica promises before it is rebuilt. */
	boolean promisesAtOnce() {
		return this.bug == PlantedBug.AMNESIAC_PROMISES;
	}

	WriteReply heard(Entry entry, WriteReply reply) {
		return switch (reply) {
			case WriteReply.Applied _ when this.bug == PlantedBug.AMNESIAC_ACKS && entry.lineage() != null ->
				WriteReply.Applied.COMPLETE;
			case WriteReply.Superseded(var by, var wasNeverHeld, var _) when this.bug == PlantedBug.SUPERSEDED_ACKS
					&& entry.lineage() == null ->
				new WriteReply.Superseded(by, wasNeverHeld);
			default -> reply;
		};
	}

	/* As if it were certain that the version proposed was never there. */
	PrepareReply heard(Proposal proposal, PrepareReply reply) {
		if (this.bug == PlantedBug.NEW_VERSION && reply instanceof PrepareReply.Promised(Summary held)
				&& isLater(held, proposal.version()) && !proposal.version().equals(held.parent())) {
			return new PrepareReply.Promised(new Summary(held.timestamp(), held.isTombstone(), held.from(),
					held.expiryMillis(), held.valueSizeBytes(), new Lineage(held.version(), Timestamp.ZERO)));
		}
		return reply;
	}

	private static boolean isLater(@Nullable Summary held, Timestamp version) {
		return held != null && held.version().isAfter(version);
	}

	LookReply heard(LookReply reply) {
		return (this.bug == PlantedBug.BLIND_LOOK) ? new LookReply(reply.held(), null) : reply;
	}

}
