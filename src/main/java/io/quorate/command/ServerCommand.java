package io.quorate.command;

import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code server}, as it is described: the program runs a node in its
 * place, and comes here only if the arguments are none of a node.
 */
@Command(name = Program.SERVER, header = "Runs a node until it is stopped.", footer = { "",
		"PROPERTY is a property of the configuration, such as --quorate.storage.directory=/var/lib/quorate or "
				+ "--server.port=8081. Further ones are in config/application.yml, and in variables of the environment.",
		"Without any the node is on http://localhost:8080, alone, with its data in ./data." })
final class ServerCommand implements Callable<Integer> {

	@Parameters(arity = "0..*", paramLabel = "--PROPERTY=VALUE", description = "The properties, and their values.")
	private List<String> properties = List.of();

	@Override
	public Integer call() {
		throw new CommandException(ExitCode.MISUSED,
				"'" + String.join(" ", this.properties) + "' is no property: write --name=value");
	}

}
