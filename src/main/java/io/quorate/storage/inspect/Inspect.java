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
 * The command {@code inspect}: says what is in the directory of a node, and whether it is
 * what was written.
 */
public final class Inspect {

	/** Nothing is damaged, as far as it was looked at. */
	public static final int SOUND = 0;

	/** Something is damaged or missing. */
	public static final int DAMAGED = 1;

	/** It could not be looked at. */
	public static final int TROUBLE = 2;

	private static final String USAGE = """
			inspect <directory> [--verify] [--key <key>] [--json]
			  says what is in a node's directory of data (quorate.storage.directory), and changes nothing.
			  --verify     compares every page and every large value with its checksum
			  --key <key>  what is there of one key: in the log, in tables, and in what was put aside
			  --json       for programs
			Ends with 0 when nothing is damaged, 1 when something is, 2 when it could not be looked at. While a node uses
			the directory its files are of different moments: what is missing then need not be damage.
			""";

	private Inspect() {
	}

	/**
	 * Runs the command.
	 * @param arguments what stands behind its name
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
		return (directory != null) ? inspect(directory, key, verify, json, out, err) : misused("which directory?", err);
	}

	private static int misused(String why, PrintStream err) {
		err.println(why);
		err.print(USAGE);
		return TROUBLE;
	}

	private static int inspect(Path directory, @Nullable Key key, boolean verify, boolean json, PrintStream out,
			PrintStream err) {
		if (!Files.isDirectory(directory)) {
			err.println(directory + " is no directory");
			return TROUBLE;
		}
		if (!Files.exists(directory.resolve("NODE")) && !Files.exists(directory.resolve("MANIFEST"))) {
			err.println(directory + " has neither NODE nor MANIFEST: it is not the directory of a node's data");
			return TROUBLE;
		}
		try {
			Report report = (key != null) ? new KeyReport(directory, key).report()
					: new DirectoryReport(directory, verify).report();
			out.print(json ? json(report) : text(report));
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
	 * What was seen.
	 *
	 * @param notes what one should know
	 * @param damages what is not as it was written
	 */
	record Report(List<Section> sections, List<String> notes, List<String> damages) {
	}

}
