package io.quorate.replica;

import io.quorate.entry.Entry;
import org.jspecify.annotations.Nullable;

/** Whether a replica takes an entry. Asked before each is applied; must not block. */
public interface ArrivalGate {

	/** A gate that is open to all. */
	ArrivalGate OPEN = (_, _) -> null;

	/**
	 * Why the entry may not come in, or {@code null} when it may: a refusal in the sense
	 * of {@link Failure.Reason#isRefusal}, for the store stays as it is.
	 */
	@Nullable Failure refuses(Entry entry, Origin origin);

}
