package io.quorate.replica;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a replica accepts an entry. Asked before each entry is applied; must
 * not block.
 */
public interface ArrivalFilter {

	/**
	 * Reason for which the entry is refused, or {@code null} when it is accepted: a
	 * refusal in the sense of {@link Failure.Reason#isRefusal}, for the store stays as it
	 * is.
	 */
	@Nullable Failure refuses(Key key, Entry entry, Origin origin);

	/**
	 * Reason for which no promise is made to a request of this version, or {@code null}
	 * when one may be: the tombstone that has ended the request may have been purged.
	 */
	default @Nullable Failure refuses(Timestamp version) {
		return null;
	}

}
