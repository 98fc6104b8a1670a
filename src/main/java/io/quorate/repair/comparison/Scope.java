package io.quorate.repair.comparison;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage.Header;

/**
 * The entries that count in a comparison.
 *
 * @param shared those that both nodes must hold
 * @param round those that were written early enough
 */
public record Scope(SharedEntries shared, Round round) {

	/** Whether an entry counts. */
	boolean counts(Header header) {
		return this.round.includes(header.timestamp()) && isShared(header.key(), header, header.from());
	}

	/** Whether both nodes must hold an entry. */
	boolean isShared(Key key, Entry entry) {
		return isShared(key, entry, entry.from());
	}

	/*
	 * An entry that had expired at the round's instant, by which both nodes judge, counts
	 * as a tombstone: it may hide an older entry at a node that it was not written to,
	 * and is purged only when that node has it, too.
	 */
	private boolean isShared(Key key, Versioned entry, int from) {
		return this.shared.isShared(key, entry.isAbsentAt(this.round.instantMillis()), from);
	}

}
