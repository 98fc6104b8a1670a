package io.quorate.command;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.quorate.command.terminal.Output;
import io.quorate.command.terminal.Terminal.Screens;
import io.quorate.command.terminal.Terminal;

/**
 * One run of the program within the process of a test.
 *
 * @param exitCode exit code of the process that it would be
 * @param out standard output
 * @param err standard error
 */
public record CommandRun(int exitCode, String out, String err) {

	private static final Path NOWHERE = Path.of("target", "no-home");

	/** Runs the program with an empty environment. */
	public static CommandRun of(String... arguments) {
		return of(Map.of(), "", arguments);
	}

	/** Runs the program with standard output on a screen. */
	public static CommandRun onScreen(String... arguments) {
		return of(new Screens(true, false), Map.of(), "", arguments);
	}

	public static CommandRun of(Map<String, String> environment, String input, String... arguments) {
		return of(Screens.NONE, environment, input, arguments);
	}

	/** Runs the program with an input that need not be text. */
	public static CommandRun of(Map<String, String> environment, byte[] input, String... arguments) {
		return of(Screens.NONE, environment, new ByteArrayInputStream(input), arguments);
	}

	private static CommandRun of(Screens screens, Map<String, String> environment, String input, String... arguments) {
		return of(screens, environment, new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), arguments);
	}

	private static CommandRun of(Screens screens, Map<String, String> environment, InputStream input,
			String... arguments) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		ByteArrayOutputStream err = new ByteArrayOutputStream();
		Terminal terminal = new Terminal(input, new Output(out, false), printer(err), screens, environment, NOWHERE);
		int exitCode = Program.run(List.of(arguments), terminal);
		return new CommandRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
	}

	/** A terminal whose output nothing reads. */
	public static Terminal terminal() {
		return new Terminal(InputStream.nullInputStream(), new Output(new ByteArrayOutputStream(), false),
				printer(new ByteArrayOutputStream()), Screens.NONE, Map.of(), NOWHERE);
	}

	private static PrintStream printer(ByteArrayOutputStream bytes) {
		return new PrintStream(bytes, false, StandardCharsets.UTF_8);
	}

}
