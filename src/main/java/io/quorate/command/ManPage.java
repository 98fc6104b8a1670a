package io.quorate.command;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine;

/**
 * The manual page of one command. It is made from the model that {@code --help} is made
 * from, so that the two never differ.
 */
final class ManPage {

	/** The suffix of the file of a page: its section of the manual. */
	static final String SUFFIX = ".1";

	private static final int UNBROKEN = 10_000;

	/* What is to be typed, and what stands for something else, in a synopsis. */
	private static final Pattern WORD = Pattern.compile("(--?[a-zA-Z][a-zA-Z-]*)|([A-Z][A-Z/]*|<[^>]+>)");

	/** Variables that the launcher {@code bin/quorate} reads. */
	private static final Map<String, String> OF_LAUNCHER = new LinkedHashMap<>();

	static {
		OF_LAUNCHER.put("JAVA_HOME", "The Java runtime to use, in place of the first one that is new enough.");
		OF_LAUNCHER.put("QUORATE_JAVA_OPTS", "Options of the JVM.");
		OF_LAUNCHER.put("QUORATE_AOT", "off: without the cache of classes that shortens the start.");
	}

	private final CommandLine command;

	private final CommandSpec spec;

	private ManPage(CommandLine command) {
		this.command = command;
		this.spec = command.getCommandSpec();
	}

	/** Returns the pages of a program and of all its subcommands, at any depth. */
	static List<ManPage> all(CommandLine program) {
		List<ManPage> pages = new ArrayList<>(List.of(new ManPage(program)));
		shown(program).forEach((each) -> pages.addAll(all(each)));
		return pages;
	}

	private static Stream<CommandLine> shown(CommandLine command) {
		return command.getSubcommands()
			.values()
			.stream()
			.distinct()
			.filter((each) -> !each.getCommandSpec().usageMessage().hidden());
	}

	/** The name of the page, such as {@code quorate-cluster-status}. */
	String name() {
		return this.spec.qualifiedName("-");
	}

	/** The words that name the command, without the program's own. */
	List<String> words() {
		List<String> words = List.of(this.spec.qualifiedName(" ").split(" ", -1));
		return words.subList(1, words.size());
	}

	private boolean isOfProgram() {
		return this.spec.parent() == null;
	}

	/** Returns the page in roff. */
	String text() {
		UsageMessageSpec usage = this.spec.usageMessage();
		String header = plain(usage.header());
		Roff page = new Roff(name().toUpperCase(Locale.ROOT), Version.date(), "quorate " + Version.number());
		page.section("NAME");
		page.marked(Roff.escaped(name()) + " \\- " + Roff.escaped(header.replaceFirst("\\.$", "")));
		page.section("SYNOPSIS");
		synopsis().forEach((each) -> page.marked(markedSynopsis(each)));
		page.section("DESCRIPTION");
		page.paragraph(header);
		prose(page, usage.description());
		prose(page, usage.footer());
		arguments(page);
		options(page);
		commands(page);
		exitCodes(page);
		surroundings(page);
		seeAlso(page);
		return page.text();
	}

	private List<String> synopsis() {
		String[] own = this.spec.usageMessage().customSynopsis();
		String[] lines = (own.length > 0) ? own : new String[] { unbroken() };
		return Arrays.stream(lines).map((line) -> line.strip().replaceAll("\\s+", " ")).toList();
	}

	/* Picocli breaks a line also within the label of an option. */
	private String unbroken() {
		UsageMessageSpec usage = this.spec.usageMessage();
		int width = usage.width();
		try {
			usage.width(UNBROKEN);
			return this.command.getHelp().synopsis(0);
		}
		finally {
			usage.width(width);
		}
	}

	/* The words of the command itself are to be typed, too. */
	private String markedSynopsis(String synopsis) {
		String words = this.spec.qualifiedName(" ");
		return synopsis.startsWith(words) ? Roff.bold(words) + marked(synopsis.substring(words.length()))
				: marked(synopsis);
	}

	private static String marked(String text) {
		StringBuilder marked = new StringBuilder();
		Matcher words = WORD.matcher(text);
		int end = 0;
		while (words.find()) {
			marked.append(Roff.escaped(text.substring(end, words.start())))
				.append((words.group(1) != null) ? Roff.bold(words.group()) : Roff.italic(words.group()));
			end = words.end();
		}
		return marked.append(Roff.escaped(text.substring(end))).toString();
	}

