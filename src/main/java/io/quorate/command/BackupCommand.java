package io.quorate.command;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.clock.TimeSource;
import io.quorate.storage.file.InstantName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/**
 * The subcommand {@code backup}: has each node take a backup, all at once and under one
 * name, so that the backups of one run belong together and differ from those of another.
 * The name is the present instant, or one after the newest backup that the nodes have.
 */
@Command(name = "backup", header = "Has all nodes take a backup under one name.", footer = { "",
		"Name all nodes of the cluster: by URL, --endpoint or QUORATE_ENDPOINTS. The principal of the token needs "
				+ "the right 'admin'. The command ends with 1 if a node has taken none, and if the members have changed between "
				+ "the backups: a whole cluster cannot be restored from these." })
final class BackupCommand implements Callable<Integer> {

	private static final Duration CONNECT = Duration.ofSeconds(10);

	/* Copies to another disk take their time. */
	private static final Duration PATIENCE = Duration.ofHours(1);

	private static final int OK = 200;

	private static final int UNAUTHENTICATED = 401;

	private static final int FORBIDDEN = 403;

	/* In the place of the members that decide by the layout of a backup. */
	private static final String UNKNOWN = "members that are not known any more";

	private final Terminal terminal;

	@Mixin
	private NodeOptions options = new NodeOptions();

	@Parameters(arity = "0..*", paramLabel = "URL", converter = NodeOptions.Endpoint.class,
			description = "The nodes, in place of --endpoint.")
	private List<URI> named = List.of();

	BackupCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		List<URI> nodes = this.named.isEmpty() ? this.options.nodes() : this.named;
		NodeAccess access = this.options.access(nodes, this.terminal);
		try (HttpClient client = access.client(CONNECT, nodes)) {
			return new Run(access, client, this.terminal, new ConcurrentHashMap<>()).takeAll(nodes) ? ExitCode.DONE
					: ExitCode.FAILED;
		}
	}

	/**
	 * One run, over all nodes.
	 *
	 * @param deciding members by the layout of each backup, as the node gives them in
	 * words
	 */
	private record Run(NodeAccess access, HttpClient client, Terminal terminal, Map<URI, String> deciding) {

		private boolean takeAll(List<URI> nodes) {
			String name = InstantName.of(Math.max(TimeSource.SYSTEM.millis(), newestMillis(nodes) + 1));
			this.terminal.out().println("name: " + name);
			this.terminal.out().flush();
			try (BackupWatch watch = BackupWatch.start(this.access, this.client, nodes, name, this.terminal)) {
				List<CompletableFuture<Boolean>> all = nodes.stream().map((node) -> take(node, name, watch)).toList();
				long failed = all.stream().filter((taken) -> !taken.join()).count();
				return failed == 0 && areOfOneLayout();
			}
		}

		/* Nodes of an older program do not say. */
		private boolean areOfOneLayout() {
			boolean areKnown = this.deciding.values().stream().noneMatch(UNKNOWN::equals);
			if (areKnown && this.deciding.values().stream().distinct().count() <= 1) {
				return true;
			}
			this.terminal.err()
				.println("The members or the replication factor have changed while the backups were taken."
						+ " A whole cluster cannot be restored from them: take another run.");
			new TreeMap<>(this.deciding).forEach(
					(node, members) -> this.terminal.err().printf("%s: backup by the layout of %s%n", node, members));
			return false;
		}

		/* A node that does not list its backups is reported when it is to take one. */
		private long newestMillis(List<URI> nodes) {
			List<CompletableFuture<Long>> all = nodes.stream()
				.map((node) -> this.client
					.sendAsync(this.access.request(node, "/actuator/backup").timeout(CONNECT).build(),
							BodyHandlers.ofString())
					.handle((answer, failure) -> (failure == null && answer.statusCode() == OK)
							? newestMillis(answer.body()) : 0L))
				.toList();
			return all.stream().mapToLong(CompletableFuture::join).max().orElse(0);
		}

		private static long newestMillis(String listed) {
			try {
				return JsonMapper.shared()
					.readTree(listed)
					.path("backups")
					.valueStream()
					.mapToLong((backup) -> InstantName.millisOf(backup.path("name").asString("")).orElse(0))
					.max()
					.orElse(0);
			}
			catch (JacksonException noList) {
				return 0;
			}
		}

		private CompletableFuture<Boolean> take(URI node, String name, BackupWatch watch) {
			HttpRequest request = this.access.request(node, "/actuator/backup")
				.timeout(PATIENCE)
				.header("Content-Type", "application/json")
				.POST(BodyPublishers.ofString("{\"name\":\"" + name + "\"}"))
				.build();
			return this.client.sendAsync(request, BodyHandlers.ofString()).handle((answer, failure) -> {
				if (failure != null) {
					watch.failed(node, () -> this.terminal.err().printf("%s: %s%n", node, cause(failure)));
					return false;
				}
				if (answer.statusCode() != OK) {
					watch.failed(node, () -> printRefusal(node, answer));
					return false;
				}
				JsonNode taken = taken(answer.body());
				taken.path("layout")
					.path("deciding")
					.asStringOpt()
					.ifPresent((members) -> this.deciding.put(node, members));
				if (taken.has("layoutUnknown")) {
					this.deciding.put(node, UNKNOWN);
				}
				watch.taken(node, taken.path("sizeBytes").asLong(0), () -> {
					this.terminal.out().printf("%s: %s%n", node, answer.body());
					this.terminal.out().flush();
				});
				return true;
			});
		}

		private void printRefusal(URI node, HttpResponse<String> answer) {
			int status = answer.statusCode();
			this.terminal.err().printf("%s: %d %s%n", node, status, switch (status) {
				case UNAUTHENTICATED -> this.access.hasToken() ? "the node does not accept the token"
						: "the node asks for a token: " + NodeOptions.TOKEN_FILE + " FILE";
				case FORBIDDEN -> "the principal of the token has no right 'admin'";
				default -> answer.body();
			});
		}

		private static JsonNode taken(String answer) {
			try {
				return JsonMapper.shared().readTree(answer);
			}
			catch (JacksonException noBackup) {
				return MissingNode.getInstance();
			}
		}

		private static String cause(Throwable failure) {
			return Cluster
				.reason((failure instanceof CompletionException && failure.getCause() instanceof IOException io) ? io
						: failure);
		}

	}

}
