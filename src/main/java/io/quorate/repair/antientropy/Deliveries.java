package io.quorate.repair.antientropy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.quorate.clock.Deadline;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.storage.ScanPage.Item;

/**
 * Delivers the entries of a round to a replica, all entries of one call at once.
 *
 * @param timeout time after which an entry must not arrive any more
 */
record Deliveries(Replica replica, Origin.Stream origin, Duration timeout) {

	private static final Duration GRACE = Duration.ofSeconds(1);

	/** Returns when the replica holds all of them, or newer ones, durably. */
	void deliver(List<Item> entries) {
		Deadline deadline = Deadline.after(this.timeout);
		List<CompletableFuture<WriteReply>> replies = entries.stream()
			.map((item) -> Await.future(this.replica.apply(item.key(), item.entry(), this.origin, deadline)))
			.toList();
		Deadline patience = new Deadline(deadline.nanos() + GRACE.toNanos());
		for (CompletableFuture<WriteReply> reply : replies) {
			switch (Await.forIt(reply, patience)) {
				case WriteReply.Applied _, WriteReply.Superseded _ -> {
				}
				case WriteReply.Promised(var by) -> throw new ComparisonFailedException(
						new Failure(Reason.FAILED, "an entry is refused by the promise of " + by));
				case WriteReply.Failed(var failure) -> throw new ComparisonFailedException(failure);
			}
		}
	}

}
