package io.quorate.storage.sstable;

import io.quorate.entry.Key;
import io.quorate.security.LoggedKey;

/** The failure of a read that finds a key of a table out of order. */
final class MisorderedKeyException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	MisorderedKeyException(Key key) {
		super("the key %s is out of order".formatted(LoggedKey.of(key)));
	}

}
