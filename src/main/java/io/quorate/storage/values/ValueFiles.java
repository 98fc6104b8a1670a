package io.quorate.storage.values;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.quorate.entry.Value;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Promised;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All value files of a store. A file stays while its reference count is not zero: a
 * reader of a reference holds the files that it refers to.
 */
public final class ValueFiles implements AutoCloseable {

	/** Compares values without reading them: by their sizes, then their checksums. */
	public static final Comparator<StoredEntry> BY_CHECKSUM = Comparator.comparingInt(StoredEntry::valueSizeBytes)
		.thenComparingInt(ValueFile::checksum);

	private static final Logger log = LoggerFactory.getLogger(ValueFiles.class);

	private final Path directory;

	private final Map<Long, ValueFile> files = new ConcurrentHashMap<>();

	private final AtomicLong nextNumber;

	private final Unheld unheld;

	private final Consumer<StorageCorruptedException> damaged;

	private volatile boolean closing;

	/**
	 * The files of a directory.
	 * @param live numbers of the files that exist
	 * @param nextNumber number of the next file
	 * @param unheld receives the number of each file whose last reference was released
	 * @param damaged receives each damage that a read of a value finds
	 */
	public ValueFiles(Path directory, Collection<Long> live, long nextNumber, Unheld unheld,
			Consumer<StorageCorruptedException> damaged) throws IOException {
		this.directory = directory;
		this.nextNumber = new AtomicLong(nextNumber);
		this.unheld = unheld;
		this.damaged = damaged;
		try {
			for (long number : live) {
				if (Files.exists(ValueFile.FILES.path(directory, number))) {
					this.files.put(number, ValueFile.open(directory, number));
				}
			}
		}
		catch (IOException | RuntimeException failure) {
			close();
			throw failure;
		}
	}

	/** Reserves the number of the next file to be written. */
	long reserve() {
		return this.nextNumber.getAndIncrement();
	}

	/** Makes a reserved file, with one reference for its writer. */
	ValueFile create(long number) throws IOException {
		ValueFile file = ValueFile.create(this.directory, number);
		file.retain();
		this.files.put(number, file);
		return file;
	}

	/** Whether a file exists. */
	public boolean isThere(long number) {
		return this.files.containsKey(number);
	}

	/** Holds files, so that they are not deleted; each must be released once. */
	public void retain(Collection<Long> numbers) {
		numbers.forEach((number) -> {
			ValueFile file = this.files.get(number);
			if (file != null) {
				file.retain();
			}
		});
	}

	/** Releases files that were held. */
	public void release(Collection<Long> numbers) {
		numbers.forEach((number) -> {
			ValueFile file = this.files.get(number);
			if (file != null && file.release() && !this.closing) {
				this.unheld.unheld(this, number);
			}
		});
	}

	/** Keeps all files from now on: references are released because the store closes. */
	public void keepAll() {
		this.closing = true;
	}

	/** Files without references; none once all are kept. */
	public Set<Long> unheld() {
		Set<Long> numbers = new TreeSet<>();
		this.files.forEach((number, file) -> {
			if (!file.isHeld()) {
				numbers.add(number);
			}
		});
		// From then on files have no references because the store closes.
		return this.closing ? Set.of() : numbers;
	}

	/** Reads a value; may wait for the disk. */
	public Value read(Reference reference) {
		try {
			return readIntact(reference);
		}
		catch (StorageCorruptedException damage) {
			this.damaged.accept(damage);
			throw damage;
		}
	}

	/**
	 * Compares a value on the disk with its checksum; may wait for the disk.
	 * @throws StorageCorruptedException when it is damaged
	 */
	public void verify(Reference reference, UncachedReader reader) throws IOException {
		Path path = ValueFile.FILES.path(this.directory, reference.file());
		try {
			ValueFile.verify(path, reference, reader);
		}
		catch (StorageCorruptedException damage) {
			this.damaged.accept(damage);
			throw damage;
		}
	}

