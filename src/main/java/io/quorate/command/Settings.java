package io.quorate.command;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
import io.quorate.command.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The values of options that the arguments leave out: from a variable of the environment,
 * or else from the user's file. The file is {@code QUORATE_CONFIG}, or
 * {@code quorate/client.properties} below {@code XDG_CONFIG_HOME} or {@code ~/.config}.
 * Files that it names without a root are beside it.
 */
final class Settings implements IDefaultValueProvider {

	/* By option, the variable and the name in the file that stand for it. */
	private static final Map<String, Names> OPTIONS = new TreeMap<>(
			Map.of(NodeOptions.ENDPOINT, new Names("QUORATE_ENDPOINTS", "endpoints", false), NodeOptions.TOKEN_FILE,
					new Names("QUORATE_TOKEN_FILE", "token-file", true), NodeOptions.AUTHORITY,
					new Names("QUORATE_CA", "ca", true)));

	/* The variable that names the user's file. */
	private static final String FILE_VARIABLE = "QUORATE_CONFIG";

	private final Terminal terminal;

	private @Nullable Properties file;

	Settings(Terminal terminal) {
		this.terminal = terminal;
	}

	/* The names that the user's file may have. */
	private static Set<String> namesInFile() {
		Set<String> known = new TreeSet<>();
		OPTIONS.values().forEach((names) -> known.add(names.inFile()));
		return known;
	}

	@Override
	public @Nullable String defaultValue(ArgSpec argument) {
		Names names = (argument instanceof OptionSpec option) ? OPTIONS.get(option.longestName()) : null;
		if (names == null) {
			return null;
		}
		String variable = this.terminal.environment().getOrDefault(names.variable(), "");
		if (!variable.isEmpty()) {
			return variable;
		}
		String value = file().getProperty(names.inFile());
		return (value != null && names.isFile()) ? beside(value) : value;
	}

	private String beside(String file) {
		try {
			return path().resolveSibling(file).toString();
		}
		catch (InvalidPathException none) {
			return file;
		}
	}

	private Properties file() {
		Properties known = this.file;
		if (known == null) {
			known = read(path(), this.terminal.environment().containsKey(FILE_VARIABLE));
			this.file = known;
		}
		return known;
	}

	private Path path() {
		Map<String, String> environment = this.terminal.environment();
		String named = environment.getOrDefault(FILE_VARIABLE, "");
		if (!named.isEmpty()) {
			return Path.of(named);
		}
		String base = environment.getOrDefault("XDG_CONFIG_HOME", "");
		return (base.isEmpty() ? this.terminal.home().resolve(".config") : Path.of(base)).resolve("quorate")
			.resolve("client.properties");
	}

	private static Properties read(Path path, boolean mustExist) {
		Properties properties = new Properties();
		try (Reader reader = Files.newBufferedReader(path)) {
			properties.load(reader);
		}
		catch (NoSuchFileException none) {
			if (mustExist) {
				throw new CommandException(ExitCode.MISUSED, "there is no file " + path, none);
			}
		}
		catch (IOException | IllegalArgumentException failure) {
			throw new CommandException(ExitCode.MISUSED, path + " cannot be read: " + FileFailure.reason(failure),
					failure);
		}
		Set<String> known = namesInFile();
		for (String name : properties.stringPropertyNames()) {
			if (!known.contains(name)) {
				throw new CommandException(ExitCode.MISUSED,
						"%s has '%s', which nothing reads: it may have %s".formatted(path, name, known));
			}
		}
		return properties;
	}

	private record Names(String variable, String inFile, boolean isFile) {
	}

}
