package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** A command of the program, such as {@code backup}, in a process of its own. */
final class ProgramCommand {

	private ProgramCommand() {
	}

	/**
	 * Runs a command, and returns its output.
	 * @param exit the exit code with which it must end
	 * @param home directory for a file with the output
	 */
	static String run(int exit, Path home, Duration limit, String name, List<String> arguments)
			throws IOException, InterruptedException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		Collections.addAll(command, System.getProperty("quorate.jvm.arguments").split(" ", -1));
		command.addAll(BuiltNode.arguments());
		command.add(name);
		command.addAll(arguments);
		Path output = Files.createTempFile(home, name, ".out");
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
		try {
			assertThat(process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		assertThat(process.exitValue()).as(Files.readString(output)).isEqualTo(exit);
		return Files.readString(output);
	}

}
