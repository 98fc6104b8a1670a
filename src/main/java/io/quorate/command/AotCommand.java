package io.quorate.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The subcommand {@code aot}: makes an AOT cache of the JVM beside the jar that runs the
 * command (JEP 483, 515), by a cluster in {@linkplain AotTraining training}. The launcher
 * starts nodes from it.
 */
@Command(name = "aot", header = "Makes the cache with which the nodes of this installation start faster.", footer = {
		"", "The command runs two nodes on loopback, with their data in a temporary directory, for a minute or two.",
		"Run it again for another Java runtime, another collector, or another version of Quorate.",
		"QUORATE_JAVA_OPTS has the options of the JVM with which the nodes will run." })
final class AotCommand implements Callable<Integer> {

	/* The flags with which nodes run: the cache fits no others. */
	private static final String FLAGS = "quorate.args";

	private static final String CACHE = "quorate.aot";

	private static final String OPTIONS = "QUORATE_JAVA_OPTS";

	private static final int MOST_REQUESTS = 1_000_000;

	private static final double MEGABYTE = 1e6;

	private final Terminal terminal;

	/*
	 * The JVM takes a method that its second compiler has not compiled in the training
	 * for one that is seldom called, and compiles it late in each node: this many make
	 * the most of those of a request known.
	 */
	@Option(names = "--requests", paramLabel = "N",
			description = "Requests with which the node is trained, in a minute at most (default: ${DEFAULT-VALUE}). "
					+ "With fewer the cache is made sooner, and nodes that have just started are slow for longer.")
	private int requests = 60_000;

	AotCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		Path jar = Path.of(System.getProperty("java.class.path")).toAbsolutePath();
		return make(jar, Path.of(System.getProperty("java.home"), "bin", "java"));
	}

	/** Makes the cache of a jar, for a JVM. */
	int make(Path jar, Path java) {
		Path flags = jar.resolveSibling(FLAGS);
		if (!jar.toString().endsWith(".jar") || !Files.isDirectory(jar.resolveSibling("lib"))
				|| !Files.isRegularFile(flags)) {
			throw new CommandException(ExitCode.MISUSED, "there can be no cache for " + jar
					+ ": run bin/quorate of an unpacked release, or bin/aot in a source tree");
		}
		if (this.requests < 0 || this.requests > MOST_REQUESTS) {
			throw new CommandException(ExitCode.MISUSED,
					"--requests must be between 0 and %d, not %d".formatted(MOST_REQUESTS, this.requests));
		}
		Path cache = jar.resolveSibling(CACHE);
		this.terminal.err().println("quorate: two nodes run on loopback to train the cache, for a minute or two");
		long began = System.nanoTime();
		try (AotTraining training = AotTraining.beside(cache)) {
			training.run(command(java, flags, List.of(), jar), command(java, flags, options(), jar), this.requests,
					this.terminal.environment());
			this.terminal.out()
				.println(String.format(Locale.ROOT, "%s is made: %.0f MB, in %.1f s", cache,
						Files.size(cache) / MEGABYTE, (System.nanoTime() - began) / 1e9));
			return ExitCode.DONE;
		}
		catch (IOException failure) {
			throw new CommandException(ExitCode.FAILED, FileFailure.reason(failure), failure);
		}
	}

	private List<String> options() {
		return Stream.of(this.terminal.environment().getOrDefault(OPTIONS, "").split("\\s+"))
			.filter((option) -> !option.isEmpty())
			.toList();
	}

	private static List<String> command(Path java, Path flags, List<String> options, Path jar) {
		List<String> command = new ArrayList<>(List.of(java.toString(), "@" + flags));
		command.addAll(options);
		command.addAll(List.of("-jar", jar.toString()));
		return command;
	}

}
