package io.quorate.api.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** A file that the program brings along. */
final class ProgramFile {

	private static final String ROOM = "/io/quorate/api/";

	private ProgramFile() {
	}

	/**
	 * The whole file; waits for the disk.
	 * @param name the name in the room, or with a slash the one in the program
	 */
	static byte[] read(String name) {
		try (InputStream file = ProgramFile.class.getResourceAsStream(name.startsWith("/") ? name : ROOM + name)) {
			if (file == null) {
				throw new IllegalStateException("this build has no file " + name);
			}
			return file.readAllBytes();
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	static byte[] sha256(byte[] bytes) {
		try {
			return MessageDigest.getInstance("SHA-256").digest(bytes);
		}
		catch (NoSuchAlgorithmException unreal) {
			throw new IllegalStateException(unreal);
		}
	}

}
