package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quorate.storage.file.ChecksummedFile;

/**
 * The record of a salvage, its time and its losses: the file {@code SALVAGED}. As long as
 * the file exists, the directory is not salvaged again.
 */
public record SalvageMark(ChecksummedFile file) {

	static final String FILE_NAME = "SALVAGED";

	private static final String AT = "at";

	private static final String REBUILD = "rebuild";

	private static final String OWED = "owed";

	private static final String UNFINISHED = "unfinished";

	private static final String LOST = "lost.";

	public static SalvageMark of(Path directory) {
		return new SalvageMark(new ChecksummedFile(directory.resolve(FILE_NAME),
				"What was lost. To be deleted before another salvage, and not else."));
	}

	public boolean isThere() {
		return !(this.file.read() instanceof ChecksummedFile.Content.Missing);
	}

	/** Whether a salvage has begun and did not end. */
	public boolean isUnfinished() {
		return values().containsKey(UNFINISHED);
	}

	/** Records that a salvage has begun, with losses that are not known yet. */
	public void begin() throws IOException {
		this.file.write(Map.of(REBUILD, OWED, UNFINISHED, "true"));
	}

	/** Time of the salvage, as text for people. */
	public String when() {
		return values().getOrDefault(AT, "a time that cannot be read any more");
	}

	/**
	 * Whether no rebuild has begun since the salvage; an unreadable mark counts as such.
	 */
	public boolean owesRebuild() {
		return switch (this.file.read()) {
			case ChecksummedFile.Content.Missing _ -> false;
			case ChecksummedFile.Content.Damaged _ -> true;
			case ChecksummedFile.Content.Values(var values) -> OWED.equals(values.get(REBUILD));
		};
	}

	public void write(String at, List<String> lost) throws IOException {
		Map<String, String> values = new HashMap<>();
		values.put(AT, at);
		values.put(REBUILD, OWED);
		for (int i = 0; i < lost.size(); i++) {
			values.put(LOST + (i + 1), lost.get(i).replace('\n', ' '));
		}
		this.file.write(values);
	}

	void rebuildBegun() throws IOException {
		Map<String, String> values = new HashMap<>(values());
		values.put(REBUILD, "begun");
		this.file.write(values);
	}

	private Map<String, String> values() {
		return (this.file.read() instanceof ChecksummedFile.Content.Values(var values)) ? values : Map.of();
	}

}
