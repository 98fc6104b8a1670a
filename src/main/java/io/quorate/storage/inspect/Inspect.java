package io.quorate.storage.inspect;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.quorate.entry.Key;
import io.quorate.storage.FileProgress;
import io.quorate.storage.StorageStartException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The inspection of a node's directory: reports its contents, and whether they are
 * damaged.
 */
public final class Inspect {

	/** Nothing that was read is damaged. */
	public static final int SOUND = 0;

	/** Something is damaged or missing. */
	public static final int DAMAGED = 1;

	/** The directory could not be read. */
	public static final int TROUBLE = 2;

	private Inspect() {
	}

	/**
	 * Inspects a directory, and prints the findings.
	 * @param progress receives the bytes of tables and large values that are compared
	 * with their checksums
	 * @return {@link #SOUND}, {@link #DAMAGED} or {@link #TROUBLE}
	 */
	public static int run(Options options, FileProgress progress, PrintStream out, PrintStream err) {
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
			Report report = options.report(progress);
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
	 * The options of an inspection.
	 *
	 * @param directory the data directory of a node
	 * @param key the only key to report, or {@code null}
	 * @param verify whether every page and every large value is compared with its
	 * checksum
	 * @param json whether the findings are printed for programs
	 * @param addition reports the files that are not of the store
	 */
	public record Options(Path directory, @Nullable Key key, boolean verify, boolean json, Addition addition) {

		private Report report(FileProgress progress) throws IOException {
			return (this.key != null) ? new KeyReport(this.directory, this.key).report()
					: completed(new DirectoryReport(this.directory, this.verify, progress).report());
		}

		private Report completed(Report report) throws IOException {
			List<String> damages = new ArrayList<>(report.damages());
			List<Section> sections = new ArrayList<>(report.sections());
			sections.addAll(1, this.addition.sections(this.directory, damages::add));
			return new Report(sections, report.notes(), damages);
		}

	}

	/** Reports the files of a directory that are not of its store. */
	@FunctionalInterface
	public interface Addition {

		/** No such files. */
		Addition NONE = (_, _) -> List.of();

		/**
		 * Reports the files.
		 * @param damages receives descriptions of damage
		 */
		List<Section> sections(Path directory, Consumer<String> damages) throws IOException;

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
