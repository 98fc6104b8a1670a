package io.quorate.command.directory;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.quorate.client.Answer;
import io.quorate.client.QuorateException;
import io.quorate.client.Request;
import io.quorate.clock.TimeSource;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Terminal;
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
public final class BackupCommand implements Callable<Integer> {

	/** The path of backups. */
	static final String PATH = "/actuator/backup";

	private static final Duration LISTED = Duration.ofSeconds(10);

	/* Copies to another disk take their time. */
	private static final Duration PATIENCE = Duration.ofHours(1);

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
		try (Cluster cluster = new Cluster(nodes, this.options.access(nodes, this.terminal), null)) {
			return new Run(cluster, this.terminal, new ConcurrentHashMap<>()).takeAll(nodes) ? ExitCode.DONE
					: ExitCode.FAILED;
		}
	}

	/**
	 * One run, over all nodes.
	 *
	 * @param deciding members by the layout of each backup, as the node gives them in
	 * words
	 */
	private record Run(Cluster cluster, Terminal terminal, Map<URI, String> deciding) {

		private boolean takeAll(List<URI> nodes) {
			String name = InstantName.of(Math.max(TimeSource.SYSTEM.millis(), newestMillis(nodes) + 1));
			this.terminal.out().println("name: " + name);
			this.terminal.out().flush();
			try (BackupWatch watch = BackupWatch.start(this.cluster, nodes, name, this.terminal)) {
				List<CompletableFuture<Boolean>> all = nodes.stream()
					.map((node) -> begin(() -> take(node, name, watch)))
					.toList();
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
			List<CompletableFuture<Long>> all = nodes.stream().map((node) -> begin(() -> newestMillis(node))).toList();
			return all.stream().mapToLong(CompletableFuture::join).max().orElse(0);
		}

		private static <T> CompletableFuture<T> begin(Supplier<T> task) {
			return CompletableFuture.supplyAsync(task, (run) -> Thread.ofVirtual().start(run));
		}

		private long newestMillis(URI node) {
			try {
				Answer listed = this.cluster.ask(node, Request.read(PATH), Answers::isOk,
						(options) -> options.stallTimeout(LISTED));
				return JsonMapper.shared()
					.readTree(listed.body())
					.path("backups")
					.valueStream()
					.mapToLong((backup) -> InstantName.millisOf(backup.path("name").asString("")).orElse(0))
					.max()
					.orElse(0);
			}
			catch (QuorateException | JacksonException noList) {
				return 0;
			}
		}

		private boolean take(URI node, String name, BackupWatch watch) {
			Request request = Request.write("POST", PATH)
				.field("Content-Type", "application/json")
				.body(("{\"name\":\"" + name + "\"}").getBytes(StandardCharsets.UTF_8));
			Answer answer;
			try {
				answer = this.cluster.ask(node, request, Answers::isOk, (options) -> options.stallTimeout(PATIENCE));
			}
			catch (QuorateException failure) {
				watch.failed(node, () -> this.terminal.err().printf("%s: %s%n", node, this.cluster.reason(failure)));
				return false;
			}
			String text = Answers.text(answer);
			JsonNode taken = taken(text);
			taken.path("layout")
				.path("deciding")
				.asStringOpt()
				.ifPresent((members) -> this.deciding.put(node, members));
			if (taken.has("layoutUnknown")) {
				this.deciding.put(node, UNKNOWN);
			}
			watch.taken(node, taken.path("sizeBytes").asLong(0), () -> {
				this.terminal.out().printf("%s: %s%n", node, text);
				this.terminal.out().flush();
			});
			return true;
		}

		private static JsonNode taken(String answer) {
			try {
				return JsonMapper.shared().readTree(answer);
			}
			catch (JacksonException noBackup) {
				return MissingNode.getInstance();
			}
		}

	}

}