	private Value readIntact(Reference reference) {
		ValueFile file = this.files.get(reference.file());
		if (file == null) {
			throw new StorageCorruptedException(ValueFile.FILES.path(this.directory, reference.file()),
					reference.offset(), "the file is missing", null);
		}
		return file.read(reference);
	}

	/**
	 * Compares two values. Of the same size and checksum they count as equal, as those of
	 * an entry that comes again are: then nothing is read, in particular no copy that is
	 * damaged by now, and it stays unknown which of the two copies is intact. To compare
	 * other values may wait for the disk.
	 */
	public int compare(StoredEntry left, StoredEntry right) {
		return (BY_CHECKSUM.compare(left, right) != 0) ? valueOf(left).compareTo(valueOf(right)) : 0;
	}

	/**
	 * As {@link #compare}, but when only one of two copies can be read, that one wins.
	 * Reads both, unless they are one.
	 */
	public int compareIntact(StoredEntry left, StoredEntry right) {
		if (left.payload().equals(right.payload())) {
			return 0;
		}
		Value ofLeft = valueIfIntact(left);
		Value ofRight = valueIfIntact(right);
		return (ofLeft != null && ofRight != null) ? ofLeft.compareTo(ofRight)
				: Boolean.compare(ofLeft != null, ofRight != null);
	}

	private @Nullable Value valueIfIntact(StoredEntry entry) {
		try {
			return valueOf(entry);
		}
		catch (StorageCorruptedException | StorageFailedException unreadable) {
			log.warn("Another copy of a value is preferred, if there is one, because {}", unreadable.getMessage());
			return null;
		}
	}

	/** The value of an entry, wherever it is stored; empty for a tombstone. */
	public Value valueOf(StoredEntry entry) {
		return switch (entry.payload()) {
			case Inline inline -> inline.value();
			case Reference reference -> read(reference);
			case Deleted _, Promised _ -> Value.EMPTY;
		};
	}

	/**
	 * Whether a value of a file that was found, and that was not acknowledged as durable,
	 * is on the disk undamaged. The file is fsynced first; then the value is read past
	 * the page cache: when an fsync has failed in the process before, the next one may
	 * succeed and prove nothing.
	 * @throws IOException when the file cannot be fsynced or opened
	 */
	public boolean isOnDisk(Reference reference, UncachedReader reader) throws IOException {
		ValueFile file = this.files.get(reference.file());
		if (file != null) {
			file.forceAsFound();
		}
		try {
			ValueFile.verify(ValueFile.FILES.path(this.directory, reference.file()), reference, reader);
			return file != null;
		}
		catch (FileSystemException notOpened) {
			// A file that cannot be opened proves nothing about the value.
			throw notOpened;
		}
		catch (IOException | StorageException damaged) {
			log.warn("A value that a log record refers to is not intact: {}", damaged.getMessage());
			return false;
		}
	}

	/** Deletes a file without references. */
	public void delete(long number) throws IOException {
		ValueFile file = this.files.remove(number);
		if (file != null) {
			file.close();
		}
		DirectoryEntries.deleteIfExists(ValueFile.FILES.path(this.directory, number));
	}

	/** By number, the size of each file to which no further value is appended. */
	public Map<Long, Long> closedSizes() {
		Map<Long, Long> sizes = new HashMap<>();
		this.files.forEach((number, file) -> {
			if (file.isComplete()) {
				sizes.put(number, file.sizeBytes());
			}
		});
		return sizes;
	}

	/** Size of all files. */
	public long sizeBytes() {
		return this.files.values().stream().mapToLong(ValueFile::sizeBytes).sum();
	}

	@Override
	public void close() throws IOException {
		for (ValueFile file : this.files.values()) {
			file.close();
		}
	}

	/**
	 * Receives the files whose last reference was released; must not wait for the disk.
	 */
	@FunctionalInterface
	public interface Unheld {

		/** The last reference to the file was released. */
		void unheld(ValueFiles files, long number);

	}

}
