package io.quorate.consensus.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.CRC32C;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.ConsensusCodec;
import io.quorate.consensus.Ledger;
import io.quorate.consensus.MalformedBytesException;
import io.quorate.storage.file.DurableFiles;

/**
 * A ledger that is replaced as a whole with each state: after any crash it has the state
 * before or the one after. Numbers have the highest byte first:
 *
 * <pre>
 * magic 4 "QLDG" | length of the state 4 | state, see {@link ConsensusCodec} | CRC-32C of all before 4
 * </pre>
 *
 * Used by one thread at a time.
 */
public final class LedgerFile implements Ledger {

	private static final int MAGIC = 0x514c4447;

	private static final int HEADER_BYTES = 2 * Integer.BYTES;

	private final Path path;

	private final AcceptorState recovered;

	private LedgerFile(Path path, AcceptorState recovered) {
		this.path = path;
		this.recovered = recovered;
	}

	/**
	 * Makes the ledger of a directory that has had none, with its first state.
	 * @throws IOException when there is a file of its name, or it is not known whether
	 * the ledger is durable
	 */
	public static LedgerFile create(Path path, AcceptorState first) throws IOException {
		if (Files.exists(path)) {
			throw new FileAlreadyExistsException(path.toString());
		}
		LedgerFile file = new LedgerFile(path, first);
		file.keep(first);
		return file;
	}

	/**
	 * Reads the ledger of a directory that has one.
	 * @throws DamagedLedgerException when the file is missing or damaged
	 * @throws IOException when it cannot be read
	 */
	public static LedgerFile open(Path path) throws IOException {
		try {
			return new LedgerFile(path, read(path, ByteBuffer.wrap(Files.readAllBytes(path))));
		}
		catch (NoSuchFileException missing) {
			throw new DamagedLedgerException(path, "it is missing", missing);
		}
	}

	private static AcceptorState read(Path path, ByteBuffer bytes) throws DamagedLedgerException {
		int stateBytes = bytes.remaining() - HEADER_BYTES - Integer.BYTES;
		if (stateBytes < 0 || bytes.getInt(0) != MAGIC || bytes.getInt(Integer.BYTES) != stateBytes) {
			throw new DamagedLedgerException(path, "it is no ledger, or not a whole one", null);
		}
		if (bytes.getInt(HEADER_BYTES + stateBytes) != checksum(bytes.slice(0, HEADER_BYTES + stateBytes))) {
			throw new DamagedLedgerException(path, "its checksum is wrong", null);
		}
		try {
			return ConsensusCodec.readState(bytes.slice(HEADER_BYTES, stateBytes));
		}
		catch (MalformedBytesException wrong) {
			throw new DamagedLedgerException(path, String.valueOf(wrong.getMessage()), wrong);
		}
	}

	@Override
	public AcceptorState recovered() {
		return this.recovered;
	}

	@Override
	public void keep(AcceptorState state) throws IOException {
		byte[] written = ConsensusCodec.write(state);
		ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + written.length + Integer.BYTES)
			.putInt(MAGIC)
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