	/* An empty line ends a paragraph, and one that begins with a blank is an example. */
	private static void prose(Roff page, String... texts) {
		StringBuilder filled = new StringBuilder();
		List<String> example = new ArrayList<>();
		for (String line : (String.join("\n", texts).replace("%n", "\n") + "\n\n").split("\n", -1)) {
			boolean isExample = line.startsWith(" ");
			if (!example.isEmpty() && !isExample) {
				page.example(example);
				example.clear();
			}
			if (!filled.isEmpty() && (isExample || line.isBlank())) {
				page.paragraph(filled.toString());
				filled.setLength(0);
			}
			if (isExample) {
				example.add(line.strip());
			}
			else if (!line.isBlank()) {
				filled.append(filled.isEmpty() ? "" : " ").append(line.strip());
			}
		}
	}

	/* As picocli does with the texts of --help. */
	private static String plain(String... lines) {
		return String.join(" ", lines).replace("%n", " ").replace("%%", "%").strip().replaceAll("\\s+", " ");
	}

	private void arguments(Roff page) {
		List<PositionalParamSpec> shown = this.spec.positionalParameters()
			.stream()
			.filter((each) -> !each.hidden())
			.toList();
		if (!shown.isEmpty()) {
			page.section("ARGUMENTS");
			shown.forEach((each) -> page.item(marked(label(each)), plain(each.description())));
		}
	}

	private void options(Roff page) {
		page.section("OPTIONS");
		this.spec.options()
			.stream()
			.filter((each) -> !each.hidden())
			.sorted((one, other) -> one.longestName().compareTo(other.longestName()))
			.forEach((each) -> page.item(term(each), plain(each.description())));
	}

	private String term(OptionSpec option) {
		return String.join(", ", Arrays.stream(option.names()).map(Roff::bold).toList()) + marked(label(option));
	}

	private String label(ArgSpec argument) {
		return this.command.getHelp()
			.parameterLabelRenderer()
			.renderParameterLabel(argument, Help.Ansi.OFF, List.of())
			.toString();
	}

	private void commands(Roff page) {
		List<ManPage> below = shown(this.command).map(ManPage::new).toList();
		if (!below.isEmpty()) {
			page.section("COMMANDS");
			below.forEach((each) -> page.item(each.reference(), plain(each.spec.usageMessage().header())));
		}
	}

	private String reference() {
		return Roff.bold(name()) + "(1)";
	}

	private void exitCodes(Roff page) {
		Map<String, String> codes = this.spec.usageMessage().exitCodeList();
		if (!codes.isEmpty()) {
			page.section("EXIT STATUS");
			codes.forEach((code, meaning) -> page.item(Roff.bold(code), plain(meaning)));
		}
	}

	private void surroundings(Roff page) {
		Map<String, String> variables = new LinkedHashMap<>();
		Settings.variables().forEach((option, variable) -> {
			if (isOfProgram() || this.spec.findOption(option) != null) {
				variables.put(variable, "Stands for " + option + " if that is not given.");
			}
		});
		boolean readsFile = !variables.isEmpty();
		if (readsFile) {
			variables.put(Settings.FILE_VARIABLE, "The file of settings, in place of the one below FILES.");
		}
		if (isOfProgram()) {
			variables.putAll(OF_LAUNCHER);
		}
		if (!variables.isEmpty()) {
			page.section("ENVIRONMENT");
			variables.forEach((name, meaning) -> page.item(Roff.bold(name), meaning));
		}
		if (readsFile) {
			page.section("FILES");
			page.item(Roff.italic("~/.config/quorate/client.properties"), "The settings of the user: "
					+ String.join(", ", Settings.namesInFile()) + ". A variable of the environment precedes them.");
		}
	}

	private void seeAlso(Roff page) {
		page.section("SEE ALSO");
		if (!isOfProgram()) {
			page.marked(new ManPage(this.spec.parent().commandLine()).reference());
		}
		page.paragraph("The chapter src/docs/command-line.md of the release.");
	}

}
