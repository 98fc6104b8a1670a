package io.quorate.membership.reports;

import io.quorate.storage.FormatLevel;

/**
 * The program that a member runs, as it reports it to its peers.
 *
 * @param version version of the software, for operators; empty if it is not known
 * @param formatLevel format level at which the member writes its files
 * @param newestFormatLevel newest format level that the program can write and read
 */
public record Program(String version, int formatLevel, int newestFormatLevel) {

	/** The longest version, in characters. */
	public static final int MAX_VERSION_LENGTH = 64;

	/** A program that has not reported itself. */
	public static final Program UNKNOWN = new Program("", FormatLevel.FIRST, FormatLevel.FIRST);

	public Program {
		if (version.length() > MAX_VERSION_LENGTH) {
			version = version.substring(0, MAX_VERSION_LENGTH);
		}
	}

	/** The same program with its files at another level. */
	public Program at(int level) {
		return new Program(this.version, level, this.newestFormatLevel);
	}

}
