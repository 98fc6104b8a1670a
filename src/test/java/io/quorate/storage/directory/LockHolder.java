package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.file.Path;

import io.quorate.storage.StorageStartException;

/**
 * A process that takes the lock of a directory, says whether it got it, and keeps it
 * until its input ends.
 */
final class LockHolder {

	private LockHolder() {
	}

	static void main(String[] args) throws IOException {
		try {
			DirectoryLock lock = DirectoryLock.acquire(Path.of(args[0]));
			System.out.println("locked");
			System.in.transferTo(System.out);
			lock.close();
		}
		catch (StorageStartException ex) {
			System.out.println(ex.getMessage());
		}
	}

}
