package io.quorate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.quorate.SourceText.Comment;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rules of language and of size. The words are those of {@code src/docs/glossary.md}.
 */
class WordsTests {

	private static final int MOST_LINES = 800;

	/* An indirect question says nothing of the thing. */
	private static final Pattern QUESTION = Pattern
		.compile("^(?:(?:Says|Tells|Knows) (?:what|how|who|why)|What|How|Where|Whether|Who|Whom|Whose|Which|Why|When"
				+ "|Something|Somebody|Someone|Nobody)\\b");

	private static final Pattern NO_ACTOR = Pattern
		.compile("(?i)\\b(?:nobody|somebody|whoever|everybody|anybody|someone|everyone|anyone|no one)\\b");

	/** Words of ours for which the field has its own, and that one. */
	private static final Map<Pattern, String> FOREIGN = foreign();

	private static final Pattern CODE = Pattern
		.compile("(?s)```.*?```|`[^`\\n]*`|\\{@\\w+ [^}]*}|\\]\\([^)]*\\)|<[^>]*>");

	private static final Path GLOSSARY = Path.of("src/docs/glossary.md");

	private static final List<SourceText> MAIN = SourceText.below("src/main/java");

	private static final List<SourceText> ALL = Stream
		.concat(MAIN.stream(), SourceText.below("src/test/java", "src/jmh/java").stream())
		.toList();

	private static Map<Pattern, String> foreign() {
		Map<Pattern, String> words = new LinkedHashMap<>();
		Map.of("(?:is|are|was|were|be|been|being) told", "notified, or the actor who says it", //
				"lets? go|letting go", "release", //
				"second names?", "hard link", //
				"signs? of life", "keep-alive", //
				"in company|company", "group commit", //
				"greetings?", "handshake", //
				"fsynch?ed? by force|forced to (?:the )?disk", "fsync", //
				"owed hints?|hints? owed", "hint backlog", //
				"comes? to (?:its|their) end", "end")
			.forEach((word, instead) -> words.put(Pattern.compile("(?i)\\b(?:" + word + ")\\b"), instead));
		return words;
	}

	@Test
	void theFirstSentenceOfATypeNamesTheThing() {
		List<String> questions = ALL.stream()
			.flatMap((source) -> source.comments()
				.stream()
				.filter(Comment::ofType)
				.filter((comment) -> QUESTION.matcher(comment.text()).find())
				.map((comment) -> source.file() + ": " + shortened(comment.text())))
			.toList();
		assertThat(questions).isEmpty();
		assertThat(ALL.stream().flatMap((source) -> source.comments().stream()).filter(Comment::ofType))
			.as("Javadoc of types")
			.hasSizeGreaterThan(700);
	}

	@Test
	void actorsAreNamed() throws IOException {
		assertThat(found(MAIN, NO_ACTOR)).isEmpty();
		assertThat(foundInDocuments(NO_ACTOR)).isEmpty();
	}

	@Test
	void oneWordStandsForOneConcept() throws IOException {
		List<String> found = new ArrayList<>();
		for (Map.Entry<Pattern, String> word : FOREIGN.entrySet()) {
			Stream.concat(found(MAIN, word.getKey()).stream(), foundInDocuments(word.getKey()).stream())
				.forEach((place) -> found.add(place + " (" + word.getValue() + ")"));
		}
		assertThat(found).isEmpty();
	}

	@Test
	void noTermOfTheGlossaryStandsTwice() throws IOException {
		List<String> terms = Pattern.compile("(?m)^\\| \\*\\*([^|]+)\\*\\*")
			.matcher(Files.readString(GLOSSARY))
			.results()
			.map((term) -> term.group(1))
			.toList();
		assertThat(terms).hasSizeGreaterThan(50).doesNotHaveDuplicates();
	}

	/* The name of a test is read without its body. */
	@Test
	void namesOfTestsNameTheActor() throws IOException {
		Pattern test = Pattern.compile("(?m)^\\t(?:public )?void (\\w+)\\(");
		Pattern nameless = Pattern.compile("^(?:what|who|nobody|somebody|of(?=[A-Z]))\\w*|\\w{61,}");
		List<String> found = new ArrayList<>();
		for (SourceText source : SourceText.below("src/test/java")) {
			test.matcher(Files.readString(source.file()))
				.results()
				.map((method) -> method.group(1))
				.filter((method) -> nameless.matcher(method).matches())
				.forEach((method) -> found.add(source.file() + ": " + method));
		}
		assertThat(found).isEmpty();
	}

	@Test
	void filesAreShort() {
		assertThat(ALL).filteredOn((source) -> source.lines() > MOST_LINES)
			.extracting((source) -> source.file() + ": " + source.lines())
			.isEmpty();
	}

	private static List<String> found(List<SourceText> sources, Pattern word) {
		List<String> found = new ArrayList<>();
		for (SourceText source : sources) {
			source.comments().forEach((comment) -> add(found, source.file(), word, comment.text()));
			source.strings().forEach((literal) -> add(found, source.file(), word, literal));
		}
		return found;
	}

	private static List<String> foundInDocuments(Pattern word) throws IOException {
		List<String> found = new ArrayList<>();
		for (Path document : documents()) {
			add(found, document, word, Files.readString(document));
		}
		return found;
	}

	/* The glossary names what is not to be written. */
	private static List<Path> documents() throws IOException {
		try (Stream<Path> chapters = Files.list(Path.of("src/docs"))) {
			return Stream
				.concat(Stream
					.of("README.md", "HELP.md", "CHANGELOG.md", "config/application.yml",
							"src/main/resources/application.yml", "src/main/resources/application-kubernetes.yml")
					.map(Path::of),
						chapters.filter((path) -> path.toString().endsWith(".md") && !path.equals(GLOSSARY)).sorted())
				.toList();
		}
	}

	private static void add(List<String> found, Path file, Pattern word, String text) {
		Matcher matcher = word.matcher(CODE.matcher(text).replaceAll(" "));
		while (matcher.find()) {
			found.add(file + ": " + matcher.group());
		}
	}

	private static String shortened(String text) {
		return text.substring(0, Math.min(80, text.length()));
	}

}
