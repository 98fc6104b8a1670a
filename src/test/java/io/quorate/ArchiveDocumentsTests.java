package io.quorate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the documents of the archive lead to what is in the archive: a path that only the
 * sources have stands behind the word "sources", in its paragraph or before it in its
 * section.
 */
class ArchiveDocumentsTests {

	private static final Path ASSEMBLY = Path.of("src/main/assembly/release.xml");

	private static final Pattern SECTION = Pattern.compile("(?m)^(?=#{1,6} )");

	private static final Pattern SOURCES = Pattern.compile("\\bsources\\b");

	private static final Pattern CODE = Pattern.compile("(?s)```.*?\n```|`[^`\n]+`");

	private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s#]+)[^)\\s]*\\)");

	/* What stands at the top of the sources. */
	private static final Pattern PATH = Pattern
		.compile("(?<![\\w./~-])(?:(?:bin|tools|config|k8s|clients|examples|gatling"
				+ "|src)/[\\w.-][\\w./-]*|compose\\.yaml|pom\\.xml|CONTRIBUTING\\.md)");

	/* Files and directories of the sources that the archive has, too. */
	private static final Set<Path> CONTENTS = new TreeSet<>();

	@BeforeAll
	static void readAssembly() throws Exception {
		Element assembly = DocumentBuilderFactory.newDefaultInstance()
			.newDocumentBuilder()
			.parse(ASSEMBLY.toFile())
			.getDocumentElement();
		for (Element set : elements(assembly, "fileSet")) {
			Path directory = Path.of(text(set, "directory"));
			if (Files.isDirectory(directory)) {
				addAll(directory, set);
			}
		}
		elements(assembly, "file").forEach((file) -> add(Path.of(text(file, "source"))));
	}

	private static void addAll(Path directory, Element set) throws IOException {
		List<String> included = elements(set, "include").stream().map(Element::getTextContent).toList();
		List<String> excluded = elements(set, "exclude").stream().map(Element::getTextContent).toList();
		try (Stream<Path> files = Files.walk(directory)) {
			files.filter(Files::isRegularFile)
				.filter((file) -> included.isEmpty() || matches(directory, file, included))
				.filter((file) -> !matches(directory, file, excluded))
				.forEach(ArchiveDocumentsTests::add);
		}
	}

	private static boolean matches(Path directory, Path file, List<String> patterns) {
		Path name = directory.relativize(file);
		return patterns.stream()
			.anyMatch((pattern) -> directory.getFileSystem().getPathMatcher("glob:" + pattern).matches(name));
	}

	private static void add(Path file) {
		for (Path each = file; each != null; each = each.getParent()) {
			CONTENTS.add(each);
		}
	}

	private static List<Element> elements(Element parent, String name) {
		NodeList nodes = parent.getElementsByTagName(name);
		List<Element> elements = new ArrayList<>();
		for (int i = 0; i < nodes.getLength(); i++) {
			elements.add((Element) nodes.item(i));
		}
		return elements;
	}

	private static String text(Element parent, String name) {
		return elements(parent, name).getFirst().getTextContent().strip();
	}

	@Test
	void everyPathOutsideTheArchiveStandsBehindTheWordSources() throws IOException {
		List<Path> documents = CONTENTS.stream().filter((file) -> file.toString().endsWith(".md")).toList();
		assertThat(documents).hasSizeGreaterThan(10).contains(Path.of("README.md"));
		List<String> unexplained = new ArrayList<>();
		for (Path document : documents) {
			for (String section : SECTION.split(Files.readString(document), -1)) {
				boolean isOfTheSources = false;
				for (String paragraph : section.split("\n\n(?!\\s*```)", -1)) {
					isOfTheSources |= SOURCES.matcher(CODE.matcher(paragraph).replaceAll("")).find();
					if (!isOfTheSources) {
						outside(document, paragraph).forEach((path) -> unexplained.add(document + ": " + path));
					}
				}
			}
		}
		assertThat(unexplained).isEmpty();
	}

	private static List<Path> outside(Path document, String paragraph) {
		Stream<Path> links = LINK.matcher(CODE.matcher(paragraph).replaceAll(""))
			.results()
			.map((link) -> link.group(1))
			.filter(Predicate.not((link) -> link.contains(":")))
			.map((link) -> document.resolveSibling(link).normalize());
		Stream<Path> named = CODE.matcher(paragraph)
			.results()
			.flatMap((code) -> PATH.matcher(code.group()).results())
			.map((path) -> Path.of(path.group().replaceFirst("[./]+$", "")));
		return Stream.concat(links, named).filter((path) -> !CONTENTS.contains(path)).toList();
	}

}
