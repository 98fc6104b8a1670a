package io.quorate.command.data;

import java.util.concurrent.Callable;

import io.quorate.client.Answer;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.access.RangeRecord;
import io.quorate.command.access.Requests;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The subcommand {@code get}: prints the value of a key. */
@Command(name = "get", header = "Prints the value of a key.",
		footer = { "", "raw prints the bytes of the value and nothing else; on a screen a line feed follows.",
				"json prints the value as base64, with its etag, media type and expiry." })
public final class GetCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ConsistencyOptions consistency = new ConsistencyOptions();

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "raw",
			description = OutputFormat.DESCRIPTION)
	private OutputFormat output = OutputFormat.RAW;

	@Parameters(index = "0", paramLabel = "KEY", converter = KeyConverter.class, description = "The key.")
	private String key = "";

	GetCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			print(cluster.send(this.consistency.on(Requests.get(this.key)), Answers::isValue));
		}
		return ExitCode.DONE;
	}

	private void print(Answer answer) {
		byte[] value = answer.body();
		if (this.output == OutputFormat.RAW) {
			this.terminal.out().write(value, 0, value.length);
			if (this.terminal.screens().out() && (value.length == 0 || value[value.length - 1] != '\n')) {
				this.terminal.out().println();
			}
			return;
		}
		RangeRecord read = RangeRecord.of(this.key, answer);
		if (this.output == OutputFormat.JSON) {
			this.terminal.out().println(read.json());
		}
		else {
			TextTable table = RangeRecord.table(true);
			table.add(read.cells(true));
			table.print(this.terminal.out());
		}
	}

}
