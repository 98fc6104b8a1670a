package io.quorate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Ties between the documents, and between them and the code. */
class DocumentsTests {

	private static final Path BOOK = Path.of("src/docs");

	private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

	private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");

	private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\">");

	private static final Pattern FENCED = Pattern.compile("(?s)```.*?```");

	private static final Pattern ROOM = Pattern.compile("(?m)^\\| `([a-z]+)` \\|");

	private static final Pattern BOX = Pattern.compile("data-room=\"([a-z]+)\"");

	@Test
	void everyLinkLeadsSomewhere() throws IOException {
		List<String> broken = new ArrayList<>();
		Map<Path, Set<String>> anchors = new HashMap<>();
		for (Path document : documents()) {
			Matcher links = LINK.matcher(FENCED.matcher(Files.readString(document)).replaceAll(""));
			while (links.find()) {
				if (!leadsSomewhere(document, links.group(1), anchors)) {
					broken.add(document + ": " + links.group(1));
				}
			}
		}
		assertThat(broken).isEmpty();
	}

	private static boolean leadsSomewhere(Path document, String link, Map<Path, Set<String>> anchors)
			throws IOException {
		if (link.matches("[a-z]+:.*")) {
			return true;
		}
		String[] parts = link.split("#", 2);
		Path target = parts[0].isEmpty() ? document
				: Path.of("").resolve(document).resolveSibling(parts[0]).normalize();
		if (!Files.exists(target)) {
			return false;
		}
		if (parts.length == 1) {
			return true;
		}
		Set<String> known = anchors.get(target);
		if (known == null) {
			known = anchors(Files.readString(target));
			anchors.put(target, known);
		}
		return known.contains(parts[1]);
	}

	/* As the sites that show Markdown make them of headings. */
	private static Set<String> anchors(String text) {
		Set<String> anchors = new HashSet<>();
		Matcher headings = HEADING.matcher(FENCED.matcher(text).replaceAll(""));
		while (headings.find()) {
			String anchor = headings.group(1)
				.replace("`", "")
				.toLowerCase(Locale.ROOT)
				.replaceAll("[^\\w\\- ]", "")
				.strip()
				.replace(' ', '-');
			for (int number = 1; !anchors.add(anchor); number++) {
				anchor = anchor.replaceFirst("-\\d+$", "") + "-" + number;
			}
		}
		ANCHOR.matcher(text).results().forEach((anchor) -> anchors.add(anchor.group(1)));
		return anchors;
	}

	@Test
	void theEntranceLeadsToEveryChapter() throws IOException {
		String entrance = Files.readString(Path.of("HELP.md"));
		try (Stream<Path> chapters = Files.list(BOOK)) {
			assertThat(chapters.filter((path) -> path.toString().endsWith(".md")))
				.allMatch((chapter) -> entrance.contains("](" + chapter + ")"), "is linked from HELP.md");
		}
		assertThat(entrance.lines().count()).as("lines of HELP.md").isLessThanOrEqualTo(150);
	}

	@Test
	void theDesignAndItsPictureHaveTheRoomsOfTheProgram() throws IOException {
		String design = Files.readString(BOOK.resolve("design.md"));
		String listed = design.substring(design.indexOf("## Rooms"), design.indexOf("## Life of a write"));
		assertThat(ROOM.matcher(listed).results().map((room) -> room.group(1)))
			.containsExactlyInAnyOrderElementsOf(ArchitectureTests.ROOMS);
		assertThat(
				BOX.matcher(Files.readString(BOOK.resolve("architecture.svg"))).results().map((room) -> room.group(1)))
			.containsExactlyInAnyOrderElementsOf(ArchitectureTests.ROOMS);
	}

	/* The order in which rooms may use each other, as the design shows it. */
	@Test
	void theDesignListsTheRoomsInTheirOrder() throws IOException {
		String design = Files.readString(BOOK.resolve("design.md"));
		List<String> listed = ROOM.matcher(design.substring(design.indexOf("## Rooms")))
			.results()
			.map((room) -> room.group(1))
			.toList();
		assertThat(listed).isEqualTo(ArchitectureTests.ROOMS);
	}

	private static List<Path> documents() throws IOException {
		try (Stream<Path> all = Files.walk(Path.of(""))) {
			return all.filter((path) -> path.toString().endsWith(".md"))
				.filter((path) -> !path.startsWith("target") && !path.toString().contains("node_modules")
						&& !path.toString().contains(".venv"))
				.sorted()
				.toList();
		}
	}

}
