package io.quorate;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;

import io.quorate.backup.BackupCommand;
import io.quorate.backup.RestoreCommand;
import io.quorate.security.access.TokenCommand;
import io.quorate.storage.inspect.Inspect;
import org.springframework.boot.logging.LoggingSystem;

/**
 * The commands of the program, by its first argument; a command runs in place of a node.
 * Arguments of a node are options, and begin with two dashes.
 */
final class Commands {

	private static final Map<String, Command> BY_NAME = Map.of("backup", BackupCommand::run, "inspect", Inspect::run,
			"restore", RestoreCommand::run, "token", TokenCommand::run);

	private Commands() {
	}

	/** Whether arguments name a command. */
	static boolean isNamedBy(String... arguments) {
		return arguments.length > 0 && !arguments[0].startsWith("--");
	}

	/** Runs the named command; returns the exit status of the process. */
	static int run(String... arguments) {
		Command command = BY_NAME.get(arguments[0]);
		if (command == null) {
			System.err.printf("There is no command '%s', but %s%n", arguments[0],
					BY_NAME.keySet().stream().sorted().toList());
			return 2;
		}
		// Nothing is logged: a command prints all of its output itself.
		LoggingSystem.get(Commands.class.getClassLoader()).beforeInitialize();
		return command.run(List.of(arguments).subList(1, arguments.length), System.out, System.err);
	}

	/** A command, which returns the exit status of the process. */
	@FunctionalInterface
	private interface Command {

		int run(List<String> arguments, PrintStream out, PrintStream err);

	}

}
