package io.quorate.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.quorate.command.access.NodeOptions;
import io.quorate.command.bench.BenchCommand;
import io.quorate.command.cluster.ClusterCommand;
import io.quorate.command.cluster.StatusCommand;
import io.quorate.command.cluster.TopCommand;
import io.quorate.command.data.CasCommand;
import io.quorate.command.data.DeleteCommand;
import io.quorate.command.data.ExportCommand;
import io.quorate.command.data.GetCommand;
import io.quorate.command.data.ImportCommand;
import io.quorate.command.data.ListCommand;
import io.quorate.command.data.LockCommand;
import io.quorate.command.data.PutCommand;
import io.quorate.command.data.ScanCommand;
import io.quorate.command.data.TouchCommand;
import io.quorate.command.data.WatchCommand;
import io.quorate.command.directory.BackupCommand;
import io.quorate.command.directory.InspectCommand;
import io.quorate.command.directory.RestoreCommand;
import io.quorate.command.directory.TokenCommand;
import io.quorate.command.setup.InitCommand;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
import io.quorate.command.terminal.Terminal;
import io.quorate.security.Secrets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;
import picocli.CommandLine;

/** The program {@code quorate}: its subcommands, and what is common to them. */
public final class Program {

	/** The name of the subcommand that runs a node. */
	public static final String SERVER = "server";

	private static final int WIDTH = 100;

	private static final Map<String, Class<?>> SUBCOMMANDS = subcommands();

	/* Names that other stores have for a subcommand of ours. */
	private static final Map<String, String> ELSEWHERE = Map.ofEntries(Map.entry("delete", "del"),
			Map.entry("rm", "del"), Map.entry("remove", "del"), Map.entry("set", "put"), Map.entry("write", "put"),
			Map.entry("read", "get"), Map.entry("cat", "get"), Map.entry("list", "ls"), Map.entry("keys", "ls"),
			Map.entry("create", "cas --absent"), Map.entry("update", "cas"), Map.entry("expire", "touch"),
			Map.entry("flock", "lock"), Map.entry("dump", "export"), Map.entry("load", "import"),
			Map.entry("start", "server"), Map.entry("run", "server"), Map.entry("subscribe", "watch"),
			Map.entry("tail", "watch"), Map.entry("node", "server"), Map.entry("members", "cluster status"),
			Map.entry("info", "status"), Map.entry("version", "--version"));

	private Program() {
	}

	/*
	 * The annotations have the names, too, and are read only of the subcommand that runs.
	 */
	private static Map<String, Class<?>> subcommands() {
		Map<String, Class<?>> byName = new LinkedHashMap<>();
		byName.put(SERVER, ServerCommand.class);
		byName.put("put", PutCommand.class);
		byName.put("get", GetCommand.class);
		byName.put("del", DeleteCommand.class);
		byName.put("cas", CasCommand.class);
		byName.put("touch", TouchCommand.class);
		byName.put("ls", ListCommand.class);
		byName.put("scan", ScanCommand.class);
		byName.put("watch", WatchCommand.class);
		byName.put("lock", LockCommand.class);
		byName.put("status", StatusCommand.class);
		byName.put("top", TopCommand.class);
		byName.put("cluster", ClusterCommand.class);
		byName.put("export", ExportCommand.class);
		byName.put("import", ImportCommand.class);
		byName.put("bench", BenchCommand.class);
		byName.put("backup", BackupCommand.class);
		byName.put("restore", RestoreCommand.class);
		byName.put("inspect", InspectCommand.class);
		byName.put("init", InitCommand.class);
		byName.put("token", TokenCommand.class);
		byName.put("completion", CompletionCommand.class);
		return byName;
	}

	/**
	 * Runs the subcommand that the arguments name.
	 * @return the exit code of the process
	 */
	public static int run(List<String> arguments, Terminal terminal) {
		if (!arguments.isEmpty() && arguments.getFirst().equals("help")) {
			return run(Stream.concat(arguments.stream().skip(1), Stream.of("--help")).toList(), terminal);
		}
		Class<?> named = arguments.isEmpty() ? null : SUBCOMMANDS.get(arguments.getFirst());
		// Completion speaks of all the others.
		CommandLine program = (named != null && named != CompletionCommand.class) ? of(terminal, List.of(named))
				: of(terminal);
		int exitCode = program.execute(arguments.toArray(String[]::new));
		String fault = terminal.out().fault();
		if (fault != null) {
			terminal.err().println("quorate: standard output has not taken everything: " + fault);
		}
		terminal.err().flush();
		return (fault != null && exitCode == ExitCode.DONE) ? ExitCode.FAILED : exitCode;
	}

	/** The names of all subcommands. */
	static Set<String> names() {
		return SUBCOMMANDS.keySet();
	}

	/** The program with all subcommands. */
	public static CommandLine of(Terminal terminal) {
		return of(terminal, SUBCOMMANDS.values());
	}

