package io.quorate.client.cluster;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.client.Entity;
import io.quorate.client.OutcomeUnknownException;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.RangeIterator;
import io.quorate.client.RangeQuery;
import io.quorate.client.RangeRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads and writes at a steady rate, whatever becomes of those before: each write of a
 * key of its own, each read of a key whose write was acknowledged.
 */
final class Load implements AutoCloseable {

	private final QuorateAsyncClient client;

	private final List<String> urls;

	private final String prefix;

	private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

	private final Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();

	private final Map<Integer, Boolean> unknown = new ConcurrentHashMap<>();

	private final Queue<String> faults = new ConcurrentLinkedQueue<>();

	private final AtomicInteger underWay = new AtomicInteger();

	private final AtomicInteger reads = new AtomicInteger();

	private volatile int last = -1;

	private volatile int next;

	Load(List<String> urls, String prefix, int perSecond) {
		this.client = QuorateAsyncClient.builder()
			.endpoints(urls)
			.options((options) -> options.stallTimeout(Duration.ofSeconds(3 * Processes.SLOWNESS))
				.nodeTimeout(Duration.ofSeconds(4 * Processes.SLOWNESS))
				.deadline(Duration.ofSeconds(30 * Processes.SLOWNESS)))
			.buildAsync();
		this.urls = urls;
		this.prefix = prefix + "load/";
		var unused = this.clock.scheduleAtFixedRate(this::writeAndRead, 0, 2_000_000_000L / perSecond,
				TimeUnit.NANOSECONDS);
	}

	private void writeAndRead() {
		int number = this.next;
		this.next = number + 1;
		this.underWay.addAndGet(2);
		var unusedWrite = this.client.put(key(number), "value " + number).whenComplete((written, error) -> {
			if (error == null) {
				this.acknowledged.add(number);
				this.last = number;
			}
			else if (error instanceof OutcomeUnknownException) {
				this.unknown.put(number, true);
			}
			else {
				this.faults.add("write " + number + ": " + error);
			}
			this.underWay.decrementAndGet();
		});
		int bound = this.last;
		int read = (bound > 0 && ThreadLocalRandom.current().nextBoolean()) ? ThreadLocalRandom.current().nextInt(bound)
				: Math.max(0, bound);
		boolean isAcknowledged = this.acknowledged.contains(read);
		var unusedRead = this.client.get(key(read)).whenComplete((entity, error) -> {
			this.reads.incrementAndGet();
			if (error != null) {
				this.faults.add("read " + read + ": " + error);
			}
			else if (entity.isPresent() && !isOf(read, entity.get())) {
				this.faults.add("read " + read + ": " + entity);
			}
			else if (entity.isEmpty() && isAcknowledged) {
				this.faults.add("read " + read + ": no value of an acknowledged write");
			}
			this.underWay.decrementAndGet();
		});
	}

	private String key(int number) {
		return this.prefix + number;
	}

	private static boolean isOf(int number, Entity entity) {
		return entity.text().equals("value " + number);
	}

	int count() {
		return this.next;
	}

	int reads() {
		return this.reads.get();
	}

	int unknown() {
		return this.unknown.size();
	}

	int acknowledged() {
		return this.acknowledged.size();
	}

	/** Ends the load, and compares all keys with what is known of their writes. */
	List<String> faults() throws InterruptedException {
		this.clock.shutdown();
		assertThat(this.clock.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
		Cluster.await(() -> this.underWay.get() == 0);
		Map<String, String> stored = stored();
		for (int number : this.acknowledged) {
			if (!("value " + number).equals(stored.remove(key(number)))) {
				this.faults.add("lost: " + number);
			}
		}
		for (int number : this.unknown.keySet()) {
			String value = stored.remove(key(number));
			if (value != null && !value.equals("value " + number)) {
				this.faults.add("changed: " + number + ": " + value);
			}
		}
		stored.keySet().forEach((key) -> this.faults.add("never written: " + key));
		if (this.acknowledged.size() + this.unknown.size() != this.next) {
			this.faults.add(this.next + " writes are more than those with an outcome");
		}
		return List.copyOf(this.faults);
	}

	private Map<String, String> stored() {
		Map<String, String> stored = new HashMap<>();
		try (QuorateClient reader = QuorateClient.builder().endpoints(this.urls).build();
				RangeIterator<RangeRecord> range = reader.range(RangeQuery.prefix(this.prefix))) {
			range.forEachRemaining((each) -> stored.put(each.key(), each.text()));
		}
		return stored;
	}

	@Override
	public void close() {
		this.clock.shutdownNow();
		this.client.close();
	}

}
