package io.quorate.backup;

/** The failure of a request for a backup that does not exist. */
public final class NoSuchBackupException extends RuntimeException {

	NoSuchBackupException(String name) {
		super("there is no backup '%s'".formatted(name));
	}

}
