package io.quorate.command.cluster;

import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.TimeSource;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.cluster.NodeRates.Kind;
import io.quorate.command.terminal.DurationConverter;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.TextTable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The subcommand {@code top}: the cluster at a glance, again and again. Keeps the rates
 * of two moments only.
 */
@Command(name = "top", header = "Shows the state of all nodes of the list until Ctrl-C.", footer = { "",
		"GET/S to FAIL/S are requests a second since the screen before; they need the right 'metrics', and meters "
				+ "on the port of clients. Other columns are as 'quorate status --help' says." })
public final class TopCommand implements Callable<Integer> {

	private static final String HOME_AND_CLEAR = "\u001b[H\u001b[J";

	private static final String CLEAR_ALL = "\u001b[2J";

	/*
	 * What is longer than the screen's line is cut: a table that goes on in the next line
	 * cannot be read.
	 */
	private static final String CUT_LINES = "\u001b[?7l";

	private static final String WRAP_LINES = "\u001b[?7h";

	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss'Z'", Locale.ROOT);

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Option(names = "--interval", paramLabel = "DURATION", defaultValue = "2s", converter = DurationConverter.class,
			description = "The time between two screens. Default: ${DEFAULT-VALUE}.")
	private Duration interval = Duration.ZERO;

	@Option(names = "--count", paramLabel = "N", description = "Ends after N screens.")
	private @Nullable Integer count;

	private final Map<URI, NodeRates> before = new HashMap<>();

	TopCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		PrintStream out = this.terminal.out();
		boolean isScreen = this.terminal.screens().out();
		if (isScreen) {
			out.print(CLEAR_ALL);
		}
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			for (int i = 0; this.count == null || i < this.count; i++) {
				if (i > 0) {
					LockSupport.parkNanos(this.interval.toNanos());
				}
				List<NodeState> states = NodeState.all(cluster);
				TextTable table = table(cluster, states);
				out.print(isScreen ? HOME_AND_CLEAR + CUT_LINES : "");
				out.printf("quorate top  %s  %d of %d nodes serve%n%n",
						TIME.format(Instant.ofEpochMilli(TimeSource.SYSTEM.millis()).atOffset(ZoneOffset.UTC)),
						states.stream().filter(NodeState::isServing).count(), states.size());
				table.print(out);
				out.print(isScreen ? WRAP_LINES : System.lineSeparator());
				if (out.checkError()) {
					break;
				}
			}
		}
		return ExitCode.DONE;
	}

	private TextTable table(Cluster cluster, List<NodeState> states) {
		TextTable table = new TextTable("NODE", "STATE", "ANSWERED", "GET/S", "PUT/S", "DEL/S", "SCAN/S", "BATCH/S",
				"FAIL/S", "P99", "HINTS", "PEERS");
		for (NodeState state : states) {
			List<String> row = new ArrayList<>(List.of(state.name(), state.state(), state.answered()));
			NodeRates now = state.isServing() ? NodeRates.of(cluster, state.node()) : null;
			NodeRates earlier = this.before.get(state.node());
			for (Kind kind : Kind.values()) {
				row.add((now != null && earlier != null) ? String.format(Locale.ROOT, "%,.0f", now.since(earlier, kind))
						: "-");
			}
			if (now != null) {
				this.before.put(state.node(), now);
			}
			else {
				this.before.remove(state.node());
			}
			row.addAll(List.of(state.p99(), state.hints(), state.peers()));
			table.add(row.toArray(String[]::new));
		}
		return table;
	}

}
