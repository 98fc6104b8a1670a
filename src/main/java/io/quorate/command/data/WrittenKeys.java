package io.quorate.command.data;

import io.quorate.client.Answer;
import io.quorate.client.Request;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.TextTable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes of single keys, and the print of their result. */
final class WrittenKeys {

	private WrittenKeys() {
	}

	/**
	 * Sends a write.
	 * @throws io.quorate.command.terminal.CommandException unless a node has acknowledged
	 * it
	 */
	static void write(Cluster cluster, Request request, String key, OutputFormat output, Terminal terminal) {
		Answer answer = cluster.send(request, Answers::isWritten);
		if (output != OutputFormat.RAW) {
			print(key, answer.status(), String.valueOf(answer.field("ETag")), output, terminal);
		}
	}

	/** Prints the result of a write as JSON or as a table. */
	static void print(String key, int status, String etag, OutputFormat output, Terminal terminal) {
		if (output == OutputFormat.JSON) {
			ObjectNode line = JsonMapper.shared().createObjectNode();
			line.put("key", key).put("status", status).put("etag", etag);
			terminal.out().println(line);
		}
		else {
			TextTable table = new TextTable("KEY", "STATUS", "ETAG");
			table.add(key, Integer.toString(status), etag);
			table.print(terminal.out());
		}
	}

}
