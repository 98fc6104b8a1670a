package io.quorate.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * A disk that is full or broken while a test says so: what is written to files of one
 * directory fails, now and then or always. Reads never do. One at a time.
 */
public final class FaultyDisk implements AutoCloseable {

	private final Path directory;

	private final AtomicLong random;

	private final AtomicLong failures = new AtomicLong();

	private volatile Fault fault = Fault.NONE;

	private volatile double probability = 1;

	private volatile Predicate<Path> forcesThatFail = (_) -> false;

	/**
	 * A sound disk at first.
	 * @param seed which calls fail
	 */
	public FaultyDisk(Path directory, long seed) {
		this.directory = directory.toAbsolutePath();
		this.random = new AtomicLong(seed);
		Channels.use(new Files());
	}

	/** A fault of the disk. */
	public enum Fault {

		/** Nothing. */
		NONE,

		/** What makes a file longer fails as on a full disk, having written a part. */
		FULL,

		/** A force fails as on a full disk that promises room when it is written to. */
		FULL_FOR_FORCES,

		/** Writes and forces fail as on a broken disk. */
		BROKEN

	}

	/** From now on so large a part of the calls fail. */
	public void set(Fault next, double part) {
		this.probability = part;
		this.fault = next;
	}

	/** On a full disk forces of these files fail, too. */
	public void failForces(Predicate<Path> files) {
		this.forcesThatFail = files;
	}

	/** Number of calls that have failed. */
	public long failures() {
		return this.failures.get();
	}

	/** Gives all files that are opened from now on a sound disk. */
	@Override
	public void close() {
		this.fault = Fault.NONE;
		Channels.use(Disk.SYSTEM);
	}

	/** Names change as on the disk of the system. */
	private final class Files implements Disk {

		@Override
		public FileChannel open(Path file, OpenOption... options) throws IOException {
			FileChannel channel = SYSTEM.open(file, options);
			return file.toAbsolutePath().startsWith(FaultyDisk.this.directory) ? new Channel(file, channel) : channel;
		}

		@Override
		public void move(Path from, Path to) throws IOException {
			SYSTEM.move(from, to);
		}

		@Override
		public void link(Path name, Path file) throws IOException {
			SYSTEM.link(name, file);
		}

		@Override
		public void delete(Path path) throws IOException {
			SYSTEM.delete(path);
		}

		@Override
		public void makeDirectory(Path directory) throws IOException {
			SYSTEM.makeDirectory(directory);
		}

	}

	/*
	 * A number of splitmix64: no lock, and the same for a seed as far as threads allow.
	 */
	private boolean strikes() {
		long next = this.random.addAndGet(0x9e3779b97f4a7c15L);
		next = (next ^ (next >>> 30)) * 0xbf58476d1ce4e5b9L;
		next = (next ^ (next >>> 27)) * 0x94d049bb133111ebL;
		return ((next ^ (next >>> 31)) >>> 11) * 0x1.0p-53 < this.probability;
	}

	private IOException failure(Fault kind) {
		this.failures.incrementAndGet();
		return new IOException((kind == Fault.BROKEN) ? "Input/output error" : "No space left on device");
	}

	/** A file of this disk. */
	private final class Channel extends WrappedChannel {

		private final Path file;

		private Channel(Path file, FileChannel channel) {
			super(channel);
			this.file = file;
		}

		@Override
		public int write(ByteBuffer source, long position) throws IOException {
			Fault current = FaultyDisk.this.fault;
			if (current == Fault.BROKEN && strikes()) {
				throw failure(current);
			}
			if (current == Fault.FULL && position + source.remaining() > this.channel.size() && strikes()) {
				int fits = (int) Math.max(0, Math.min(source.remaining() / 2, this.channel.size() - position));
				this.channel.write(source.duplicate().limit(source.position() + fits), position);
				throw failure(current);
			}
			return this.channel.write(source, position);
		}

		@Override
		public void force(boolean metaData) throws IOException {
			Fault current = FaultyDisk.this.fault;
			if (current == Fault.BROKEN && strikes()) {
				throw failure(current);
			}
			boolean full = current == Fault.FULL || current == Fault.FULL_FOR_FORCES;
			if (full && FaultyDisk.this.forcesThatFail.test(this.file) && strikes()) {
				throw failure(current);
			}
			this.channel.force(metaData);
		}

	}

}
