package io.quorate.storage.inspect;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quorate.entry.Key;
import io.quorate.storage.StorageStartException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The command {@code inspect}: reports the contents of a node's directory, and whether
 * they are damaged.
 */
public final class Inspect {

	/** Nothing that was read is damaged. */
	public static final int SOUND = 0;

	/** Something is damaged or missing. */
	public static final int DAMAGED = 1;

	/** The directory could not be read. */
	public static final int TROUBLE = 2;

	private static final String USAGE = """
			inspect <directory> [--verify] [--key <key>] [--json]
			  reports the contents of a node's data directory (quorate.storage.directory), and changes nothing.
			  --verify     compares every page and every large value with its checksum
			  --key <key>  every entry of one key: in the log, in tables, and in files put aside
			  --json       for programs
			Exits with 0 when nothing is damaged, 1 when something is, 2 when the directory cannot be read. While a node
			uses the directory, its files are of different moments: a file that is missing then need not be damage.
			""";

	private Inspect() {
	}

	/**
	 * Runs the command.
	 * @param arguments the arguments behind its name
	 * @return the exit code
	 */
	public static int run(List<String> arguments, PrintStream out, PrintStream err) {
		Path directory = null;
		Key key = null;
		boolean verify = false;
		boolean json = false;
		for (int i = 0; i < arguments.size(); i++) {
			String argument = arguments.get(i);
			switch (argument) {
				case "--verify" -> verify = true;
				case "--json" -> json = true;
				case "--help", "-h" -> {
					out.print(USAGE);
					return SOUND;
				}
				case "--key" -> {
					i++;
					String text = (i < arguments.size()) ? arguments.get(i) : "";
					if (text.isEmpty()) {
						return misused("--key needs a key", err);
					}
					key = Key.of(text);
				}
				default -> {
					if (argument.startsWith("-") || directory != null) {
						return misused("'%s' is not understood".formatted(argument), err);
					}
					directory = Path.of(argument);
				}
			}
		}
		if (directory == null) {
			return misused("which directory?", err);
		}
		return inspect(new Options(directory, key, verify, json), out, err);
	}

	private static int misused(String why, PrintStream err) {
		err.println(why);
		err.print(USAGE);
		return TROUBLE;
	}

	private static int inspect(Options options, PrintStream out, PrintStream err) {
		Path directory = options.directory();
		if (!Files.isDirectory(directory)) {
			err.println(directory + " is no directory");
			return TROUBLE;
		}
		if (!Files.exists(directory.resolve("NODE")) && !Files.exists(directory.resolve("MANIFEST"))) {
			err.println(directory + " has neither NODE nor MANIFEST: it is not the directory of a node's data");
			return TROUBLE;
		}
		try {
			Report report = options.report();
			out.print(options.json() ? json(report) : text(report));
			return report.damages().isEmpty() ? SOUND : DAMAGED;
		}
		catch (IOException | StorageStartException failure) {
			err.println((failure instanceof IOException) ? failure.toString() : failure.getMessage());
			return TROUBLE;
		}
	}

	private static String text(Report report) {
		StringBuilder text = new StringBuilder();
		for (Section section : report.sections()) {
			section.print(text);
			text.append('\n');
		}
		report.notes().forEach((note) -> text.append(note).append('\n'));
		report.damages().forEach((damage) -> text.append("DAMAGE: ").append(damage).append('\n'));
		text.append(report.damages().isEmpty() ? "No damage was found.\n"
				: "%d places are damaged.%n".formatted(report.damages().size()));
		return text.toString();
	}

	private static String json(Report report) {
		Map<String, Object> all = new LinkedHashMap<>();
		report.sections().forEach((section) -> all.put(section.title(), section.byName()));
		all.put("notes", report.notes());
		all.put("damages", report.damages());
		return JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build().writeValueAsString(all) + "\n";
	}

	/**
	 * The options of the command.
	 *
	 * @param key the only key to report, or {@code null}
	 */
	private record Options(Path directory, @Nullable Key key, boolean verify, boolean json) {

		private Report report() throws IOException {
			return (this.key != null) ? new KeyReport(this.directory, this.key).report()
					: new DirectoryReport(this.directory, this.verify).report();
		}

	}

	/**
	 * The findings of an inspection.
	 *
	 * @param notes remarks on the findings
	 * @param damages descriptions of the damage
	 */
	record Report(List<Section> sections, List<String> notes, List<String> damages) {
	}

}
