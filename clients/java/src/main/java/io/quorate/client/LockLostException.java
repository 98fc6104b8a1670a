package io.quorate.client;

/**
 * The error that a lock, or the lease of a job, is not, or not surely, that of its holder
 * any more. Another one may have it by now: only the token keeps out what the holder has
 * begun.
 */
public class LockLostException extends QuorateException {

	private static final long serialVersionUID = 1;

	LockLostException(String message) {
		super(message, null, null);
	}

}
