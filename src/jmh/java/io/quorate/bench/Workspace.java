package io.quorate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.quorate.storage.StorageProperties.Sync;

/** A fresh directory with an engine in it, gone when closed. */
record Workspace(Path directory, Engine engine) implements AutoCloseable {

	/** System property that names where the directories are made. */
	static final String DIRECTORY = "bench.directory";

	static Workspace open(String engine, Sync sync) throws Exception {
		Path directory = newDirectory(engine);
		return new Workspace(directory, engine(engine, directory, sync));
	}

	/** One whose merges neither rest nor have a rate, and are counted; nobody syncs it. */
	static Workspace openUnlimited(String engine) throws Exception {
		Path directory = newDirectory(engine);
		// RocksDB has no limits unless it is given some.
		return new Workspace(directory, engine.equals("quorate") ? QuorateEngine.unlimited(directory)
				: RocksEngine.counting(directory));
	}

	private static Path newDirectory(String engine) throws IOException {
		Path parent = Files.createDirectories(Path.of(System.getProperty(DIRECTORY, "target/bench/data")));
		return Files.createTempDirectory(parent, engine);
	}

	private static Engine engine(String name, Path directory, Sync sync) throws Exception {
		return switch (name) {
			case "quorate" -> new QuorateEngine(directory, sync);
			case "rocksdb" -> new RocksEngine(directory, sync);
			default -> throw new IllegalArgumentException("no such engine: " + name);
		};
	}

	/**
	 * The same data, opened anew, with nothing of its files in the page cache. Needs GNU's
	 * dd.
	 */
	Workspace cold(String name, Sync sync) throws Exception {
		this.engine.close();
		for (Path file : files()) {
			if (Files.isRegularFile(file)) {
				run("sync", "--data", file.toString());
				run("dd", "status=none", "if=" + file, "iflag=nocache", "count=0");
			}
		}
		return new Workspace(this.directory, engine(name, this.directory, sync));
	}

	private static void run(String... command) throws IOException, InterruptedException {
		int code = new ProcessBuilder(command).inheritIO().start().waitFor();
		if (code != 0) {
			throw new IOException("%s ended with %d".formatted(String.join(" ", command), code));
		}
	}

	/** Writes records 0 to {@code count}, in a shuffled order. */
	Workspace load(int count) throws Exception {
		int stride = coprimeTo(count);
		for (int i = 0; i < count; i++) {
			int number = (int) ((long) i * stride % count);
			this.engine.load(Records.key(number), Records.value(number));
		}
		return this;
	}

	private static int coprimeTo(int count) {
		int stride = (int) (count * 0.618_033_988) | 1;
		while (greatestCommonDivisor(stride, count) != 1) {
			stride += 2;
		}
		return stride;
	}

	private static int greatestCommonDivisor(int left, int right) {
		return (right == 0) ? left : greatestCommonDivisor(right, left % right);
	}

	long sizeBytes() throws IOException {
		long total = 0;
		for (Path file : files()) {
			total += Files.isRegularFile(file) ? Files.size(file) : 0;
		}
		return total;
	}

	@Override
	public void close() throws IOException {
		this.engine.close();
		for (Path file : files().reversed()) {
			Files.deleteIfExists(file);
		}
	}

	private List<Path> files() throws IOException {
		try (Stream<Path> files = Files.walk(this.directory)) {
			return files.sorted(Comparator.naturalOrder()).toList();
		}
	}

}
