package io.quorate.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The subcommand {@code man}: prints a manual page, or writes all of them. */
@Command(name = "man", header = "Prints the manual page of a command, or writes all pages.",
		footer = { "", "To read the page of 'put':", "  quorate man put | man -l -",
				"To install all pages for one user:", "  quorate man --directory ~/.local/share/man/man1",
				"The archive of a release has them in man/man1, where man finds them if bin is on the PATH." })
final class ManCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Option(names = { "-d", "--directory" }, paramLabel = "DIRECTORY",
			description = "Writes all pages into it, each into a file of its own, and prints none.")
	private @Nullable Path directory;

	@Parameters(arity = "0..*", paramLabel = "COMMAND",
			description = "The command, such as put or cluster status. Default: quorate itself.")
	private List<String> command = List.of();

	@Spec
	private @Nullable CommandSpec spec;

	ManCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() throws IOException {
		List<ManPage> pages = ManPage.all(Objects.requireNonNull(this.spec).root().commandLine());
		if (this.directory == null) {
			this.terminal.out().print(page(pages).text());
		}
		else if (this.command.isEmpty()) {
			write(pages, this.directory);
		}
		else {
			throw new CommandException(ExitCode.MISUSED, "--directory stands in place of COMMAND");
		}
		return ExitCode.DONE;
	}

	private ManPage page(List<ManPage> pages) {
		return pages.stream()
			.filter((each) -> each.words().equals(this.command))
			.findFirst()
			.orElseThrow(() -> new CommandException(ExitCode.MISUSED,
					"there is no command '" + String.join(" ", this.command) + "'"));
	}

	private static void write(List<ManPage> pages, Path directory) throws IOException {
		Files.createDirectories(directory);
		for (ManPage page : pages) {
			Files.writeString(directory.resolve(page.name() + ManPage.SUFFIX), page.text(), StandardCharsets.US_ASCII);
		}
	}

}
