package io.quorate.command.data;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

import io.quorate.client.Put;
import io.quorate.client.Written;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code cas}: stores a value in the place of the version that the user
 * has read. It is done once, also when several nodes are asked.
 */
@Command(name = "cas", header = "Stores a value if the key has a certain version, or no value.", footer = { "",
		"ETAG is the version that you have read: 'quorate get KEY -o json' prints it, and so does this command when it has "
				+ "stored the value. With --absent the key must have no value.",
		"The value is VALUE, or --file, or else standard input.",
		"If the key has another version, the command ends with 7: read the value, and decide anew." })
public final class CasCommand implements Callable<Integer> {

	private static final Pattern VERSION = Pattern.compile("\"[\\x21\\x23-\\x7e]+\"");

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ValueOptions options = new ValueOptions();

	@Option(names = "--absent", description = "The key must have no value; in place of ETAG.")
	private boolean isAbsent;

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "raw",
			description = OutputFormat.DESCRIPTION)
	private OutputFormat output = OutputFormat.RAW;

	@Parameters(index = "0", paramLabel = "KEY", converter = KeyConverter.class, description = "The key.")
	private String key = "";

	@Parameters(index = "1..2", arity = "0..2", paramLabel = "[ETAG] [VALUE]", hideParamSyntax = true,
			description = "The version, with or without its quotes, and the value as text; with --absent the value alone.")
	private List<String> words = List.of();

	CasCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		int before = this.isAbsent ? 0 : 1;
		if (this.words.size() < before || this.words.size() > before + 1) {
			throw new CommandException(ExitCode.MISUSED, "write KEY ETAG [VALUE], or --absent KEY [VALUE]");
		}
		String etag = this.isAbsent ? null : etag(this.words.getFirst());
		String value = (this.words.size() > before) ? this.words.getLast() : null;
		Put put = put(this.options.bytes(value, this.terminal), etag);
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			Written written = cluster.call((client) -> client.put(put));
			if (this.output == OutputFormat.RAW) {
				this.terminal.out().println(written.etag());
			}
			else {
				WrittenKeys.print(this.key, Answers.CREATED, written.etag(), this.output, this.terminal);
			}
		}
		return ExitCode.DONE;
	}

	/* A shell takes the quotes of an ETag for its own. */
	private static String etag(String text) {
		String quoted = text.startsWith("\"") ? text : "\"" + text + "\"";
		if (!VERSION.matcher(quoted).matches()) {
			throw new CommandException(ExitCode.MISUSED,
					"'" + text + "' is no ETAG: write one that 'quorate get KEY -o json' prints");
		}
		return quoted;
	}

	private Put put(byte[] value, @Nullable String etag) {
		Put put = (etag != null) ? Put.of(this.key, value).ifMatch(etag) : Put.of(this.key, value).ifAbsent();
		Duration time = this.options.timeToLive();
		String type = this.options.contentType();
		put = (time != null) ? put.ttl(time) : put;
		return (type != null) ? put.contentType(type) : put;
	}

}
