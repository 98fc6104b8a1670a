package io.quorate.replica.comparison;

import java.util.List;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The asked node in a comparison of its store with that of the asking node. The asking
 * node leads, and brings to either node the entries that it lacks.
 * <p>
 * As with {@link io.quorate.replica.Replica}, work starts when a method is called, the
 * {@code Mono} gives one reply, to one subscriber, never fails and is never empty, there
 * is one soon after the deadline at the latest, and no method blocks. Only entries that
 * both nodes must hold count, and of those only the ones that the round includes.
 */
public interface PeerComparison {

	/** Most ranges of one {@link #compare}. */
	int MAX_RANGES = 1024;

	/** Most keys of one {@link #fetch}. */
	int MAX_KEYS = 1024;

	/** Most headers of one page. */
	int MAX_HEADERS = 1024;

	/** Most bytes of a question or an answer, unless one entry alone has more. */
	int MAX_BYTES = 256 * 1024;

	/** Id of the node that is asked. */
	String nodeId();

	/**
	 * Begins a round, or goes on with it: a node that still knows the round answers with
	 * the state that it recorded when the round began. Either way all entries that it
	 * holds are on the disk when it answers.
	 * @param ours the state that the asking node has recorded of itself
	 */
	Mono<ComparisonReply<ComparisonStart>> begin(Round round, ComparisonStart ours, Deadline deadline);

	/**
	 * Reports the ranges that differ. A range that would take too long to read is
	 * reported, too.
	 * @param ranges in ascending order, {@value #MAX_RANGES} or {@value #MAX_BYTES} bytes
	 * at the most
	 */
	Mono<ComparisonReply<ComparisonResult>> compare(Round round, List<RangeHash> ranges, Deadline deadline);

	/**
	 * Reads headers of the keys that both nodes may have to hold, whether their entries
	 * count or not; without the sequences of their arrival.
	 * @param end end of the range, exclusive, or {@code null} for the end of the store
	 */
	Mono<ComparisonReply<HeaderPage>> headers(Round round, Key start, @Nullable Key end, Deadline deadline);

	/**
	 * Reads the present entries of keys, as far as both nodes must hold them.
	 * @param keys in ascending order, {@value #MAX_KEYS} at the most
	 * @return the entries, and the first key that was not read for lack of room, or
	 * {@code null}
	 */
	Mono<ComparisonReply<ScanPage>> fetch(Round round, List<Key> keys, Deadline deadline);

	/**
	 * Reports that the whole of both stores was compared, and that each of them now holds
	 * durably the entries that it lacked.
	 * @return the round, or a refusal when the node does not know it, or no longer does
	 */
	Mono<ComparisonReply<Round>> complete(Round round, Deadline deadline);

}
