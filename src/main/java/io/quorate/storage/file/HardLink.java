package io.quorate.storage.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hard link to a file that does not change any more, or a copy where the file system
 * supports no link: there is never one to a file of another disk.
 */
public final class HardLink {

	private static final Logger log = LoggerFactory.getLogger(HardLink.class);

	private static final long PIECE_BYTES = 1024 * 1024;

	private HardLink() {
	}

	/**
	 * Links or copies a file under a name. A caller that needs the name to be durable
	 * fsyncs the directory.
	 * @param copying is called before and during a copy
	 * @return bytes that were copied, 0 for a hard link
	 */
	public static long give(Path file, Path name, Copying copying) throws IOException {
		try {
			DirectoryEntries.link(name, file);
			return 0;
		}
		catch (IOException | UnsupportedOperationException refused) {
			log.debug("{} has to be copied, because it can have no hard link: {}", file, refused.toString());
			copying.begin(Files.size(file));
			return copy(file, name, copying);
		}
	}

	/**
	 * Copies a file, durably but for its name, and rests as long as it works, because
	 * other work on the disk is more urgent.
	 * @return bytes that were copied
	 */
	public static long copy(Path file, Path copy, Copying copying) throws IOException {
		try (FileChannel from = Channels.open(file, StandardOpenOption.READ);
				FileChannel to = Channels.open(copy, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
						StandardOpenOption.TRUNCATE_EXISTING)) {
			long at = 0;
			long moved = 1;
			while (moved > 0) {
				long begun = System.nanoTime();
				moved = from.transferTo(at, PIECE_BYTES, to);
				at += moved;
				LockSupport.parkNanos(System.nanoTime() - begun);
				copying.copied(moved);
			}
			to.force(true);
			return at;
		}
	}

	/** Permits or ends a copy, and follows its progress. */
	@FunctionalInterface
	public interface Copying {

		/** Permits every copy. */
		Copying ALLOWED = (_) -> {
		};

		/** Returns if so many bytes may be copied. */
		void begin(long sizeBytes) throws IOException;

		/** Counts so many more bytes as copied, and returns if the copy may go on. */
		default void copied(long bytes) throws IOException {
		}

	}

}
