package io.quorate.backup;

/** There is no backup of that name. */
public final class NoSuchBackupException extends RuntimeException {

	NoSuchBackupException(String name) {
		super("there is no backup '%s'".formatted(name));
	}

}
