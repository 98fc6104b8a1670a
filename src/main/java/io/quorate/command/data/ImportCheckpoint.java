package io.quorate.command.data;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.TreeMap;
import java.util.function.LongSupplier;

import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The place in a file before which all records are done, in a file beside it, so that a
 * later run can go on there. Batches begin in the order of the file and are done in any.
 * Safe for threads.
 */
final class ImportCheckpoint {

	private static final long PERIOD_NANOS = 500_000_000;

	/* Without a file there is nothing to go on with: standard input. */
	private final @Nullable Path path;

	private final LongSupplier nanos;

	/* The places at which batches begin that are not done, by their offset. */
	private final TreeMap<Long, Place> pending = new TreeMap<>();

	private Place begun;

	private long written;

	ImportCheckpoint(@Nullable Path file, LongSupplier nanos) {
		this.path = (file != null) ? file.resolveSibling(file.getFileName() + ".importing") : null;
		this.nanos = nanos;
		this.begun = new Place(0, 0);
		this.written = nanos.getAsLong();
	}

	boolean exists() {
		return this.path != null && Files.exists(this.path);
	}

	/**
	 * Reads the place at which an earlier run has ended, the beginning if there was none.
	 */
	Place read() throws IOException {
		if (this.path == null || !Files.exists(this.path)) {
			return this.begun;
		}
		try {
			JsonNode known = JsonMapper.shared().readTree(Files.readString(this.path));
			this.begun = new Place(known.path("offset").asLong(), known.path("lines").asLong());
			return this.begun;
		}
		catch (JacksonException | CharacterCodingException damaged) {
			throw new CommandException(ExitCode.FAILED, this.path + " is damaged: delete it to import all again",
					damaged);
		}
	}

	/** Notes that the records up to a place have begun; returns the place before them. */
	synchronized Place begin(Place end) throws IOException {
		Place start = this.begun;
		this.pending.put(start.offset(), start);
		this.begun = end;
		if (this.pending.size() == 1 && this.path != null && !Files.exists(this.path)) {
			write();
		}
		return start;
	}

	/** Notes that the records behind a place, which have begun together, are done. */
	synchronized void done(Place start) throws IOException {
		this.pending.remove(start.offset());
		if (this.nanos.getAsLong() - this.written >= PERIOD_NANOS) {
			write();
		}
	}

	/** Writes the present place. */
	synchronized void write() throws IOException {
		if (this.path == null) {
			return;
		}
		Place place = this.pending.isEmpty() ? this.begun : this.pending.firstEntry().getValue();
		ObjectNode json = JsonMapper.shared().createObjectNode();
		json.put("offset", place.offset()).put("lines", place.lines());
		Path fresh = this.path.resolveSibling(this.path.getFileName() + ".new");
		Files.writeString(fresh, json.toString());
		Files.move(fresh, this.path, StandardCopyOption.ATOMIC_MOVE);
		this.written = this.nanos.getAsLong();
	}

	void delete() throws IOException {
		if (this.path != null) {
			Files.deleteIfExists(this.path);
		}
	}

	/**
	 * A place between two lines.
	 *
	 * @param offset number of bytes before it
	 * @param lines number of lines before it
	 */
	record Place(long offset, long lines) {
	}

}
