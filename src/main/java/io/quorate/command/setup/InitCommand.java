package io.quorate.command.setup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.command.setup.ClusterNode.Place;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.Workers;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The subcommand {@code init}: writes the configuration of a secured cluster, a directory
 * for each node and one for the operator, all or nothing.
 */
@Command(name = "init", header = "Writes certificates, tokens and configuration of a secured cluster.",
		customSynopsis = { "quorate init --hosts HOST[,HOST...] --out DIRECTORY",
				"       quorate init (--add | --replace NODE) --hosts HOST --out DIRECTORY" },
		footer = { "",
				"DIRECTORY gets a directory for each node, to be copied to its host as /etc/quorate, and 'operator', which "
						+ "belongs to no node: it has the keys of the authorities, the tokens, and the settings of commands.",
				"'systemctl enable --now /etc/quorate/quorate.service' starts a node with the release in /opt/quorate, or on the "
						+ "PATH. 'quorate server', run in the directory, does so, too.",
				"Run --add for a node that has lost its directory, or whose certificates end, once its directory is moved "
						+ "away: it gets the same configuration and new certificates." })
public final class InitCommand implements Callable<Integer> {

	private static final int PORT = 8080;

	private static final int INTERNODE_PORT = 7100;

	private static final int LAST_PORT = 65_535;

	private static final int MOST_DAYS = 3650;

	private final Terminal terminal;

	@Option(names = "--hosts", paramLabel = "HOST", split = ",", required = true, converter = Host.Converter.class,
			description = "The hosts of the nodes: names or addresses by which the nodes and all clients reach them. ID=HOST names "
					+ "the node; else it has the name of its host. Nodes of one host have ports one after the other.")
	private List<Host> hosts = new ArrayList<>();

	@Option(names = "--out", paramLabel = "DIRECTORY", required = true,
			description = "The directory to write. It is empty or not there, but for --add and --replace.")
	private Path out = Path.of("");

	@Option(names = "--add", description = "Adds nodes to the cluster of DIRECTORY.")
	private boolean isAdding;

	@Option(names = "--replace", paramLabel = "NODE",
			description = "Adds a node to the cluster of DIRECTORY, in the place of this one.")
	private @Nullable String replaced;

	@Option(names = "--port", paramLabel = "PORT", description = "The port for clients. Default: 8080")
	private @Nullable Integer port;

	@Option(names = "--internode-port", paramLabel = "PORT",
			description = "The port for the other nodes. Default: 7100")
	private @Nullable Integer internodePort;

	@Option(names = "--days", paramLabel = "DAYS", defaultValue = "90",
			description = "The time for which certificates of nodes are valid. Default: 90")
	private int days;

	InitCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() throws IOException {
		requireNumber("--days", this.days, MOST_DAYS);
		requireNumber("--port", (this.port != null) ? this.port : PORT, LAST_PORT);
		requireNumber("--internode-port", (this.internodePort != null) ? this.internodePort : INTERNODE_PORT,
				LAST_PORT);
		if (this.hosts.stream().map(Host::id).distinct().count() < this.hosts.size()) {
			throw misused("two nodes have one id: write ID=HOST for each, such as n0=127.0.0.1,n1=127.0.0.1");
		}
		Path target = this.out.toAbsolutePath().normalize();
		return (this.isAdding || this.replaced != null) ? add(target) : begin(target);
	}

	private static void requireNumber(String option, int number, int most) {
		if (number < 1 || number > most) {
			throw misused("%s is a number from 1 to %d".formatted(option, most));
		}
	}

	private static CommandException misused(String message) {
		return new CommandException(ExitCode.MISUSED, message);
	}

	private int begin(Path target) throws IOException {
		if (Files.exists(target) && !isEmpty(target)) {
			throw misused(
					this.out + " is not empty: name another directory, or add to its cluster by --add or --replace");
		}
		ClusterNodes cluster = with(ClusterNodes.NONE, Place.FIRST);
		try (WorkDirectory work = WorkDirectory.beside(target)) {
			NewDirectory whole = work.create("whole");
			NewDirectory operator = whole.create(OperatorDirectory.NAME);
			OperatorDirectory.writeNodes(cluster, operator);
			write(cluster.all(), cluster, OperatorDirectory.writeAccess(operator), whole, (kind) -> {
				Authority authority = Authority.create(kind, work.path());
				authority.write(operator);
				return authority;
			});
			Files.move(whole.directory(), target, StandardCopyOption.ATOMIC_MOVE);
		}
		report(cluster.all());
		this.terminal.out()
			.println(
					"%s: keep it apart, it has the keys of the authorities and the tokens; for commands:%n  export QUORATE_CONFIG=%s"
						.formatted(this.out.resolve(OperatorDirectory.NAME),
								target.resolve(OperatorDirectory.NAME).resolve(OperatorDirectory.SETTINGS)));
		return ExitCode.DONE;
	}

