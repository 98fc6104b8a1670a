package io.quorate.command.setup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
import io.quorate.security.access.Token;

/**
 * The directory of the operator: the authorities, a token of each principal, the access
 * file with their hashes, the nodes, and the settings with which commands reach them.
 *
 * @param directory the directory
 */
record OperatorDirectory(Path directory) {

	/** The name of the directory, which no node has. */
	static final String NAME = "operator";

	/** The settings of commands. */
	static final String SETTINGS = "client.properties";

	private static final String ACCESS = "access.yml";

	private static final String NODES = "nodes";

	/* Principals and their rights. */
	private static final Map<String, String> PRINCIPALS = new TreeMap<>(
			Map.of("ops", "read: all, write: all, metrics: true, admin: true", "app", "read: all, write: all",
					"prometheus", "metrics: true"));

	/** Writes new tokens, and returns the access file that it has written for them. */
	static String writeAccess(NewDirectory files) throws IOException {
		StringBuilder access = new StringBuilder(
				"# Rights: src/docs/security.md. The same file for all nodes.\nprincipals:\n");
		for (Map.Entry<String, String> principal : PRINCIPALS.entrySet()) {
			Token token = Token.generate(principal.getKey());
			files.write(principal.getKey() + ".token", token.text() + "\n");
			access.append("  %s: {tokens: [{sha256: \"%s\"}], %s}%n".formatted(principal.getKey(), token.sha256(),
					principal.getValue()));
		}
		files.write(ACCESS, access.toString());
		return access.toString();
	}

	/** Writes the nodes, and the settings with which commands reach them. */
	static void writeNodes(ClusterNodes nodes, NewDirectory files) throws IOException {
		files.write(NODES, nodes.text());
		files.write(SETTINGS, """
				# Of 'quorate', with QUORATE_CONFIG=%1$s or as ~/.config/quorate/%1$s. Files are beside this one.
				endpoints = %2$s
				token-file = ops.token
				ca = clients-ca.crt
				""".formatted(SETTINGS, nodes.urls()));
	}

	/** Takes over the nodes that {@link #writeNodes} has written. */
	void take(NewDirectory files) throws IOException {
		for (String name : List.of(NODES, SETTINGS)) {
			Files.move(files.directory().resolve(name), this.directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
		}
	}

	/**
	 * The nodes.
	 * @throws CommandException when this is no directory of an operator
	 */
	ClusterNodes nodes() {
		Path file = this.directory.resolve(NODES);
		try {
			return ClusterNodes.ofText(Files.readString(file));
		}
		catch (NoSuchFileException none) {
			throw new CommandException(ExitCode.MISUSED, "there is no " + file
					+ ": --out is the directory that 'quorate init --hosts' has made, with its " + NAME + " in it",
					none);
		}
		catch (IOException | IllegalArgumentException wrong) {
			throw new CommandException(ExitCode.MISUSED, file + " cannot be used: " + FileFailure.reason(wrong), wrong);
		}
	}

	/** The access file, as the operator may have changed it. */
	String access() throws IOException {
		return Files.readString(this.directory.resolve(ACCESS));
	}

}
