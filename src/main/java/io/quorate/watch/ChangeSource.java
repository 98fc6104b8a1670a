package io.quorate.watch;

import io.quorate.coordinator.RefusedException;
import reactor.core.publisher.Flux;

/** The changes of ranges of keys, as clients get them. Safe for any number of threads. */
@FunctionalInterface
public interface ChangeSource {

	/**
	 * Watches a range. Batches are sent as they are asked for, and one that waits for
	 * long has the newest events of its keys. The first one has no events, and comes at
	 * once: the watch has begun. Cancelling ends the watch.
	 * @return fails with {@link CursorLostException} when the cursor is lost, and with
	 * {@link RefusedException} when too many watch, or the node is about to stop; both at
	 * once
	 */
	Flux<WatchBatch> watch(WatchTerms terms);

}
