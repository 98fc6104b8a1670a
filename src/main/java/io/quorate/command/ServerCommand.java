package io.quorate.command;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code server}, as it is described: the program runs a node in its
 * place, and comes here only if the arguments are none of a node.
 */
@Command(name = Program.SERVER, header = "Runs a node until it is stopped.", footer = { "",
		"The options stand for properties of the configuration, and any other one is written with its value, "
				+ "such as --quorate.security.access=access.yml, which says who may do what.",
		"All properties are in src/docs/properties.md. They can stand in config/application.yml, and in variables of the "
				+ "environment, such as QUORATE_NODE_ID.",
		"Without any the node is on http://localhost:8080, alone, with its data in ./data.",
		"'quorate aot', once after the unpacking of a release, makes the cache with which nodes start faster.",
		"JAVA_HOME names the Java runtime, QUORATE_JAVA_OPTS has its options, and QUORATE_AOT=off leaves the "
				+ "cache out." })
final class ServerCommand implements Callable<Integer> {

	@Parameters(arity = "0..*", paramLabel = "--PROPERTY=VALUE", description = "The properties, and their values.")
	private List<String> properties = List.of();

	@Override
	public Integer call() {
		String wrong = this.properties.stream()
			.filter((word) -> !NodeOption.isProperty(word))
			.collect(Collectors.joining(" "));
		throw new CommandException(ExitCode.MISUSED,
				"'%s' is neither an option of a node nor a property: write --name=value ('quorate server --help' has the usage)"
					.formatted(wrong));
	}

}
