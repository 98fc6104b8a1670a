package io.quorate.command;

import java.util.Objects;

import io.quorate.command.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The subcommand {@code completion}: prints a script that has a shell complete words. */
@Command(name = "completion", header = "Prints a script for bash or zsh that completes commands and options.",
		footer = { "", "In bash:", "  source <(quorate completion)", "In zsh:",
				"  autoload -U bashcompinit; bashcompinit; source <(quorate completion)" })
final class CompletionCommand implements Runnable {

	private final Terminal terminal;

	@Spec
	private @Nullable CommandSpec spec;

	CompletionCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public void run() {
		this.terminal.out().print(AutoComplete.bash("quorate", Objects.requireNonNull(this.spec).root().commandLine()));
	}

}
