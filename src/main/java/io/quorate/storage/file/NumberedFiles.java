package io.quorate.storage.file;

import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of files of one kind: a number of at least six digits and a suffix.
 */
public final class NumberedFiles {

	private final String suffix;

	private final Pattern pattern;

	/**
	 * Files of one kind.
	 * @param suffix what their names end with, with its dot
	 */
	public NumberedFiles(String suffix) {
		this.suffix = suffix;
		this.pattern = Pattern.compile("(\\d{6,18})" + Pattern.quote(suffix));
	}

	/** The file with a number in a directory. */
	public Path path(Path directory, long number) {
		return directory.resolve(String.format(Locale.ROOT, "%06d%s", number, this.suffix));
	}

	/** The number in a file's name, if it is one of these files. */
	public OptionalLong numberOf(Path file) {
		Matcher matcher = this.pattern.matcher(file.getFileName().toString());
		return matcher.matches() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
	}

}
