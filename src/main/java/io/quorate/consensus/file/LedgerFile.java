package io.quorate.consensus.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.CRC32C;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.ConsensusCodec;
import io.quorate.consensus.Ledger;
import io.quorate.consensus.MalformedBytesException;
import io.quorate.consensus.Voter;
import io.quorate.storage.file.DurableFiles;

/**
 * A ledger that is replaced as a whole with each state: after any crash it has the state
 * before or the one after. It names the voter whose promises and votes it has. Numbers
 * have the highest byte first:
 *
 * <pre>
 * magic 4 "QLDG" | version 4 | length of voter and state 4 | voter | state | CRC-32C of all before 4
 *
 * voter, state:  see {@link ConsensusCodec}
 * </pre>
 *
 * Used by one thread at a time.
 */
public final class LedgerFile implements Ledger {

	private static final int MAGIC = 0x514c4447;

	private static final int FORMAT_VERSION = 1;

	private static final int HEADER_BYTES = 3 * Integer.BYTES;

	private static final int LENGTH_AT = 2 * Integer.BYTES;

	private final Path path;

	private final Voter owner;

	private final AcceptorState recovered;

	private final boolean isOfAnEarlierLife;

	private LedgerFile(Path path, Voter owner, AcceptorState recovered, boolean isOfAnEarlierLife) {
		this.path = path;
		this.owner = owner;
		this.recovered = recovered;
		this.isOfAnEarlierLife = isOfAnEarlierLife;
	}

	/**
	 * Makes the ledger of a voter that has had none, in the place of any file there,
	 * which must have no promise and no vote that counts.
	 * @throws IOException when it is not known whether the ledger is durable
	 */
	public static LedgerFile replace(Path path, Voter owner, AcceptorState first) throws IOException {
		LedgerFile file = new LedgerFile(path, owner, first, false);
		file.keep(first);
		return file;
	}

	/**
	 * Reads the ledger of a voter that has one. Of an earlier life of its directory the
	 * decisions are taken, and neither ballots nor promises nor votes: these are not of
	 * this voter.
	 * @throws DamagedLedgerException when the file is missing or damaged
	 * @throws OtherLedgerFormatException when it has a format that this program does not
	 * read
	 * @throws ForeignLedgerException when it is that of another node
	 * @throws IOException when it cannot be read
	 */
	public static LedgerFile open(Path path, Voter owner) throws IOException {
		ConsensusCodec.OwnedState found = read(path);
		if (!found.owner().id().equals(owner.id())) {
			throw new ForeignLedgerException(path, found.owner(), owner);
		}
		boolean isOwn = found.owner().equals(owner);
		return new LedgerFile(path, owner, isOwn ? found.state() : AcceptorState.of(found.state().decisions()), !isOwn);
	}

	/**
	 * Reads a ledger of any voter.
	 * @throws DamagedLedgerException when the file is missing or damaged
	 * @throws OtherLedgerFormatException when it has a format that this program does not
	 * read
	 * @throws IOException when it cannot be read
	 */
	public static ConsensusCodec.OwnedState read(Path path) throws IOException {
		try {
			return contents(path, ByteBuffer.wrap(Files.readAllBytes(path)));
		}
		catch (NoSuchFileException missing) {
			throw new DamagedLedgerException(path, "it is missing", missing);
		}
	}

	private static ConsensusCodec.OwnedState contents(Path path, ByteBuffer bytes) throws IOException {
		int length = bytes.remaining() - HEADER_BYTES - Integer.BYTES;
		if (length < 0 || bytes.getInt(0) != MAGIC || bytes.getInt(LENGTH_AT) != length) {
			throw new DamagedLedgerException(path, "it is no ledger, or not a whole one", null);
		}
		if (bytes.getInt(HEADER_BYTES + length) != checksum(bytes.slice(0, HEADER_BYTES + length))) {
			throw new DamagedLedgerException(path, "its checksum is wrong", null);
		}
		int version = bytes.getInt(Integer.BYTES);
		if (version != FORMAT_VERSION) {
			throw new OtherLedgerFormatException(path, version, FORMAT_VERSION);
		}
		try {
			return ConsensusCodec.readOwnedState(bytes.slice(HEADER_BYTES, length));
		}
		catch (MalformedBytesException wrong) {
			throw new DamagedLedgerException(path, String.valueOf(wrong.getMessage()), wrong);
		}
	}

	/** Whether it was written under another storage id: its votes do not count. */
	public boolean isOfAnEarlierLife() {
		return this.isOfAnEarlierLife;
	}

	@Override
	public AcceptorState recovered() {
		return this.recovered;
	}

	@Override
	public void keep(AcceptorState state) throws IOException {
		byte[] written = ConsensusCodec.write(new ConsensusCodec.OwnedState(this.owner, state));
		ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + written.length + Integer.BYTES)
			.putInt(MAGIC)
			.putInt(FORMAT_VERSION)
			.putInt(written.length)
			.put(written);
		bytes.putInt(checksum(bytes.slice(0, bytes.position())));
		DurableFiles.replace(this.path, bytes.flip());
	}

	private static int checksum(ByteBuffer bytes) {
		CRC32C crc = new CRC32C();
		crc.update(bytes);
		return (int) crc.getValue();
	}

}
