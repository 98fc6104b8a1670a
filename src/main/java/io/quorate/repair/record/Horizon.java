package io.quorate.repair.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import io.quorate.storage.file.ChecksummedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The purge horizons of this node, overall and of the keys that it shares with each peer:
 * the file {@code HORIZON}. Hybrid times, compared unsigned, which only rise. Safe for
 * any number of threads; a reader does not wait for a thread that raises them.
 */
public final class Horizon {

	static final String FILE_NAME = "HORIZON";

	private static final Logger log = LoggerFactory.getLogger(Horizon.class);

	private static final String OVERALL = "overall";

	private static final String TOWARDS = "towards.";

	private final Kept file;

	private volatile Levels durable;

	private boolean written;

	/**
	 * A set of horizons.
	 *
	 * @param overall horizon of all keys
	 * @param towards horizons of the keys that are shared with each peer
	 */
	public record Levels(long overall, Map<String, Long> towards) {

		static final Levels NOTHING = new Levels(0, Map.of());

		public Levels {
			towards = Map.copyOf(towards);
		}

		/** The higher ones of both sets. */
		Levels upTo(Levels other) {
			Map<String, Long> all = new HashMap<>(this.towards);
			other.towards.forEach((peer, level) -> all.merge(peer, level, Horizon::higher));
			return new Levels(higher(this.overall, other.overall), all);
		}

	}

	/** The place that keeps the horizons. */
	interface Kept {

		/** Replaces all values; on return they are durable. */
		void write(Map<String, String> values) throws IOException;

	}

	Horizon(Kept file, Levels durable, boolean written) {
		this.file = file;
		this.durable = durable;
		this.written = written;
	}

	public static long higher(long one, long other) {
		return (Long.compareUnsigned(one, other) >= 0) ? one : other;
	}

	/**
	 * Reads the file of a directory. If it is missing beside data, or damaged, any entry
	 * older than the present may have been purged: older hints are refused.
	 * @param isNew whether the directory is new
	 * @param present hybrid time
	 */
	public static Horizon open(Path directory, boolean isNew, long present) {
		ChecksummedFile file = new ChecksummedFile(directory.resolve(FILE_NAME),
				"What may have been purged: hybrid times.");
		Levels unknown = new Levels(present, Map.of());
		return switch (file.read()) {
			case ChecksummedFile.Content.Values(var values) -> new Horizon(file::write, parse(values, unknown), true);
			case ChecksummedFile.Content.Missing _ -> new Horizon(file::write, isNew ? Levels.NOTHING : unknown, false);
			case ChecksummedFile.Content.Damaged(var why) -> {
				log.error("{} is damaged, {}: hints older than this start are refused", file.path(), why);
				yield new Horizon(file::write, unknown, false);
			}
		};
	}

	private static Levels parse(Map<String, String> values, Levels unknown) {
		try {
			Map<String, Long> towards = new HashMap<>();
			values.forEach((name, value) -> {
				if (name.startsWith(TOWARDS)) {
					towards.put(name.substring(TOWARDS.length()), Long.parseUnsignedLong(value, 16));
				}
			});
			return new Levels(Long.parseUnsignedLong(values.getOrDefault(OVERALL, ""), 16), towards);
		}
		catch (NumberFormatException wrong) {
			log.error("{} is not understood, {}: hints older than this start are refused", FILE_NAME,
					wrong.getMessage());
			return unknown;
		}
	}

	/** The horizon of all keys. */
	public long overall() {
		return this.durable.overall();
	}

	/** The horizon of the keys that are shared with a peer. */
	public long towards(String peer) {
		return this.durable.towards().getOrDefault(peer, 0L);
	}

	/**
	 * Raises each horizon that is lower. Readers see the new ones when these are on the
	 * disk, not before.
	 */
	public synchronized void raise(Levels asked) throws IOException {
		Levels next = this.durable.upTo(asked);
		if (this.written && next.equals(this.durable)) {
			return;
		}
		Map<String, String> values = new HashMap<>();
		values.put(OVERALL, Long.toHexString(next.overall()));
		next.towards().forEach((peer, level) -> values.put(TOWARDS + peer, Long.toHexString(level)));
		this.file.write(values);
		this.durable = next;
		this.written = true;
	}

}
