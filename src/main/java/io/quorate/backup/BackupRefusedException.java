package io.quorate.backup;

/** The refusal to take or delete a backup now; the message gives the reason. */
public final class BackupRefusedException extends RuntimeException {

	BackupRefusedException(String message) {
		super(message);
	}

}
