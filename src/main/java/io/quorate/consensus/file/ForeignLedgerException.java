package io.quorate.consensus.file;

import java.io.IOException;
import java.nio.file.Path;

import io.quorate.consensus.Voter;

/**
 * The failure to open a ledger of another node: its promises and votes are not those of
 * this node, whose own ledger is elsewhere.
 */
public final class ForeignLedgerException extends IOException {

	ForeignLedgerException(Path file, Voter owner, Voter self) {
		super("the ledger %s is that of %s, not of %s".formatted(file, owner.id(), self.id()));
	}

}
