package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

import io.quorate.storage.file.ChecksummedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recorded position of the scrub, in the file {@code SCRUB}, so that a restart need
 * not begin anew. If the file is missing or damaged, nothing counts as read. Used by one
 * thread.
 */
final class ScrubRecord {

	static final String FILE_NAME = "SCRUB";

	private static final Logger log = LoggerFactory.getLogger(ScrubRecord.class);

	private final ChecksummedFile file;

	private State state;

	/**
	 * The recorded state.
	 *
	 * @param sinceMillis time of the first start with a scrub here
	 * @param beganMillis time at which the latest pass began
	 * @param completedMillis time at which a pass was last completed
	 * @param isRunning whether a pass is under way
	 * @param upTo number of the last table that this pass is to read
	 * @param through number of the last table that it has read
	 * @param damages number of damages that it has found
	 */
	record State(long sinceMillis, long beganMillis, long completedMillis, boolean isRunning, long upTo, long through,
			long damages) {

		State begun(long nowMillis, long lastTable) {
			return new State(this.sinceMillis, nowMillis, this.completedMillis, true, lastTable, 0, 0);
		}

		State through(long table, long found) {
			return new State(this.sinceMillis, this.beganMillis, this.completedMillis, true, this.upTo, table,
					this.damages + found);
		}

		State completed(long nowMillis) {
			return new State(this.sinceMillis, this.beganMillis, nowMillis, false, this.upTo, this.upTo, this.damages);
		}

	}

	private ScrubRecord(ChecksummedFile file, State state) {
		this.file = file;
		this.state = state;
	}

	static ScrubRecord open(Path directory, long nowMillis) {
		ChecksummedFile file = new ChecksummedFile(directory.resolve(FILE_NAME), "How far everything was read again.");
		State fresh = new State(nowMillis, 0, 0, false, 0, 0, 0);
		if (file.read() instanceof ChecksummedFile.Content.Values(var values)) {
			return new ScrubRecord(file, parse(values, fresh));
		}
		ScrubRecord made = new ScrubRecord(file, fresh);
		made.write(fresh);
		return made;
	}

	private static State parse(Map<String, String> values, State fresh) {
		try {
			return new State(number(values, "since"), number(values, "began"), number(values, "completed"),
					Boolean.parseBoolean(values.get("running")), number(values, "up-to"), number(values, "through"),
					number(values, "damages"));
		}
		catch (NumberFormatException wrong) {
			log.warn("{} is not understood, and everything is read anew: {}", FILE_NAME, wrong.getMessage());
			return fresh;
		}
	}

	private static long number(Map<String, String> values, String name) {
		return Long.parseLong(values.getOrDefault(name, ""));
	}

	State state() {
		return this.state;
	}

	/**
	 * Takes a new state and writes it. If that fails, some tables are only read once
	 * more.
	 */
	void write(State next) {
		this.state = next;
		try {
			this.file.write(Map.of("since", Long.toString(next.sinceMillis()), "began",
					Long.toString(next.beganMillis()), "completed", Long.toString(next.completedMillis()), "running",
					Boolean.toString(next.isRunning()), "up-to", Long.toString(next.upTo()), "through",
					Long.toString(next.through()), "damages", Long.toString(next.damages())));
		}
		catch (IOException failure) {
			log.warn("The position of the scrub could not be written to {}: {}", this.file.path(), failure.toString());
		}
	}

}
