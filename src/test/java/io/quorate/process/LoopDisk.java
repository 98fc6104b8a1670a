package io.quorate.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A file system of its own in a file, whose power can fail: what was not forced is gone
 * then. Needs Linux, ext4, loop devices, Python, and the right to mount.
 */
final class LoopDisk implements AutoCloseable {

	/*
	 * FS_IOC_SHUTDOWN without flushing the journal: nothing more reaches the disk. The
	 * JDK has no ioctl.
	 */
	private static final String FAIL = """
			import fcntl, os, struct, sys
			fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack("I", 2))
			""";

	private final Path image;

	private final Path mountPoint;

	private LoopDisk(Path image, Path mountPoint) {
		this.image = image;
		this.mountPoint = mountPoint;
	}

	/** A new one. */
	static LoopDisk in(Path directory, long sizeBytes) throws IOException {
		LoopDisk disk = new LoopDisk(directory.resolve("disk.img"), Files.createDirectory(directory.resolve("disk")));
		try (RandomAccessFile file = new RandomAccessFile(disk.image.toFile(), "rw")) {
			file.setLength(sizeBytes);
		}
		run("mkfs.ext4", "-q", "-F", disk.image.toString());
		disk.mount();
		return disk;
	}

	/** Where its files are. */
	Path path() {
		return this.mountPoint;
	}

	/** From now on nothing reaches it, and whoever writes or forces is told an error. */
	void failPower() throws IOException {
		run("python3", "-c", FAIL, this.mountPoint.toString());
	}

	/** As after the power is back; nobody may have a file of it open. */
	void restorePower() throws IOException {
		run("umount", this.mountPoint.toString());
		mount();
	}

	private void mount() throws IOException {
		run("mount", "-o", "loop", this.image.toString(), this.mountPoint.toString());
	}

	@Override
	public void close() throws IOException {
		run("umount", this.mountPoint.toString());
	}

	private static void run(String... command) throws IOException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		int code = process.onExit().orTimeout(1, TimeUnit.MINUTES).join().exitValue();
		if (code != 0) {
			throw new IOException("%s: %d: %s".formatted(String.join(" ", command), code, output));
		}
	}

}
