package io.quorate.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The digest of a node's store, as the node itself reports it.
 *
 * @param entries number of all entries
 * @param tombstones number of tombstones among them
 * @param digest digest of all entries
 */
record StoreDigests(long entries, long tombstones, String digest) {

	private static final Pattern NUMBER = Pattern.compile("\"(entries|tombstones)\":(\\d+)");

	private static final Pattern DIGEST = Pattern.compile("\"digest\":\"(\\w+)\"");

	static StoreDigests of(NodeClient node) throws IOException, InterruptedException {
		HttpResponse<byte[]> answer = node.getPath("/actuator/digest");
		String text = NodeClient.text(answer);
		assertThat(answer.statusCode()).as(text).isEqualTo(200);
		long entries = 0;
		long tombstones = 0;
		Matcher number = NUMBER.matcher(text);
		while (number.find()) {
			long value = Long.parseLong(number.group(2));
			if (number.group(1).equals("entries")) {
				entries = value;
			}
			else {
				tombstones = value;
			}
		}
		Matcher digest = DIGEST.matcher(text);
		assertThat(digest.find()).as(text).isTrue();
		return new StoreDigests(entries, tombstones, digest.group(1));
	}

	/** Returns when all nodes of a cluster hold the same: what that is. */
	static StoreDigests awaitSame(ClusterProcesses cluster, Duration limit) {
		Map<String, StoreDigests> digests = new TreeMap<>();
		await().atMost(limit).pollInterval(Duration.ofMillis(250)).untilAsserted(() -> {
			for (String name : cluster.names()) {
				digests.put(name, of(cluster.client(name)));
			}
			assertThat(digests.values()).as("%s", digests).containsOnly(digests.get(cluster.names().getFirst()));
		});
		return digests.values().iterator().next();
	}

}
