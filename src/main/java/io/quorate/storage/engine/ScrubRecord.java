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
	 * @param completedMillis time at which a pass was last completed
	 * @param latest the pass that began last
	 */
	record State(long sinceMillis, long completedMillis, Pass latest) {

		State begun(long nowMillis, long lastTable) {
			return new State(this.sinceMillis, this.completedMillis, new Pass(nowMillis, true, lastTable, 0, 0));
		}

		State through(long table, long found) {
			return new State(this.sinceMillis, this.completedMillis,
					new Pass(this.latest.beganMillis, true, this.latest.upTo, table, this.latest.damages + found));
		}

		State completed(long nowMillis) {
			return new State(this.sinceMillis, nowMillis,
					new Pass(this.latest.beganMillis, false, this.latest.upTo, this.latest.upTo, this.latest.damages));
		}

	}

	/**
	 * A pass over all tables.
	 *
	 * @param beganMillis time at which it began
	 * @param isRunning whether it is under way
	 * @param upTo number of the last table that it is to read
	 * @param through number of the last table that it has read
	 * @param damages number of damages that it has found
	 */
	record Pass(long beganMillis, boolean isRunning, long upTo, long through, long damages) {
	}

	private ScrubRecord(ChecksummedFile file, State state) {
		this.file = file;
		this.state = state;
	}

	static ScrubRecord open(Path directory, long nowMillis) {
		ChecksummedFile file = new ChecksummedFile(directory.resolve(FILE_NAME), "How far everything was read again.");
		State fresh = new State(nowMillis, 0, new Pass(0, false, 0, 0, 0));
		if (file.read() instanceof ChecksummedFile.Content.Values(var values)) {
			return new ScrubRecord(file, parse(values, fresh));
		}
		ScrubRecord made = new ScrubRecord(file, fresh);
		made.write(fresh);
		return made;
	}

	private static State parse(Map<String, String> values, State fresh) {
		try {
			return new State(number(values, "since"), number(values, "completed"),
					new Pass(number(values, "began"), Boolean.parseBoolean(values.get("running")),
							number(values, "up-to"), number(values, "through"), number(values, "damages")));
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
		Pass latest = next.latest();
		try {
			this.file.write(Map.of("since", Long.toString(next.sinceMillis()), "began",
					Long.toString(latest.beganMillis()), "completed", Long.toString(next.completedMillis()), "running",
					Boolean.toString(latest.isRunning()), "up-to", Long.toString(latest.upTo()), "through",
					Long.toString(latest.through()), "damages", Long.toString(latest.damages())));
		}
		catch (IOException failure) {
			log.warn("The position of the scrub could not be written to {}: {}", this.file.path(), failure.toString());
		}
	}

}
