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
import io.quorate.consensus.file.OtherLedgerFormatException;
import io.quorate.membership.agreement.RecordedLayout;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreIdentity;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code LAYOUT} of a directory, a {@link LedgerFile}.
 * <p>
 * It exists before the directory gets a format level, and no vote is given before that.
 * So a start without a level makes the file anew, and the level needs no step that could
 * be cut off between file and level. From then on the file has to be there: votes are
 * lost with it. Only a directory that is new, or was restored from a backup, may lack it:
 * it has given no vote under its storage id. A salvage does without the votes, under
 * another storage id.
 */
final class LayoutFile {

	private static final Logger log = LoggerFactory.getLogger(LayoutFile.class);

	private final Path path;

	private final StoreIdentity identity;

	private final boolean isSalvage;

	/**
	 * The file in a directory.
	 * @param isSalvage whether a damaged file is given up, and the votes in it with it
	 */
	LayoutFile(Path directory, StoreIdentity identity, boolean isSalvage) {
		this.path = directory.resolve(RecordedLayout.FILE_NAME);
		this.identity = identity;
		this.isSalvage = isSalvage;
	}

	/**
	 * Opens the file, or makes it.
	 * @param self id of this node
	 * @param first state of a node that knows nothing but its configuration
	 * @param isAlone whether the cluster has no other member, so that no vote and no
	 * decision is known elsewhere
	 * @throws StorageStartException when it is damaged, missing, of another format or
	 * that of another node, or cannot be read or written
	 */
	Ledger open(String self, AcceptorState first, boolean isAlone) {
		try {
			DirectoryEntries.deleteIfExists(DurableFiles.temporary(this.path));
			if (this.identity.formatLevel() == FormatLevel.UNDECIDED
					|| (this.identity.isNew() && !Files.exists(this.path))) {
				return anew(self, first);
			}
			LedgerFile found = LedgerFile.open(this.path, owner(self));
			return (isAlone && found.isOfAnEarlierLife()) ? anew(self, first) : found;
		}
		catch (DamagedLedgerException damaged) {
			return withoutVotes(damaged, self, first, isAlone);
		}
		catch (OtherLedgerFormatException other) {
			throw StorageStartException.otherFormat(this.path, other.found(), other.supported());
		}
		catch (ForeignLedgerException foreign) {
			throw new StorageStartException(foreign.getMessage()
					+ ". Put the file LAYOUT of this node back, or move the directory away and start with an empty one,"
					+ " which the other replicas fill. The file was not changed.", foreign);
		}
		catch (IOException failure) {
			throw unusable(failure);
		}
	}

	private LedgerFile anew(String self, AcceptorState first) throws IOException {
		return LedgerFile.replace(this.path, owner(self), first);
	}

	private Voter owner(String self) {
		return new Voter(self, this.identity.storageId());
	}

	/*
	 * With the storage id, the votes that it gave are void. On those of a node alone no
	 * other node counts.
	 */
	private Ledger withoutVotes(DamagedLedgerException damaged, String self, AcceptorState first, boolean isAlone) {
		if (!isAlone && !this.isSalvage) {
			throw new StorageStartException(damaged.getMessage()
					+ ". This node's votes about the layout of the cluster are lost with it. Restore the whole directory"
					+ " from a backup, or move it away and start with an empty one, which the other replicas fill."
					+ " Without both, start once with quorate.storage.recovery=salvage: that keeps the data, and gives"
					+ " it another identity. The file was not changed.", damaged);
		}
		log.warn("{}. It is made anew, without the votes of this node and the layouts that it knew",
				damaged.getMessage());
		try {
			if (!isAlone) {
				this.identity.renew();
			}
			return anew(self, first);
		}
		catch (IOException failure) {
			throw unusable(failure);
		}
	}

	private StorageStartException unusable(IOException failure) {
		return new StorageStartException("%s cannot be read or written: %s".formatted(this.path, failure), failure);
	}

}
