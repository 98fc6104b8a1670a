package io.quorate.consensus;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * A node with one life of its directory.
 *
 * @param id id of the node: 1 to 255 bytes of UTF-8
 * @param storageId identity of the data in its directory, which is another after the loss
 * of the disk
 */
public record Voter(String id, UUID storageId) {

	/** The storage id of a voter that may have any life of its directory. */
	public static final UUID ANY_LIFE = new UUID(0, 0);

	/** Most bytes that an id takes in UTF-8. */
	static final int MAX_ID_BYTES = 255;

	public Voter {
		int bytes = id.getBytes(StandardCharsets.UTF_8).length;
		if (bytes == 0 || bytes > MAX_ID_BYTES) {
			throw new IllegalArgumentException("the id of a voter has %d bytes, not 1 to 255".formatted(bytes));
		}
	}

}
