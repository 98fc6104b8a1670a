package io.quorate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.quorate.command.CommandRun;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A whole node that the tests of a process share: it starts when the first of them asks
 * for it, and {@link TestSession} closes it. A test writes under keys of its own or
 * empties the node before it begins, and undoes whatever else it changes.
 */
public final class SharedNode {

	/** Serves every program on this machine, all on one port. */
	public static final SharedNode OPEN = new SharedNode(
			(_) -> List.of("--quorate.node.id=n7", "--quorate.cluster.name=west"));

	/** Is in the profile for Kubernetes, but for its ports, which are any free ones. */
	public static final SharedNode POD = new SharedNode((_) -> List.of("--spring.profiles.active=kubernetes",
			"--quorate.security.open=true", "--management.server.port=0", "--quorate.node.id=n7",
			"--quorate.cluster.name=west", "--quorate.operations.drain-delay=0s"));

	private static final List<SharedNode> STARTED = new ArrayList<>();

	private final Settings settings;

	private @Nullable Running running;

	SharedNode(Settings settings) {
		this.settings = settings;
	}

	/** The context of the node, which runs. */
	public ConfigurableApplicationContext context() {
		return running().context;
	}

	/** The directory of its data, and of the files that its settings name. */
	public Path home() {
		return running().home;
	}

	/** The directory of its data. */
	public Path data() {
		return data(home());
	}

	private static Path data(Path home) {
		return home.resolve("data");
	}

	/** The port for clients. */
	public int port() {
		return context().getEnvironment().getRequiredProperty("local.server.port", Integer.class);
	}

	/** The address for clients that do not encrypt. */
	public String url() {
		return "http://127.0.0.1:" + port();
	}

	/** Deletes all keys, as a client without credentials. */
	public void empty() {
		List<String> deletion = new ArrayList<>(List.of("del", "-e", url()));
		int noKey = deletion.size();
		CommandRun.of("ls", "-e", url()).out().lines().forEach(deletion::add);
		if (deletion.size() > noKey) {
			assertThat(CommandRun.of(deletion.toArray(String[]::new)).exitCode()).isZero();
		}
	}

	private synchronized Running running() {
		if (this.running == null) {
			this.running = start();
			STARTED.add(this);
		}
		return this.running;
	}

	private Running start() {
		try {
			Path home = Files.createTempDirectory("shared-node");
			List<String> arguments = new ArrayList<>(
					List.of("--server.port=0", "--quorate.storage.directory=" + data(home)));
			arguments.addAll(this.settings.in(home));
			return new Running(home,
					new SpringApplication(QuorateApplication.class).run(arguments.toArray(String[]::new)));
		}
		catch (Exception failure) {
			throw new IllegalStateException("a node for tests does not start", failure);
		}
	}

	static void closeAll() throws IOException {
		for (SharedNode node : STARTED) {
			Running running = node.running();
			node.running = null;
			running.context.close();
			FileSystemUtils.deleteRecursively(running.home);
		}
		STARTED.clear();
	}

	private record Running(Path home, ConfigurableApplicationContext context) {
	}

	/** The arguments of a node, beside its port for clients and its data. */
	@FunctionalInterface
	interface Settings {

		/** The arguments; the files that they name are put into a directory. */
		List<String> in(Path home) throws Exception;

	}

}
