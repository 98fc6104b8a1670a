package io.quorate.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

import io.quorate.client.HostileServer.Script;

/** Answers of nodes, of proxies, and of what is neither. */
final class Scripts {

	static final Script ABSENT = problem(404, "not-found");

	static final Script CUT = (connection, request) -> connection.cut();

	static final Script STAND_STILL = (connection, request) -> connection.standStill();

	static final Script BAD_GATEWAY = answer(502, "Bad Gateway", "Content-Type: text/html");

	private Scripts() {
	}

	static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	static String head(int status, String... fields) {
		StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Whatever\r\n");
		for (String field : fields) {
			head.append(field).append("\r\n");
		}
		return head.append("\r\n").toString();
	}

	/** Returns a script that sends a whole answer. */
	static Script answer(int status, String body, String... fields) {
		byte[] bytes = bytes(body);
		String[] all = Arrays.copyOf(fields, fields.length + 1);
		all[fields.length] = "Content-Length: " + bytes.length;
		ByteArrayOutputStream whole = new ByteArrayOutputStream();
		whole.writeBytes(bytes(head(status, all)));
		whole.writeBytes(bytes);
		return (connection, request) -> connection
			.send(request.method().equals("HEAD") ? bytes(head(status, all)) : whole.toByteArray());
	}

	static Script written() {
		return answer(201, "", "ETag: \"1\"");
	}

	static Script deleted() {
		return answer(202, "", "ETag: \"1\"");
	}

	static Script value(String body, String... fields) {
		String[] all = Arrays.copyOf(fields, fields.length + 2);
		all[fields.length] = "ETag: \"1\"";
		all[fields.length + 1] = "Content-Type: text/plain";
		return answer(200, body, all);
	}

	static String document(int status, String name, String more) {
		return "{\"type\":\"urn:quorate:problem:" + name + "\",\"title\":\"T\",\"status\":" + status
				+ ",\"detail\":\"D\",\"instance\":\"/v0/entity\"" + more + "}\n";
	}

	static Script problem(int status, String name, String... fields) {
		return problemWith(status, name, "", fields);
	}

	static Script problemWith(int status, String name, String more, String... fields) {
		String[] all = Arrays.copyOf(fields, fields.length + 2);
		all[fields.length] = "Content-Type: application/problem+json";
		all[fields.length + 1] = "Cache-Control: no-store";
		return answer(status, document(status, name, more), all);
	}

	static Script sends(String text) {
		return (connection, request) -> connection.send(bytes(text));
	}

	/**
	 * Returns a script that sends the beginning of an answer, and ends the connection.
	 */
	static Script cutAfter(String text) {
		return (connection, request) -> {
			connection.send(bytes(text));
			connection.close();
		};
	}

	static Script standStillAfter(String text) {
		return (connection, request) -> {
			connection.send(bytes(text));
			connection.standStill();
		};
	}

	static Script late(long millis, Script script) {
		return (connection, request) -> {
			connection.pause(millis);
			script.answer(connection, request);
		};
	}

	/**
	 * Returns a script that sends byte by byte: never silent for long, and never done in
	 * time.
	 */
	static Script trickle(String text, long millis, int atOnce) {
		return (connection, request) -> {
			byte[] bytes = bytes(text);
			connection.send(Arrays.copyOf(bytes, atOnce));
			for (int i = atOnce; i < bytes.length; i++) {
				connection.send(new byte[] { bytes[i] });
				connection.pause(millis);
			}
		};
	}

	static String chunks(String... chunks) {
		StringBuilder encoded = new StringBuilder();
		for (String chunk : chunks) {
			encoded.append(Integer.toHexString(bytes(chunk).length)).append("\r\n").append(chunk).append("\r\n");
		}
		return encoded.toString();
	}

	/** Returns the beginning of an answer of JSON lines, without its last chunk. */
	static String begunLines(String... lines) {
		StringBuilder answer = new StringBuilder(
				head(200, "Content-Type: application/x-ndjson", "Transfer-Encoding: chunked"));
		for (String line : lines) {
			answer.append(chunks(line + "\n"));
		}
		return answer.toString();
	}

	/** Returns a whole answer of JSON lines. */
	static String lines(String... lines) {
		return begunLines(lines) + "0\r\n\r\n";
	}

	/** Returns what is no answer to any request. */
	static Map<String, Script> noAnswers() {
		Map<String, Script> scripts = new LinkedHashMap<>();
		scripts.put("the connection is reset", CUT);
		scripts.put("no byte comes", STAND_STILL);
		scripts.put("it is no HTTP", sends("\u0015\u0003\u0001\u0000\u0002\u0002(\r\n\r\n"));
		scripts.put("500", problem(500, "internal-error"));
		scripts.put("504",
				problemWith(504, "not-enough-replicas", ",\"required\":2,\"acknowledged\":1,\"outcome\":\"unknown\""));
		scripts.put("502 of a proxy", BAD_GATEWAY);
		scripts.put("200 of a proxy", answer(200, "<html>", "Content-Type: text/html"));
		return scripts;
	}

}
