package io.quorate.repair.comparison;

import java.nio.ByteBuffer;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Hash64;
import io.quorate.storage.HeaderPage.Header;

/**
 * Hashes entries: {@link Hash64} over the key's hash, timestamp, kind, copies and expiry.
 * Used by one thread.
 */
final class EntryHashes {

	private final ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES + Timestamp.SIZE_BYTES + 2);

	long of(Header header) {
		this.bytes.clear()
			.putLong(header.key().hash64())
			.putLong(header.timestamp().hybrid())
			.putInt(header.timestamp().node())
			.put((byte) (header.isTombstone() ? 1 : 0))
			.put((byte) header.from())
			.putLong(header.expiryMillis());
		return Hash64.of(this.bytes.array());
	}

}
