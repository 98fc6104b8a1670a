package io.quorate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
		int at = 0;
		while (at < source.length()) {
			int end = endOfPart(source, at);
			String part = source.substring(at, end);
			if (part.startsWith("/*") || part.startsWith("//")) {
				comments.add(new Comment(plain(part), isOfType(part, source.substring(end))));
			}
			else if (part.startsWith("\"")) {
				strings.add(part);
			}
			at = end;
		}
		return new SourceText(file, comments, strings, source.lines().count());
	}

	/* End of the comment, literal or single character that begins there. */
	private static int endOfPart(String source, int at) {
		if (source.startsWith("/*", at)) {
			return source.indexOf("*/", at + 2) + 2;
		}
		if (source.startsWith("//", at)) {
			return source.indexOf('\n', at);
		}
		if (source.startsWith("\"\"\"", at)) {
			return endOfLiteral(source, at + 3, "\"\"\"");
		}
		char first = source.charAt(at);
		return (first == '"' || first == '\'') ? endOfLiteral(source, at + 1, String.valueOf(first)) : at + 1;
	}

	private static int endOfLiteral(String source, int from, String delimiter) {
		int at = from;
		while (!source.startsWith(delimiter, at)) {
			at += (source.charAt(at) == '\\') ? 2 : 1;
		}
		return at + delimiter.length();
	}

	private static String plain(String comment) {
		return comment.replaceAll("^/\\*+|\\*/$|^//", "").replaceAll("\\s*\\n\\s*\\*?\\s*", " ").strip();
	}

	private static boolean isOfType(String comment, String following) {
		return comment.startsWith("/**") && TYPE.matcher(ANNOTATIONS.matcher(following).replaceFirst("")).find();
	}

}
