package io.quorate.process;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.quorate.client.RangeIterator;
import io.quorate.client.RangeQuery;
import io.quorate.client.RangeRecord;

import static org.assertj.core.api.Assertions.assertThat;

/** The keys of some workers, of which each has its own. */
final class KeyHistories {

	/** The part that all keys begin with. */
	static final String PREFIX = "worker-";

	private final List<List<KeyHistory>> keys;

	private KeyHistories(List<List<KeyHistory>> keys) {
		this.keys = keys;
	}

	/** So many keys for each of so many workers. */
	static KeyHistories of(int workers, int keysPerWorker) {
		return new KeyHistories(IntStream.range(0, workers)
			.mapToObj((worker) -> IntStream.range(0, keysPerWorker)
				.mapToObj((number) -> new KeyHistory(PREFIX + "%d-key-%03d".formatted(worker, number)))
				.toList())
			.toList());
	}

	/** The keys of one worker. */
	List<KeyHistory> of(int worker) {
		return this.keys.get(worker);
	}

	/** Reads every key, each worker through a client of its own, and settles it. */
	void settle(Duration limit, IntFunction<NodeClient> clients) throws InterruptedException {
		Workers.run(this.keys.size(), limit, (worker) -> {
			NodeClient client = clients.apply(worker).patient();
			for (KeyHistory key : of(worker)) {
				key.settle(client.get(key.key()));
			}
		});
	}

	/** Requires that a scan of all keys, once settled, shows what they hold. */
	void requireTheScanToAgree(NodeClient client) {
		try (RangeIterator<RangeRecord> scan = client.range(RangeQuery.prefix(PREFIX).pageSize(Integer.MAX_VALUE))) {
			for (KeyHistory key : this.keys.stream()
				.flatMap(List::stream)
				.sorted(Comparator.comparing(KeyHistory::key))
				.toList()) {
				byte[] value = key.settled();
				if (value != null) {
					RangeRecord record = scan.next();
					assertThat(record.key()).isEqualTo(key.key());
					assertThat(record.value()).as(key.key()).isEqualTo(value);
				}
			}
			assertThat(scan.hasNext()).as("a record behind the last one").isFalse();
		}
	}

}
