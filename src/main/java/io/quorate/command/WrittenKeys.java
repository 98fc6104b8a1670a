package io.quorate.command;

import java.net.http.HttpResponse;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes of single keys, and the print of their result. */
final class WrittenKeys {

	private WrittenKeys() {
	}

	/**
	 * Sends a write.
	 * @throws CommandException unless a node has acknowledged it
	 */
	static void write(Cluster cluster, Call call, String key, OutputFormat output, Terminal terminal) {
		HttpResponse<byte[]> answer = cluster.send(call);
		if (!Answers.isWritten(answer)) {
			throw cluster.failure(call, answer);
		}
		if (output == OutputFormat.RAW) {
			return;
		}
		String etag = answer.headers().firstValue("ETag").orElse("");
		if (output == OutputFormat.JSON) {
			ObjectNode line = JsonMapper.shared().createObjectNode();
			line.put("key", key).put("status", answer.statusCode()).put("etag", etag);
			terminal.out().println(line);
		}
		else {
			TextTable table = new TextTable("KEY", "STATUS", "ETAG");
			table.add(key, Integer.toString(answer.statusCode()), etag);
			table.print(terminal.out());
		}
	}

}
