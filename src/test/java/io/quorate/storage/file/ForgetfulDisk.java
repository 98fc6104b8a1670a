package io.quorate.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * A disk that knows, of each file and directory below one directory, what was fsynced:
 * the bytes of a file at its last fsync, the names in a directory at that of the
 * directory. So it can say what a power failure at this moment may leave. What it holds
 * is seen through the page cache (the files themselves) by whoever reads, mapped or not;
 * after a failed fsync that is more than what later fsyncs bring to the disk. One at a
 * time.
 * <p>
 * Nothing waits for the real disk, also not outside of that directory.
 */
public final class ForgetfulDisk implements AutoCloseable {

	private final Path root;

	private final Consumer<Step> after;

	private Inode.Directory top;

	private boolean off;

	private volatile boolean full;

	private volatile @Nullable Predicate<Path> failingFsync;

	/**
	 * The disk of a directory with what is in it, all of it fsynced.
	 * @param after is told of each change, by the thread that made it
	 */
	public ForgetfulDisk(Path root, Consumer<Step> after) throws IOException {
		this.root = root.toAbsolutePath().normalize();
		this.after = after;
		this.top = found(this.root);
		Channels.use(new Whole());
	}

	/**
	 * A change.
	 *
	 * @param isOfNames whether names were changed or fsynced, and not a file's bytes
	 */
	public record Step(String what, Path path, boolean isOfNames) {
	}

	/** The files of a disk, by the path below its directory; a directory has no bytes. */
	public record Image(Map<Path, byte @Nullable []> files) {

		/** Writes it where nothing is. */
		public void write(Path directory) throws IOException {
			Files.createDirectories(directory);
			for (Map.Entry<Path, byte @Nullable []> file : this.files.entrySet()) {
				Path path = directory.resolve(file.getKey());
				byte[] bytes = file.getValue();
				if (bytes == null) {
					Files.createDirectories(path);
				}
				else {
					Files.write(path, bytes);
				}
			}
		}

	}

	/**
	 * What a power failure may leave.
	 * @param random what survives of what was not fsynced; {@code null} for nothing
	 */
	public synchronized Image afterPowerFailure(@Nullable Random random) {
		Map<Path, byte @Nullable []> files = new TreeMap<>();
		collect(Path.of(""), this.top, random, files);
		return new Image(files);
	}

	private static void collect(Path path, Inode.Directory directory, @Nullable Random random,
			Map<Path, byte @Nullable []> files) {
		directory.afterPowerFailure(random).forEach((name, inode) -> {
			Path below = path.resolve(name);
			switch (inode) {
				case Inode.File file -> files.put(below, file.afterPowerFailure(random));
				case Inode.Directory inner -> {
					files.put(below, null);
					collect(below, inner, random, files);
				}
			}
		});
	}

	/** The process is dead: from now on nothing is changed any more, every try fails. */
	public synchronized void killProcess() {
		this.off = true;
	}

	/** The next process begins, with the same page cache. */
	public synchronized void nextProcess() {
		this.off = false;
		this.full = false;
		this.failingFsync = null;
	}

	/**
	 * The machine begins anew.
	 * @param image what it finds; the directory is emptied for it
	 */
	public synchronized void nextMachine(Image image) throws IOException {
		try (Stream<Path> inside = Files.list(this.root)) {
			for (Path path : inside.toList()) {
				FileSystemUtils.deleteRecursively(path);
			}
		}
		image.write(this.root);
		this.top = found(this.root);
		nextProcess();
	}

	/** Whether what makes a file longer fails. */
	public void fill(boolean now) {
		this.full = now;
	}

	/**
	 * The next fsync of such a file fails, and what it was to bring to the disk is
	 * brought there by no other.
	 */
	public void failNextFsync(Predicate<Path> files) {
		this.failingFsync = files;
	}

	@Override
	public void close() {
		Channels.use(Disk.SYSTEM);
	}

	private static Inode.Directory found(Path directory) throws IOException {
		Inode.Directory found = new Inode.Directory();
		try (Stream<Path> inside = Files.list(directory)) {
			for (Path path : inside.toList()) {
				found.found(path.getFileName().toString(),
						Files.isDirectory(path) ? found(path) : new Inode.File(Files.readAllBytes(path)));
			}
		}
		return found;
	}

	private boolean isOutside(Path path) {
		return !path.toAbsolutePath().normalize().startsWith(this.root);
	}

	private Inode inode(Path path) throws IOException {
		Inode found = this.top;
		Path below = this.root.relativize(path.toAbsolutePath().normalize());
		for (Path name : below) {
			if (!name.toString().isEmpty()) {
				Inode next = (found instanceof Inode.Directory inside) ? inside.now.get(name.toString()) : null;
				if (next == null) {
					throw new NoSuchFileException(path.toString());
				}
				found = next;
			}
		}
		return found;
	}

	private Inode.Directory above(Path path) throws IOException {
		Path parent = Objects.requireNonNull(path.toAbsolutePath().normalize().getParent());
		return (Inode.Directory) inode(parent);
	}

	private void requireOn() throws IOException {
		if (this.off) {
			throw new IOException("the process is dead");
		}
	}

	private void told(String what, Path path, boolean isOfNames) {
		this.after.accept(new Step(what, path, isOfNames));
	}

	private static String name(Path path) {
		return path.getFileName().toString();
	}

	/** All of the files of this process. */
	private final class Whole implements Disk {

