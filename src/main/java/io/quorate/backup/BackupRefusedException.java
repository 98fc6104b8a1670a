package io.quorate.backup;

/** A backup cannot be taken or deleted now; the message says why. */
public final class BackupRefusedException extends RuntimeException {

	BackupRefusedException(String message) {
		super(message);
	}

}