	private static boolean isEmpty(Path target) throws IOException {
		try (Stream<Path> files = Files.list(target)) {
			return files.findAny().isEmpty();
		}
	}

	private int add(Path target) throws IOException {
		OperatorDirectory operator = new OperatorDirectory(target.resolve(OperatorDirectory.NAME));
		ClusterNodes before = operator.nodes();
		requirePlace(before, target);
		ClusterNodes cluster = with((this.replaced != null) ? before.without(this.replaced) : before, Place.JOINS);
		List<ClusterNode> chosen = this.hosts.stream().flatMap((host) -> cluster.find(host.id()).stream()).toList();
		try (WorkDirectory work = WorkDirectory.in(target)) {
			NewDirectory whole = work.create("whole");
			NewDirectory changed = work.create(OperatorDirectory.NAME);
			OperatorDirectory.writeNodes(cluster, changed);
			write(chosen, cluster, operator.access(), whole,
					(kind) -> Authority.read(kind, operator.directory(), work.path()));
			// A node of the list without a directory gets one at the next run.
			operator.take(changed);
			for (ClusterNode node : chosen) {
				Files.move(whole.directory().resolve(node.id()), target.resolve(node.id()),
						StandardCopyOption.ATOMIC_MOVE);
			}
		}
		report(chosen);
		chosen.stream()
			.filter((node) -> before.find(node.id()).isEmpty())
			.forEach((node) -> this.terminal.out()
				.println("once it runs: quorate cluster " + ((this.replaced != null)
						? "replace " + this.replaced + " " + node.peers() + " --dead" : "add " + node.peers())));
		return ExitCode.DONE;
	}

	private void requirePlace(ClusterNodes before, Path target) {
		for (Host host : this.hosts) {
			if (Files.exists(target.resolve(host.id()))) {
				throw misused("%s is there: copy it to its host again, or move it away to have it made anew"
					.formatted(this.out.resolve(host.id())));
			}
			before.find(host.id())
				.filter((node) -> !node.host().equals(host.name()) || node.place() == Place.FORMER)
				.ifPresent((node) -> {
					throw misused("the cluster had a node %s at %s: choose another id, by ID=HOST".formatted(node.id(),
							node.host()));
				});
		}
		String goes = this.replaced;
		if (goes != null) {
			if (this.isAdding || this.hosts.size() > 1) {
				throw misused("--replace stands without --add, and with one host");
			}
			if (this.hosts.getFirst().id().equals(goes)
					|| before.find(goes).filter((node) -> node.place() != Place.FORMER).isEmpty()) {
				throw misused("--replace names a node that goes, one of " + before.all()
					.stream()
					.filter((node) -> node.place() != Place.FORMER)
					.map(ClusterNode::id)
					.collect(Collectors.joining(", ")) + ", and --hosts another one that comes");
			}
		}
	}

	/* Those that are there keep their ports. */
	private ClusterNodes with(ClusterNodes before, Place place) {
		int first = before.all().isEmpty() ? PORT : before.all().getFirst().port();
		int firstOfPeers = before.all().isEmpty() ? INTERNODE_PORT : before.all().getFirst().peers().port();
		ClusterNodes cluster = before;
		for (Host host : this.hosts) {
			if (cluster.find(host.id()).isEmpty()) {
				cluster = cluster.with(host, (this.port != null) ? this.port : first,
						(this.internodePort != null) ? this.internodePort : firstOfPeers, place);
			}
		}
		return cluster;
	}

	private void write(List<ClusterNode> chosen, ClusterNodes cluster, String access, NewDirectory whole,
			AuthoritySource source) throws IOException {
		List<NewDirectory> directories = new ArrayList<>();
		for (ClusterNode node : chosen) {
			NewDirectory directory = whole.create(node.id());
			NodeDirectory.write(node, cluster, access, directory);
			directories.add(directory);
		}
		this.terminal.err().println("Certificates are made ...");
		Queue<Authority.Kind> kinds = new ConcurrentLinkedQueue<>(EnumSet.allOf(Authority.Kind.class));
		Workers.run(kinds.size(), () -> {
			Authority.Kind kind = kinds.remove();
			Authority authority = source.authority(kind);
			for (int i = 0; i < chosen.size(); i++) {
				authority.issue(chosen.get(i), this.days, directories.get(i));
			}
		});
	}

	private void report(List<ClusterNode> nodes) {
		for (ClusterNode node : nodes) {
			this.terminal.out()
				.println("%s: copy it to %s as /etc/quorate; certificates for %d days"
					.formatted(this.out.resolve(node.id()), node.host(), this.days));
		}
	}

	/** A source of authorities: new ones, or those of an operator. */
	private interface AuthoritySource {

		Authority authority(Authority.Kind kind) throws IOException;

	}

}
