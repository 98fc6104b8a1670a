package io.quorate.replica;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.Store;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The register of a replica, asked for promises although the replica is not read yet. */
public final class DrivenRegister {

	private DrivenRegister() {
	}

	/** Asks for a promise, as if the gate to reads stood open. */
	public static Mono<PrepareReply> prepare(Store store, ReplicaGates gates, Key key, Proposal proposal,
			Deadline deadline) {
		ReadGate open = new ReadGate() {

			@Override
			public @Nullable Failure closed() {
				return null;
			}

			@Override
			public boolean mayHaveLostLaterThan(Timestamp stamp) {
				return false;
			}

		};
		LocalRegister register = new LocalRegister(store, new ReplicaGates(open, gates.arrivals(), gates.judge()));
		return Mono.fromFuture(register.prepare(key, proposal, deadline, Runnable::run), true);
	}

}
