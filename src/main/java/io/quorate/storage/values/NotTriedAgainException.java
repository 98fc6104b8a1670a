package io.quorate.storage.values;

import java.io.IOException;

/**
 * Something was not tried, because it has failed a moment ago, as the cause says. It is
 * no news: whoever had to do something about that failure was told of it.
 */
public final class NotTriedAgainException extends IOException {

	NotTriedAgainException(String message, IOException before) {
		super(message, before);
	}

}
