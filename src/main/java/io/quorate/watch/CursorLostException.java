package io.quorate.watch;

/**
 * The refusal of a cursor: deletions after it may have been purged, or the cluster was
 * restored since. The client begins anew with the state.
 */
public final class CursorLostException extends RuntimeException {

	CursorLostException(String message) {
		super(message);
	}

}
