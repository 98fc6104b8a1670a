package io.quorate.process;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A scan through any node covers the whole cluster, each key with its quorum: in order,
 * once, and never with what a lagging replica still has.
 */
class ClusterScanIT extends SharedCluster {

	private static final int SMALL = 300;

	private static final int LARGE = 240;

	private static final int LARGE_BYTES = 128 * 1024;

	private final SplittableRandom random = new SplittableRandom(Scale.seed("ClusterScanIT"));

	@Test
	void aScanThroughAnyNodeHasTheWholeCluster() throws Exception {
		NavigableMap<String, byte[]> records = new TreeMap<>();
		change("scan-any-", records);
		for (String node : this.cluster.names()) {
			requireRecords("scan-any-", records, node);
		}
	}

	@Test
	void aScanDoesNotNeedTheNodeThatIsDown() throws Exception {
		NavigableMap<String, byte[]> records = new TreeMap<>();
		change("scan-down-", records);
		this.cluster.kill9("n0");
		for (String node : this.cluster.others("n0")) {
			requireRecords("scan-down-", records, node);
		}
	}

	@Test
	void aScanDoesNotNeedTheNodeThatIsFrozen() throws Exception {
		NavigableMap<String, byte[]> records = new TreeMap<>();
		change("scan-frozen-", records);
		this.cluster.freeze("n1");
		for (String node : this.cluster.others("n1")) {
			requireRecords("scan-frozen-", records, node);
		}
	}

	@Test
	void aScanNeverReturnsStaleEntriesOfANodeThatWasDown() throws Exception {
		NavigableMap<String, byte[]> records = new TreeMap<>();
		change("scan-missed-", records);
		this.cluster.kill9("n2");
		change("scan-missed-", records, "n0", "n1");
		this.cluster.restart("n2");
		this.cluster.awaitConnected();
		requireRecords("scan-missed-", records, "n2");
		for (String node : this.cluster.others("n2")) {
			requireRecords("scan-missed-", records, node);
		}
		for (int number = 0; number < SMALL; number++) {
			byte[] expected = records.get(key("scan-missed-", number));
			NodeAnswer answer = this.cluster.client("n2").get(key("scan-missed-", number));
			assertThat(answer.statusCode()).isEqualTo((expected != null) ? 200 : 404);
		}
	}

	@Test
	void aScanGoesOnWhenANodeIsLostInItsMiddle() throws Exception {
		NavigableMap<String, byte[]> records = large("scan-middle-");
		for (boolean freeze : new boolean[] { false, true }) {
			try (InputStream answer = this.cluster.client("n0").with("replicas=2/3").scanPrefix("scan-middle-");
					BufferedInputStream scan = new BufferedInputStream(answer)) {
				Iterator<Map.Entry<String, byte[]>> left = records.entrySet().iterator();
				requireNext(scan, left, LARGE / 10);
				if (freeze) {
					this.cluster.freeze("n1");
				}
				else {
					this.cluster.kill9("n1");
				}
				requireNext(scan, left, LARGE - LARGE / 10);
				assertThat(scan.read()).as("the end of the scan").isNegative();
			}
			this.cluster.heal();
		}
	}

	@Test
	void aScanThatLosesItsQuorumIsBrokenOff() throws Exception {
		NavigableMap<String, byte[]> records = large("scan-lost-");
		try (InputStream answer = this.cluster.client("n2").with("replicas=2/3").scanPrefix("scan-lost-");
				BufferedInputStream scan = new BufferedInputStream(answer)) {
			Iterator<Map.Entry<String, byte[]>> left = records.entrySet().iterator();
			requireNext(scan, left, LARGE / 10);
			this.cluster.kill9("n0");
			this.cluster.kill9("n1");
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
				while (left.hasNext()) {
					requireNext(scan, left, 1);
				}
				assertThat(scan.read()).as("the end of a scan that cannot be complete").isNotNegative();
			});
			assertThat(left.hasNext()).as("the scan was broken off before its end").isTrue();
		}
		HttpResponse<InputStream> refused = this.cluster.client("n2")
			.with("replicas=2/3")
			.openRange("prefix=scan-lost-");
		try (InputStream body = refused.body()) {
			assertThat(refused.statusCode()).isEqualTo(504);
			assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8))
				.contains("\"title\":\"Not Enough Replicas\"");
		}
	}

	/** Puts, overwrites and deletes through nodes at random. */
	private void change(String prefix, Map<String, byte[]> records, String... through) throws Exception {
		String[] nodes = (through.length > 0) ? through : this.cluster.names().toArray(String[]::new);
		for (int number = 0; number < SMALL; number++) {
			String key = key(prefix, number);
			NodeClient client = this.cluster.client(nodes[this.random.nextInt(nodes.length)]);
			if (this.random.nextInt(4) == 0) {
				assertThat(client.delete(key).statusCode()).isEqualTo(202);
				records.remove(key);
			}
			else {
				byte[] value = Contents.of(key, this.random.nextLong(), this.random.nextInt(300));
				assertThat(client.put(key, value).statusCode()).isEqualTo(201);
				records.put(key, value);
			}
		}
	}

	/* More than sockets and buffers on the way to the client can hold. */
	private NavigableMap<String, byte[]> large(String prefix) throws Exception {
		NavigableMap<String, byte[]> records = new TreeMap<>();
		for (int number = 0; number < LARGE; number++) {
			String key = key(prefix, number);
			byte[] value = Contents.of(key, 0, LARGE_BYTES);
			assertThat(this.cluster.client("n" + number % 3).put(key, value).statusCode()).isEqualTo(201);
			records.put(key, value);
		}
		return records;
	}

	private void requireRecords(String prefix, NavigableMap<String, byte[]> records, String node) throws Exception {
		try (InputStream answer = this.cluster.client(node).scanPrefix(prefix);
				BufferedInputStream scan = new BufferedInputStream(answer)) {
			requireNext(scan, records.entrySet().iterator(), records.size());
			assertThat(scan.read()).as("the end of the scan through %s", node).isNegative();
		}
	}

	private static void requireNext(InputStream scan, Iterator<Map.Entry<String, byte[]>> records, int count)
			throws IOException {
		for (int i = 0; i < count; i++) {
			Map.Entry<String, byte[]> record = records.next();
			assertThat(ScanReader.key(scan)).isEqualTo(record.getKey());
			assertThat(scan.readNBytes(record.getValue().length)).as(record.getKey()).isEqualTo(record.getValue());
		}
	}

	private static String key(String prefix, int number) {
		return "%s%04d".formatted(prefix, number);
	}

}