	/* To read the annotations of one is a tenth of a second faster than those of all. */
	private static CommandLine of(Terminal terminal, Collection<Class<?>> subcommands) {
		SubcommandFactory factory = new SubcommandFactory(terminal);
		CommandLine program = new CommandLine(Root.class, factory);
		subcommands.forEach((type) -> program.addSubcommand(new CommandLine(type, factory)));
		program.setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8));
		program.setErr(new PrintWriter(terminal.err(), true, StandardCharsets.UTF_8));
		program.setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF));
		program.setUsageHelpWidth(WIDTH);
		program.setCaseInsensitiveEnumValuesAllowed(true);
		program.setDefaultValueProvider(new Settings(terminal));
		CommandLine server = program.getSubcommands().get(SERVER);
		if (server != null) {
			// Its properties are no options of a parser: it says itself how they are
			// written.
			server.setUnmatchedOptionsArePositionalParams(true);
			NodeOption.describe(server.getCommandSpec());
		}
		program.registerConverter(Path.class, new PathConverter());
		describeLocal(program);
		program.setParameterExceptionHandler(Program::misused);
		program.setExecutionExceptionHandler(Program::failed);
		return program;
	}

	/* What talks to no cluster asks no node, and has none of the outcomes of one. */
	private static void describeLocal(CommandLine command) {
		CommandSpec spec = command.getCommandSpec();
		UsageMessageSpec usage = spec.usageMessage();
		if (!command.getSubcommands().isEmpty()) {
			command.getSubcommands().values().forEach(Program::describeLocal);
		}
		else if (spec.findOption(NodeOptions.ENDPOINT) == null) {
			usage.description(new String[0]);
			Map<String, String> codes = new LinkedHashMap<>(usage.exitCodeList());
			if (codes.keySet().removeAll(Set.of("3", "4", "5", "6", "7"))) {
				codes.put("1", "failed");
				usage.exitCodeList(codes);
			}
		}
	}

	private static int misused(ParameterException wrong, String[] arguments) {
		CommandLine command = wrong.getCommandLine();
		String said = Secrets.hidden(String.valueOf(wrong.getMessage()));
		List<String> meant = List.of();
		if (wrong instanceof UnmatchedArgumentException unmatched) {
			String word = unmatched.getUnmatched().getFirst();
			meant = unmatched.getSuggestions();
			if (!command.getSubcommands().isEmpty() && !word.startsWith("-")) {
				said = "there is no command '" + Secrets.hidden(word) + "'";
				String ours = ELSEWHERE.get(word.toLowerCase(Locale.ROOT));
				// Other names have other letters than ours, by which a parser guesses.
				Stream<String> names = (ours != null && command.getParent() == null) ? Stream.of(ours) : meant.stream();
				meant = names.map((name) -> command.getCommandSpec().qualifiedName() + " " + name).toList();
			}
		}
		command.getErr()
			.println("quorate: " + said
					+ (meant.isEmpty() ? " ('" + command.getCommandSpec().qualifiedName() + " --help' has the usage)"
							: ": did you mean '" + String.join("' or '", meant) + "'?"));
		return ExitCode.MISUSED;
	}

	private static int failed(Exception failure, CommandLine command, ParseResult parsed) throws Exception {
		if (failure instanceof CommandException known) {
			command.getErr().println("quorate: " + Secrets.hidden(String.valueOf(known.getMessage())));
			return known.exitCode();
		}
		if (failure instanceof IOException || failure instanceof UncheckedIOException) {
			command.getErr().println("quorate: " + Secrets.hidden(FileFailure.reason(failure)));
			return ExitCode.FAILED;
		}
		throw failure;
	}

	/** The program without a subcommand, which is misused. */
	@Command(name = "quorate", mixinStandardHelpOptions = true, versionProvider = Version.class,
			scope = CommandLine.ScopeType.INHERIT, synopsisSubcommandLabel = "COMMAND",
			header = "Stores values under keys in a cluster of equal nodes, and looks after its nodes.%n",
			description = "%nA command that talks to a cluster asks the first node of the list, and the next one when that "
					+ "cannot answer.%nThe list is --endpoint, or QUORATE_ENDPOINTS, or 'endpoints' in "
					+ "~/.config/quorate/client.properties.",
			exitCodeListHeading = "%nExit codes:%n",
			exitCodeList = { "0:done", "1:failed; for 'inspect': damage was found",
					"2:the arguments, or a file that they name, cannot be used", "3:there is no value under the key",
					"4:a write, or a change of members, may have happened or not",
					"5:no node could answer for now; nothing was written",
					"6:a change of members has begun, and goes on: the command has not seen its end",
					"7:the key has not the version that was named; nothing was written" })
	static final class Root {

	}

	/** The factory of subcommands: those that ask for the terminal get it. */
	private static final class SubcommandFactory implements IFactory {

		private final Terminal terminal;

		SubcommandFactory(Terminal terminal) {
			this.terminal = terminal;
		}

		@Override
		public <K> K create(Class<K> type) throws Exception {
			for (Constructor<?> constructor : type.getDeclaredConstructors()) {
				if (constructor.getParameterCount() == 1 && constructor.getParameterTypes()[0] == Terminal.class) {
					// Of another package, for which its wing need not open it.
					constructor.setAccessible(true);
					return type.cast(constructor.newInstance(this.terminal));
				}
			}
			return CommandLine.defaultFactory().create(type);
		}

	}

}
