package io.quorate.storage.sstable;

import io.quorate.entry.Key;
import io.quorate.security.LoggedKey;

/** A key of a table that does not stand where the order of its keys wants it. */
final class MisorderedKeyException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	MisorderedKeyException(Key key) {
		super("the key %s is out of order".formatted(LoggedKey.of(key)));
	}

}
