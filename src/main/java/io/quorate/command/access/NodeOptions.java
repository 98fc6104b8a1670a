package io.quorate.command.access;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;

import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.DurationConverter;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
import io.quorate.command.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * The options that say where the nodes are, and how the command gets access. A
 * {@linkplain Mixin mixin} of every subcommand that is a client.
 */
public final class NodeOptions {

	/** The option that lists the nodes. */
	public static final String ENDPOINT = "--endpoint";

	/** The option that names the file of the token. */
	public static final String TOKEN_FILE = "--token-file";

	/** The option that names the authority of the nodes. */
	public static final String AUTHORITY = "--ca";

	private static final Duration PATIENT = Duration.ofSeconds(10);

	/* The client takes none that is longer. */
	private static final Duration LONGEST = Duration.ofDays(365);

	private static final URI LOCAL = URI.create("http://localhost:8080");

	@Option(names = { "-e", ENDPOINT }, paramLabel = "URL", split = ",", converter = Endpoint.class,
			description = "A node, such as http://10.0.0.1:8080; several with commas between them, or by several options "
					+ "(QUORATE_ENDPOINTS). Default: http://localhost:8080.")
	private @Nullable List<URI> endpoints;

	@Option(names = TOKEN_FILE, paramLabel = "FILE",
			description = "A file with the token to send (QUORATE_TOKEN_FILE).")
	private @Nullable String tokenFile;

	@Option(names = AUTHORITY, paramLabel = "FILE",
			description = "The authority of the nodes' certificates, PEM, for https (QUORATE_CA).")
	private @Nullable String authority;

	@Option(names = "--timeout", paramLabel = "DURATION", converter = DurationConverter.class,
			description = "The most time that a node may take for one request, such as 500ms or 5s. "
					+ "Default: what is configured for the node, for exports and imports 10s.")
	private @Nullable Duration timeout;

	/** The nodes of the user's list, at least one. */
	public List<URI> nodes() {
		return (this.endpoints != null && !this.endpoints.isEmpty()) ? List.copyOf(this.endpoints) : List.of(LOCAL);
	}

	/**
	 * The access to nodes. Warns the user if the token can be read on its way to one.
	 * @throws CommandException if a file that the options name cannot be used
	 */
	public NodeAccess access(List<URI> nodes, Terminal terminal) {
		try {
			NodeAccess access = NodeAccess.of(this.tokenFile, this.authority);
			nodes.stream()
				.filter(access::isExposedTo)
				.forEach((node) -> terminal.err()
					.println(node + ": warning: the token is sent without encryption, use https"));
			return access;
		}
		catch (IOException failure) {
			throw new CommandException(ExitCode.MISUSED, FileFailure.reason(failure), failure);
		}
	}

	/** The nodes that the user lists. */
	public Cluster cluster(Terminal terminal) {
		List<URI> nodes = nodes();
		return new Cluster(nodes, access(nodes, terminal), timeout());
	}

	/** The same for much data: a busy node has more time than a person has. */
	public Cluster patientCluster(Terminal terminal) {
		List<URI> nodes = nodes();
		Duration chosen = timeout();
		return new Cluster(nodes, access(nodes, terminal), (chosen != null) ? chosen : PATIENT);
	}

	private @Nullable Duration timeout() {
		if (this.timeout != null && this.timeout.compareTo(LONGEST) > 0) {
			throw new CommandException(ExitCode.MISUSED, "--timeout is at most " + LONGEST.toDays() + "d");
		}
		return this.timeout;
	}

	/** The URL of a node, without a path. */
	public static final class Endpoint implements ITypeConverter<URI> {

		private static final int LAST_PORT = 65_535;

		private static final List<String> SCHEMES = List.of("http", "https");

		@Override
		public URI convert(String text) {
			URI uri = parse(text.replaceFirst("/+$", ""));
			if (uri == null || uri.getScheme() == null || !SCHEMES.contains(uri.getScheme()) || uri.getHost() == null
					|| uri.getPort() > LAST_PORT || hasMore(uri)) {
				throw new TypeConversionException(
						"'" + text + "' is no node: write http://host:port or https://host:port");
			}
			return uri;
		}

		private static boolean hasMore(URI uri) {
			return !uri.getRawPath().isEmpty() || uri.getRawQuery() != null || uri.getRawFragment() != null
					|| uri.getRawUserInfo() != null;
		}

		private static @Nullable URI parse(String text) {
			try {
				return URI.create(text);
			}
			catch (IllegalArgumentException noUri) {
				return null;
			}
		}

	}

}
