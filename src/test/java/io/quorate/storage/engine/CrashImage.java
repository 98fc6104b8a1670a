package io.quorate.storage.engine;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.quorate.storage.floor.SharesFile;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.wal.SegmentEnd;

/**
 * A copy of a store's directory as a killed process could have left it, taken while the
 * store works.
 * <p>
 * The copy takes a while, so it must not mix what never was on the disk at one instant:
 * <ol>
 * <li>the manifest and the floors first; when they have changed at the end, everything is
 * copied anew, so all that they name was there throughout;</li>
 * <li>the log next, the newest segment first and each from its end to its beginning: so
 * what was appended meanwhile is missing at the end and never in the middle;</li>
 * <li>tables, which never change once they have their name;</li>
 * <li>value files: they have all that the log refers to by then;</li>
 * <li>last what was discarded: it is there before the manifest says so.</li>
 * </ol>
 */
final class CrashImage {

	private static final int CHUNK = 4096;

	private CrashImage() {
	}

	static void take(Path from, Path to) throws IOException {
		byte[] manifest;
		byte[] floors;
		do {
			deleteTree(to);
			Files.createDirectories(to);
			manifest = Files.readAllBytes(from.resolve("MANIFEST"));
			Files.write(to.resolve("MANIFEST"), manifest);
			floors = floors(from);
			if (floors.length > 0) {
				Files.write(to.resolve(SharesFile.FILE_NAME), floors);
			}
			List<Path> segments = list(from.resolve("wal"));
			for (Path segment : segments.reversed()) {
				copyBackwards(segment, target(to, segment));
			}
			for (Path table : list(from.resolve("tables"))) {
				link(table, target(to, table));
			}
			for (Path values : list(from.resolve("values"))) {
				copyBackwards(values, target(to, values));
			}
			copyDiscarded(from.resolve("aside"), to.resolve("aside"));
		}
		while (!Arrays.equals(manifest, Files.readAllBytes(from.resolve("MANIFEST")))
				|| !Arrays.equals(floors, floors(from)));
	}

	private static byte[] floors(Path directory) throws IOException {
		Path file = directory.resolve(SharesFile.FILE_NAME);
		return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
	}

	private static void copyDiscarded(Path from, Path to) throws IOException {
		if (!Files.isDirectory(from)) {
			return;
		}
		for (Path directory : list(from)) {
			Path target = to.resolve(directory.getFileName());
			Files.createDirectories(target);
			for (Path file : listIfThere(directory)) {
				copyBackwards(file, target.resolve(file.getFileName()));
			}
		}
	}

	/** What is being finished or removed meanwhile has another name, or none. */
	private static List<Path> listIfThere(Path directory) throws IOException {
		try {
			return list(directory);
		}
		catch (NoSuchFileException gone) {
			return List.of();
		}
	}

	/** Where the newest segment ends now: everything acknowledged lies before. */
	static Tail tailOf(Path directory) throws IOException {
		Path newest = newestUsed(list(directory.resolve("wal")));
		return new Tail(newest.getFileName().toString(), SegmentEnd.of(newest));
	}

	/**
	 * Cuts or garbles the log behind a tail that was acknowledged, up to the end.
	 * @return what was done, for messages
	 */
	static String tear(Path image, Tail acknowledged, Random random) throws IOException {
		Path newest = newestUsed(list(image.resolve("wal")));
		boolean same = newest.getFileName().toString().equals(acknowledged.segment());
		byte[] content = Files.readAllBytes(newest);
		long number = LogFormat.FILES.numberOf(newest).orElseThrow();
		// No crash takes what was forced.
		int forced = Math.toIntExact(Manifest.read(image).log().forcedLengths().getOrDefault(number, 0L));
		int from = Math.max(forced, same ? acknowledged.offset() : SegmentHeader.SIZE);
		int end = Math.max(from, SegmentEnd.of(newest));
		int at = from + random.nextInt(end - from + 1);
		if (random.nextBoolean()) {
			Files.write(newest, Arrays.copyOf(content, at));
			return "cut %s at %d".formatted(newest, at);
		}
		byte[] garbage = new byte[Math.min(content.length - at, end - at + random.nextInt(10_000))];
		random.nextBytes(garbage);
		try (RandomAccessFile file = new RandomAccessFile(newest.toFile(), "rw")) {
			file.seek(at);
			file.write(garbage);
		}
		return "garbled %d bytes of %s at %d".formatted(garbage.length, newest, at);
	}

	static void deleteTree(Path directory) throws IOException {
		if (!Files.exists(directory)) {
			return;
		}
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.deleteIfExists(file);
			}
		}
	}

	/** A place in a segment. */
	record Tail(String segment, int offset) {
	}

	private static Path newestUsed(List<Path> segments) throws IOException {
		for (Path segment : segments.reversed()) {
			if (segment.toString().endsWith(".log") && SegmentEnd.of(segment) > 0) {
				return segment;
			}
		}
		throw new AssertionError("no segment is used among " + segments);
	}

	private static List<Path> list(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.sorted().toList();
		}
	}

	private static Path target(Path to, Path file) throws IOException {
		int names = file.getNameCount();
		Files.createDirectories(to.resolve(file.getName(names - 2)));
		return to.resolve(file.subpath(names - 2, names));
	}

	private static void link(Path from, Path to) throws IOException {
		try {
			Files.createLink(to, from);
		}
		catch (NoSuchFileException gone) {
			Files.deleteIfExists(to);
		}
	}

	private static void copyBackwards(Path from, Path to) throws IOException {
		try (FileChannel source = FileChannel.open(from, StandardOpenOption.READ);
				FileChannel target = FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
			ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
			for (long at = (source.size() - 1) / CHUNK * CHUNK; at >= 0; at -= CHUNK) {
				source.read(chunk.clear(), at);
				target.write(chunk.flip(), at);
			}
		}
		catch (NoSuchFileException gone) {
			Files.deleteIfExists(to);
		}
	}

}
