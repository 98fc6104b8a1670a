package io.quorate.repair.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import io.quorate.storage.file.ChecksummedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of a rebuild that is under way, and of the losses that earlier ones
 * repaired: the file {@code REBUILD}. If it is missing, there was no rebuild; if it is
 * damaged, one begins. Written by one thread at a time.
 */
public final class RebuildRecord {

	public static final String FILE_NAME = "REBUILD";

	private static final Logger log = LoggerFactory.getLogger(RebuildRecord.class);

	private static final String STEP = "step";

	private static final String WHY = "why";

	private static final String ENDED = "ended";

	private static final String HORIZON = "horizon";

	private static final String GENERATION = "generation";

	private static final String SETTLED = "settled.";

	private final ChecksummedFile file;

	private volatile State state;

	/** The steps of a rebuild. */
	public enum Step {

		/** There is none. */
		NONE,

		/** Begun: the node's own data is still in its place. */
		BEGUN,

		/** The node's own data is set aside, and that of its peers is copied. */
		ASIDE;

		String word() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/**
	 * The recorded state of a rebuild.
	 *
	 * @param why reason, for operators
	 * @param ended whether it is to end without its sources
	 */
	public record State(Step step, String why, CoveredLosses coveredLosses, boolean ended) {

		static final State NONE = new State(Step.NONE, "", CoveredLosses.NOTHING);

		/** The state of a rebuild that goes on until it is complete. */
		public State(Step step, String why, CoveredLosses coveredLosses) {
			this(step, why, coveredLosses, false);
		}

		/** The state with another step. */
		public State at(Step next) {
			return new State(next, this.why, this.coveredLosses, this.ended);
		}

		/** The state that is to end without its sources, if there is a rebuild. */
		public State abandoned() {
			return new State(this.step, this.why, this.coveredLosses, this.step != Step.NONE);
		}

	}

	private RebuildRecord(ChecksummedFile file, State state) {
		this.file = file;
		this.state = state;
	}

	/** Reads the file of a directory. */
	public static RebuildRecord open(Path directory) {
		ChecksummedFile file = new ChecksummedFile(directory.resolve(FILE_NAME), "Whether the store is filled anew.");
		return switch (file.read()) {
			case ChecksummedFile.Content.Values(var values) -> new RebuildRecord(file, parse(values));
			case ChecksummedFile.Content.Missing _ -> new RebuildRecord(file, State.NONE);
			case ChecksummedFile.Content.Damaged(var why) -> new RebuildRecord(file, damaged(why));
		};
	}

	private static State damaged(String why) {
		log.error("{} is damaged, {}: the node is rebuilt", FILE_NAME, why);
		return new State(Step.BEGUN, FILE_NAME + " was damaged", CoveredLosses.NOTHING);
	}

	private static State parse(Map<String, String> values) {
		try {
			Map<UUID, Long> sequences = new HashMap<>();
			values.forEach((name, value) -> {
				if (name.startsWith(SETTLED)) {
					sequences.put(UUID.fromString(name.substring(SETTLED.length())), Long.parseLong(value));
				}
			});
			return new State(Step.valueOf(values.getOrDefault(STEP, "").toUpperCase(Locale.ROOT)),
					values.getOrDefault(WHY, ""),
					new CoveredLosses(sequences, Long.parseLong(values.getOrDefault(GENERATION, "0")),
							Long.parseUnsignedLong(values.getOrDefault(HORIZON, "0"), 16)),
					Boolean.parseBoolean(values.get(ENDED)));
		}
		catch (IllegalArgumentException wrong) {
			return damaged(String.valueOf(wrong.getMessage()));
		}
	}

	public State state() {
		return this.state;
	}

	/** Records a state: afterwards it is on the disk. */
	public void become(State next) throws IOException {
		if (next.equals(this.state)) {
			return;
		}
		Map<String, String> values = new HashMap<>();
		values.put(STEP, next.step().word());
		values.put(WHY, next.why().replace('\n', ' '));
		values.put(ENDED, Boolean.toString(next.ended()));
		values.put(GENERATION, Long.toString(next.coveredLosses().generation()));
		values.put(HORIZON, Long.toHexString(next.coveredLosses().horizon()));
		next.coveredLosses().sequences().forEach((id, sequence) -> values.put(SETTLED + id, Long.toString(sequence)));
		this.file.write(values);
		this.state = next;
	}

}