		@Override
		public FileChannel open(Path file, OpenOption... options) throws IOException {
			List<OpenOption> chosen = Arrays.asList(options);
			boolean direct = chosen.stream().anyMatch((option) -> !(option instanceof StandardOpenOption));
			OpenOption[] cached = chosen.stream()
				.filter(StandardOpenOption.class::isInstance)
				.toArray(OpenOption[]::new);
			if (isOutside(file)) {
				return new Unwaiting(SYSTEM.open(file, cached));
			}
			FileChannel opened;
			Inode inode;
			boolean changed;
			synchronized (ForgetfulDisk.this) {
				requireOn();
				boolean isNew = !Files.exists(file);
				opened = SYSTEM.open(file, cached);
				if (isNew) {
					above(file).added(name(file), new Inode.File());
				}
				inode = inode(file);
				changed = isNew || chosen.contains(StandardOpenOption.TRUNCATE_EXISTING);
				if (!isNew && changed && inode instanceof Inode.File cut) {
					cut.truncated(0);
				}
			}
			if (changed) {
				told("open", file, true);
			}
			return direct ? new Direct(opened, (Inode.File) inode) : new Tracked(file, opened, inode);
		}

		@Override
		public void move(Path from, Path to) throws IOException {
			if (isOutside(from)) {
				SYSTEM.move(from, to);
				return;
			}
			synchronized (ForgetfulDisk.this) {
				requireOn();
				SYSTEM.move(from, to);
				Inode inode = inode(from);
				Inode.Directory source = above(from);
				Inode.Directory target = above(to);
				if (source == target) {
					source.renamed(name(from), name(to), inode);
				}
				else {
					target.added(name(to), inode);
					source.removed(name(from));
				}
			}
			told("rename", to, true);
		}

		@Override
		public void link(Path name, Path file) throws IOException {
			if (isOutside(name)) {
				SYSTEM.link(name, file);
				return;
			}
			synchronized (ForgetfulDisk.this) {
				requireOn();
				SYSTEM.link(name, file);
				above(name).added(name(name), inode(file));
			}
			told("link", name, true);
		}

		@Override
		public void delete(Path path) throws IOException {
			if (isOutside(path)) {
				SYSTEM.delete(path);
				return;
			}
			synchronized (ForgetfulDisk.this) {
				requireOn();
				SYSTEM.delete(path);
				above(path).removed(name(path));
			}
			told("delete", path, true);
		}

		@Override
		public void makeDirectory(Path directory) throws IOException {
			if (isOutside(directory)) {
				SYSTEM.makeDirectory(directory);
				return;
			}
			synchronized (ForgetfulDisk.this) {
				requireOn();
				SYSTEM.makeDirectory(directory);
				above(directory).added(name(directory), new Inode.Directory());
			}
			told("mkdir", directory, true);
		}

	}

	/** A file elsewhere. */
	private static final class Unwaiting extends WrappedChannel {

		private Unwaiting(FileChannel channel) {
			super(channel);
		}

		@Override
		public int write(ByteBuffer source, long position) throws IOException {
			return this.channel.write(source, position);
		}

		@Override
		public void force(boolean metaData) {
			// Nobody looks at what a power failure leaves of it.
		}

	}

	/** A file past the page cache, which is written back before it is read. */
	private final class Direct extends WrappedChannel {

		private final Inode.File inode;

		private Direct(FileChannel channel, Inode.File inode) {
			super(channel);
			this.inode = inode;
		}

		@Override
		public int read(ByteBuffer target, long position) {
			byte[] content;
			synchronized (ForgetfulDisk.this) {
				content = this.inode.writtenBack();
			}
			int there = (int) Math.min(target.remaining(), content.length - position);
			if (there <= 0) {
				return -1;
			}
			target.put(content, (int) position, there);
			return there;
		}

		@Override
		public int write(ByteBuffer source, long position) {
			throw new UnsupportedOperationException("the store writes through the page cache");
		}

		@Override
		public void force(boolean metaData) {
			throw new UnsupportedOperationException("the store only reads past the page cache");
		}

	}

	/** A file of this disk, or a directory of it. */
	private final class Tracked extends WrappedChannel {

		private final Path file;

		private final Inode inode;

		private Tracked(Path file, FileChannel channel, Inode inode) {
			super(channel);
			this.file = file;
			this.inode = inode;
		}

		@Override
		public int write(ByteBuffer source, long position) throws IOException {
			byte[] bytes = new byte[source.remaining()];
			synchronized (ForgetfulDisk.this) {
				requireOn();
				if (ForgetfulDisk.this.full && position + bytes.length > this.channel.size()) {
					throw new IOException("No space left on device");
				}
				source.get(source.position(), bytes);
				int written = this.channel.write(source, position);
				if (written != bytes.length) {
					bytes = Arrays.copyOf(bytes, written);
				}
				((Inode.File) this.inode).written(position, bytes);
			}
			told("write", this.file, false);
			return bytes.length;
		}

		@Override
		public FileChannel truncate(long size) throws IOException {
			synchronized (ForgetfulDisk.this) {
				requireOn();
				if (size >= this.channel.size()) {
					return this;
				}
				this.channel.truncate(size);
				((Inode.File) this.inode).truncated(size);
			}
			told("truncate", this.file, false);
			return this;
		}

		@Override
		public void force(boolean metaData) throws IOException {
			synchronized (ForgetfulDisk.this) {
				requireOn();
				Predicate<Path> failing = ForgetfulDisk.this.failingFsync;
				if (failing != null && failing.test(this.file)) {
					ForgetfulDisk.this.failingFsync = null;
					this.inode.forgetChanges();
					throw new IOException("Input/output error");
				}
				this.inode.fsynced();
			}
			told("fsync", this.file, this.inode instanceof Inode.Directory);
		}

	}

}
