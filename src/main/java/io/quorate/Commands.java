package io.quorate;

import java.io.BufferedOutputStream;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.quorate.command.Arguments;
import io.quorate.command.NodeOption;
import io.quorate.command.Program;
import io.quorate.command.terminal.Output;
import io.quorate.command.terminal.Terminal.Screens;
import io.quorate.command.terminal.Terminal;
import org.springframework.boot.logging.LoggingSystem;

/**
 * The choice between a node and a {@linkplain Program command}, by the first argument. A
 * node runs without arguments, with properties alone, or with {@code server} before them.
 */
final class Commands {

	/* These do in this process what a node does, which logs. */
	private static final Set<String> LOGGING = Set.of("inspect", "restore");

	private static final Set<String> ALWAYS = Set.of("--help", "-h", "--version", "-V");

	/*
	 * Of bin/quorate, which knows: which of "out" and "err" are screens, and "pipe" if
	 * "out" is one.
	 */
	private static final String SCREENS = "quorate.screens";

	private static final int MISUSED = 2;

	private Commands() {
	}

	/** Whether arguments name a command in place of a node. */
	static boolean isNamedBy(String... arguments) {
		return Stream.of(arguments).anyMatch(ALWAYS::contains)
				|| !Stream.of(properties(arguments)).allMatch(NodeOption::isProperty);
	}

	/** The arguments of a node. */
	static String[] properties(String... arguments) {
		return NodeOption.expand((arguments.length > 0 && arguments[0].equals(Program.SERVER))
				? Arrays.copyOfRange(arguments, 1, arguments.length) : arguments);
	}

	/** Runs the named command; returns the exit status of the process. */
	static int run(String... arguments) {
		if (LOGGING.contains(arguments[0])) {
			// Nothing is logged: a command prints all of its output itself.
			LoggingSystem.get(Commands.class.getClassLoader()).beforeInitialize();
		}
		/* In UTF-8, whatever the locale: values and keys are. */
		try (Output out = new Output(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)),
				System.getProperty(SCREENS, "").contains("pipe"));
				PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true,
						StandardCharsets.UTF_8)) {
			String fault = Arguments.fault(List.of(arguments));
			if (fault != null) {
				err.println("quorate: " + fault);
				return MISUSED;
			}
			return Program.run(List.of(arguments), new Terminal(System.in, out, err, screens(), System.getenv(),
					Path.of(System.getProperty("user.home"))));
		}
	}

	/*
	 * The JDK knows only whether all of its streams are a terminal, and a runtime of
	 * jlink need not have the module that knows.
	 */
	@SuppressWarnings("SystemConsoleNull")
	private static Screens screens() {
		String known = System.getProperty(SCREENS);
		if (known != null) {
			return new Screens(known.contains("out"), known.contains("err"));
		}
		Console console = System.console();
		boolean isTerminal = console != null && console.isTerminal();
		return new Screens(isTerminal, isTerminal);
	}

}
