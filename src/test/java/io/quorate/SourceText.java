package io.quorate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Java file, divided into its comments and its string literals.
 *
 * @param file path from the root of the project
 * @param comments with their delimiters
 * @param strings with their quotes
 * @param lines number of lines
 */
record SourceText(Path file, List<Comment> comments, List<String> strings, long lines) {

	private static final Pattern PARTS = Pattern.compile(
			"(?<comment>/\\*(?:[^*]|\\*(?!/))*+\\*/|//[^\\n]*)|(?<string>\"\"\"(?:\\\\.|[^\\\\])*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*+\")"
					+ "|'(?:\\\\.[^']*|[^'\\\\])'");

	private static final Pattern ANNOTATIONS = Pattern
		.compile("^(?:\\s*@(?!interface)[\\w.]+(?:\\((?:[^()\"]|\"[^\"]*\"|\\([^()]*\\))*\\))?)*\\s*");

	private static final Pattern TYPE = Pattern
		.compile("^(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed)\\s+)*"
				+ "(?:class|record|interface|enum|@interface|package)\\b");

	/**
	 * A comment.
	 *
	 * @param text without delimiters, in one line
	 * @param ofType whether it is the Javadoc of a type or a package
	 */
	record Comment(String text, boolean ofType) {
	}

	/** All Java files below some folders. */
	static List<SourceText> below(String... folders) {
		return Stream.of(folders).flatMap((folder) -> paths(Path.of(folder))).map(SourceText::read).toList();
	}

	private static Stream<Path> paths(Path folder) {
		try (Stream<Path> all = Files.walk(folder)) {
			return all.filter((path) -> path.toString().endsWith(".java")).sorted().toList().stream();
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	private static SourceText read(Path file) {
		try {
			return of(file, Files.readString(file));
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	static SourceText of(Path file, String source) {
		List<Comment> comments = new ArrayList<>();
		List<String> strings = new ArrayList<>();
		Matcher parts = PARTS.matcher(source);
		while (parts.find()) {
			String comment = parts.group("comment");
			if (comment != null) {
				comments.add(new Comment(plain(comment), isOfType(comment, source.substring(parts.end()))));
			}
			else if (parts.group("string") != null) {
				strings.add(parts.group("string"));
			}
		}
		return new SourceText(file, comments, strings, source.lines().count());
	}

	private static String plain(String comment) {
		return comment.replaceAll("^/\\*+|\\*/$|^//", "").replaceAll("\\s*\\n\\s*\\*?\\s*", " ").strip();
	}

	private static boolean isOfType(String comment, String following) {
		return comment.startsWith("/**") && TYPE.matcher(ANNOTATIONS.matcher(following).replaceFirst("")).find();
	}

}
