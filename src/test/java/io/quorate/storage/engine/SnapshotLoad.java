package io.quorate.storage.engine;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageOverloadedException;

import static io.quorate.storage.engine.TestStores.await;

/** Writes number n to key n modulo the number of keys; every 7th is a deletion. */
final class SnapshotLoad {

	private final Supplier<LsmStore> store;

	final int number;

	volatile long begun;

	volatile long written;

	SnapshotLoad(int number, Supplier<LsmStore> store) {
		this.store = store;
		this.number = number;
	}

	void run(AtomicBoolean stopped) {
		while (!stopped.get()) {
			long next = this.begun + 1;
			this.begun = next;
			Entry entry = entry(next);
			boolean done = false;
			while (!done) {
				try {
					await(this.store.get().apply(key(next), entry, Runnable::run));
					done = true;
				}
				catch (StorageOverloadedException full) {
					LockSupport.parkNanos(100_000);
				}
			}
			this.written = next;
		}
	}

	Key key(long write) {
		return Key.of("w%d-%d".formatted(this.number, write % SnapshotTests.KEYS));
	}

	Entry entry(long write) {
		Timestamp stamp = new Timestamp(write, this.number);
		String text = write + "/";
		return (write % 7 == 0) ? new Entry.Tombstone(stamp, 1)
				: new Entry.Live(stamp, 1, Entry.NEVER,
						Value.copyOf((write % 5 == 0 ? text.repeat(SnapshotTests.LARGE / text.length()) : text)
							.getBytes(StandardCharsets.UTF_8)));
	}

	/** How many of its writes a store may have: the first ones, and none beyond. */
	List<Long> prefixesIn(LsmStore copy) {
		Map<Key, Entry> found = new TreeMap<>();
		for (int i = 0; i < SnapshotTests.KEYS; i++) {
			if (await(copy.read(key(i), Runnable::run)) instanceof ReadResult.Found(Entry entry)) {
				found.put(key(i), entry);
			}
		}
		long last = found.values().stream().mapToLong((entry) -> entry.timestamp().hybrid()).max().orElse(0);
		/* A deletion behind it is not seen. */
		return Stream.of(last, last + 1).filter((count) -> live(count).equals(found)).toList();
	}

	Map<Key, Entry> live(long count) {
		Map<Key, Entry> expected = new TreeMap<>();
		for (long write = Math.max(1, count - SnapshotTests.KEYS + 1); write <= count; write++) {
			if (entry(write) instanceof Entry.Live live) {
				expected.put(key(write), live);
			}
		}
		return expected;
	}

}
