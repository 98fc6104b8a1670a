import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.quorate.command.Program;
import io.quorate.command.terminal.Output;
import io.quorate.command.terminal.Terminal.Screens;
import io.quorate.command.terminal.Terminal;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/*
 * Writes the manual pages of all commands in AsciiDoc, from the model of their --help. The build of a release makes roff of them:
 * java -cp <program, picocli, picocli-codegen> tools/ManPages.java DIRECTORY
 */
void main(String[] arguments) throws Exception {
	Terminal terminal = new Terminal(new ByteArrayInputStream(new byte[0]), new Output(System.out, false), System.err, Screens.NONE,
			Map.of(), Path.of(""));
	CommandSpec program = Program.of(terminal).getCommandSpec();
	prepare(program);
	System.exit(ManPageGenerator.generateManPage(Path.of(arguments[0]).toFile(), null, new boolean[0], true, program));
}

void prepare(CommandSpec spec) {
	spec.version(spec.version()[0].replaceFirst(" \\(.*", "")).versionProvider(null);
	spec.usageMessage().exitCodeListHeading("Exit status%n").footerHeading("Notes%n").footer(paragraphs(spec));
	spec.subcommands().values().stream().map(CommandLine::getCommandSpec).forEach(this::prepare);
}

/* AsciiDoc leaves the lines of an example as they are only behind an empty line. */
String[] paragraphs(CommandSpec spec) {
	List<String> lines = new ArrayList<>();
	for (String line : spec.usageMessage().footer()) {
		if (!lines.isEmpty() && line.startsWith(" ") != lines.getLast().startsWith(" ")) {
			lines.add("");
		}
		if (!lines.isEmpty() || !line.isEmpty()) {
			lines.add(line);
		}
	}
	return lines.toArray(String[]::new);
}
