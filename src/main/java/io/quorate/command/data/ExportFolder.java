package io.quorate.command.data;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The files of an export that is under way: {@code FILE.partial} has the division of the
 * range and a file for each part. {@code FILE} is there only when it is whole.
 */
final class ExportFolder {

	private static final String PLAN = "plan.json";

	private static final String DONE = ".done";

	private final Path file;

	private final Path folder;

	ExportFolder(Path file) {
		this.file = file;
		this.folder = file.resolveSibling(file.getFileName() + ".partial");
	}

	/** Whether there is an export to go on with. */
	boolean exists() {
		return Files.exists(this.folder.resolve(PLAN));
	}

	Path path() {
		return this.folder;
	}

	/** Writes the division of a range, so that a later run goes on with the same. */
	void begin(String range, List<String> borders) throws IOException {
		Files.createDirectories(this.folder);
		ObjectNode plan = JsonMapper.shared().createObjectNode();
		plan.put("range", range);
		borders.forEach(plan.putArray("borders")::add);
		Path fresh = this.folder.resolve(PLAN + ".new");
		Files.writeString(fresh, plan.toString());
		Files.move(fresh, this.folder.resolve(PLAN), StandardCopyOption.ATOMIC_MOVE);
	}

	/**
	 * Reads the division that an earlier run has begun with.
	 * @throws CommandException if that was for another range
	 */
	List<String> borders(String range) throws IOException {
		JsonNode plan;
		try {
			plan = JsonMapper.shared().readTree(Files.readString(this.folder.resolve(PLAN)));
		}
		catch (JacksonException | CharacterCodingException damaged) {
			throw new CommandException(ExitCode.FAILED,
					this.folder.resolve(PLAN) + " is damaged: delete " + this.folder, damaged);
		}
		if (!plan.path("range").asString("").equals(range)) {
			throw new CommandException(ExitCode.MISUSED,
					"the export in %s is of another range: %s".formatted(this.folder, plan.path("range").asString("")));
		}
		List<String> borders = new ArrayList<>();
		plan.path("borders").forEach((border) -> borders.add(border.asString()));
		return borders;
	}

	Path part(int number) {
		return this.folder.resolve("%04d.jsonl".formatted(number));
	}

	boolean isDone(int number) {
		return Files.exists(done(number));
	}

	/** Marks a part as whole; its bytes are on the disk before. */
	void finish(int number) throws IOException {
		Files.move(part(number), done(number), StandardCopyOption.ATOMIC_MOVE);
	}

	private Path done(int number) {
		return this.folder.resolve("%04d.jsonl".formatted(number) + DONE);
	}

	/**
	 * The last key of a part that an earlier run has left, {@code null} for none. Cuts
	 * off what is behind the last whole line.
	 */
	@Nullable String lastKey(int number) throws IOException {
		Path part = part(number);
		if (!Files.exists(part)) {
			return null;
		}
		try (RandomAccessFile bytes = new RandomAccessFile(part.toFile(), "rw")) {
			long end = lineEnd(bytes, bytes.length());
			bytes.setLength(end);
			if (end == 0) {
				return null;
			}
			long start = lineEnd(bytes, end - 1);
			byte[] line = new byte[Math.toIntExact(end - start)];
			bytes.seek(start);
			bytes.readFully(line);
			String key = ImportItem.key(line);
			if (key == null) {
				throw new IllegalArgumentException("it is no record");
			}
			return key;
		}
		catch (IllegalArgumentException damaged) {
			throw new CommandException(ExitCode.FAILED, part + " is damaged: delete " + this.folder, damaged);
		}
	}

	/* The place behind the last line feed before another place. */
	private static long lineEnd(RandomAccessFile bytes, long before) throws IOException {
		byte[] block = new byte[8192];
		long end = before;
		while (end > 0) {
			int length = (int) Math.min(block.length, end);
			bytes.seek(end - length);
			bytes.readFully(block, 0, length);
			for (int i = length - 1; i >= 0; i--) {
				if (block[i] == '\n') {
					return end - length + i + 1;
				}
			}
			end -= length;
		}
		return 0;
	}

	/** Puts the parts together in their order, and removes them. */
	void complete(int parts) throws IOException {
		Path whole = this.folder.resolve("whole");
		try (FileChannel to = FileChannel.open(whole, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
				StandardOpenOption.TRUNCATE_EXISTING)) {
			for (int i = 0; i < parts; i++) {
				try (FileChannel from = FileChannel.open(done(i))) {
					long at = 0;
					while (at < from.size()) {
						at += from.transferTo(at, from.size() - at, to);
					}
				}
			}
			to.force(true);
		}
		Files.move(whole, this.file, StandardCopyOption.ATOMIC_MOVE);
		for (int i = 0; i < parts; i++) {
			Files.delete(done(i));
		}
		Files.delete(this.folder.resolve(PLAN));
		Files.delete(this.folder);
	}

}
