package io.quorate.membership.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Ledger;
import io.quorate.consensus.Voter;
import io.quorate.consensus.file.DamagedLedgerException;
import io.quorate.consensus.file.ForeignLedgerException;
import io.quorate.consensus.file.LedgerFile;
import io.quorate.consensus.file.NewerLedgerException;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreIdentity;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;

/**
 * The file {@code LAYOUT} of a directory, a {@link LedgerFile}.
 * <p>
 * It exists before the directory gets the format level of layouts, and no vote is given
 * below that level. So a start below it makes the file anew, and the level needs no step
 * that could be cut off between file and level. From that level on the file has to be
 * there: votes are lost with it. Only a directory that is new, or was restored from a
 * backup, may lack it: it has given no vote under its storage id.
 */
final class LayoutFile {

	static final String FILE_NAME = "LAYOUT";

	private LayoutFile() {
	}

	/**
	 * Opens the file, or makes it.
	 * @param self id of this node
	 * @param first state of a node that knows nothing but its configuration
	 * @throws StorageStartException when it is damaged, missing, of a newer format or
	 * that of another node, or cannot be read or written
	 */
	static Ledger open(Path directory, StoreIdentity identity, String self, AcceptorState first) {
		Path file = directory.resolve(FILE_NAME);
		Voter owner = new Voter(self, identity.storageId());
		try {
			DirectoryEntries.deleteIfExists(DurableFiles.temporary(file));
			if (identity.formatLevel() < FormatLevel.LAYOUTS || (identity.isNew() && !Files.exists(file))) {
				return LedgerFile.replace(file, owner, first);
			}
			return LedgerFile.open(file, owner);
		}
		catch (DamagedLedgerException damaged) {
			throw new StorageStartException(damaged.getMessage()
					+ ". This node's votes about the layout of the cluster are lost with it. Restore the whole directory"
					+ " from a backup, or move it away and start with an empty one, which the other replicas fill."
					+ " Nothing was changed.", damaged);
		}
		catch (NewerLedgerException newer) {
			throw StorageStartException.newer(file, newer.found(), newer.supported());
		}
		catch (ForeignLedgerException foreign) {
			throw new StorageStartException(foreign.getMessage()
					+ ". Put the file LAYOUT of this node back, or move the directory away and start with an empty one,"
					+ " which the other replicas fill. Nothing was changed.", foreign);
		}
		catch (IOException failure) {
			throw new StorageStartException("%s cannot be read or written: %s".formatted(file, failure), failure);
		}
	}

}
