package io.quorate.client;

/**
 * The error that another holder had a lock for as long as the caller would wait. It is
 * not acquired.
 */
public class LockedException extends UnavailableException {

	private static final long serialVersionUID = 1;

	LockedException(String key) {
		super(key + " is locked by another holder", null, null);
	}

}
