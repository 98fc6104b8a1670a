package io.quorate.client;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.quorate.client.HostileServer.Connection;
import io.quorate.client.HostileServer.Received;
import io.quorate.client.HostileServer.Script;

/**
 * A node with keys, which answers ranges as nodes do, and breaks off as the test says.
 */
final class RangeStore implements Script {

	private final List<String> keys;

	private final Deque<Integer> breaks = new ArrayDeque<>();

	RangeStore(String... keys) {
		this.keys = Arrays.stream(keys).sorted().toList();
	}

	/** Has the next answer end after so many records. */
	RangeStore breaksAfter(int... records) {
		Arrays.stream(records).forEach(this.breaks::add);
		return this;
	}

	static String record(String key) {
		return record(key, "x");
	}

	static String record(String key, String value) {
		return "{\"key\":\"" + key + "\",\"etag\":\"\\\"1\\\"\",\"value\":\""
				+ Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)) + "\"}";
	}

	static String last(int records) {
		return "{\"last\":true,\"records\":" + records + "}";
	}

	static String last(int records, String cursor) {
		return "{\"last\":true,\"records\":" + records + ",\"next\":\"/v0/entities?cursor=" + cursor + "&limit=2\"}";
	}

	static Map<String, String> parameters(Received request) {
		Map<String, String> parameters = new HashMap<>();
		String query = request.target().substring(request.target().indexOf('?') + 1);
		for (String each : query.split("&", -1)) {
			String[] parts = each.split("=", 2);
			parameters.put(parts[0], URLDecoder.decode(parts[1].replace("+", "%2B"), StandardCharsets.UTF_8));
		}
		return parameters;
	}

	@Override
	public void answer(Connection connection, Received request) throws IOException {
		Map<String, String> asked = parameters(request);
		String cursor = asked.getOrDefault("cursor", "");
		boolean isReverse = asked.containsKey("reverse") || cursor.startsWith("-");
		List<String> found = this.keys.stream()
			.filter((key) -> key.compareTo(asked.getOrDefault("start", "")) >= 0
					&& key.compareTo(asked.getOrDefault("end", "~")) < 0
					&& key.startsWith(asked.getOrDefault("prefix", "")))
			.filter((key) -> cursor.isEmpty()
					|| (isReverse ? key.compareTo(cursor.substring(1)) < 0 : key.compareTo(cursor.substring(1)) > 0))
			.sorted(isReverse ? Comparator.<String>reverseOrder() : Comparator.<String>naturalOrder())
			.toList();
		int limit = Integer.parseInt(asked.getOrDefault("limit", "0"));
		List<String> page = found.stream().limit(limit).toList();
		Stream<String> records = page.stream().map(RangeStore::record);
		Integer end;
		synchronized (this) {
			end = this.breaks.poll();
		}
		if (end != null) {
			connection.send(Scripts.bytes(Scripts.begunLines(records.limit(end).toArray(String[]::new))));
			connection.cut();
			return;
		}
		String line = (page.size() < found.size())
				? last(page.size(), (isReverse ? "-" : "%2B") + page.get(page.size() - 1)) : last(page.size());
		connection.send(Scripts.bytes(Scripts.lines(Stream.concat(records, Stream.of(line)).toArray(String[]::new))));
	}

}
