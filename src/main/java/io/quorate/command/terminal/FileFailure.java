package io.quorate.command.terminal;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** The failures of files, in words for a user. Pure. */
public final class FileFailure {

	private FileFailure() {
	}

	/** The reason of a failure. The JDK gives for most the path alone. */
	public static String reason(IOException failure) {
		String message = failure.getMessage();
		return switch (failure) {
			case NoSuchFileException none -> "there is no file " + none.getFile();
			case AccessDeniedException denied -> denied.getFile() + ": permission denied";
			case FileAlreadyExistsException there -> there.getFile() + " is there already";
			case NotDirectoryException file -> file.getFile() + " is no directory";
			case DirectoryNotEmptyException full -> full.getFile() + " is not empty";
			case FileSystemException other when other.getReason() == null -> other.getFile() + " cannot be used";
			case CharacterCodingException noText -> "it is not UTF-8";
			default -> (message != null) ? message : "input or output has failed";
		};
	}

	/** The reason of any failure: its own words, unless it has those of the JDK alone. */
	public static String reason(Throwable failure) {
		Throwable cause = failure.getCause();
		if (failure instanceof IOException own) {
			return reason(own);
		}
		return (cause instanceof IOException io && cause.toString().equals(failure.getMessage())) ? reason(io)
				: String.valueOf(failure.getMessage());
	}

}
