package io.quorate.storage.memtable;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import io.quorate.entry.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** The lookup of keys whose hashes are no help. */
class KeyTableTests {

	private static final int KEYS = 500;

	/* So many that the table grows. */
	private static final int ALL_KEYS = KeyTable.LEAST_SLOTS;

	private static final int LINKED_BEFORE = 300_000;

	private final KeyNodes nodes = new KeyNodes();

	private final EntryBytes bytes = new EntryBytes();

	private final KeyOrder order = new KeyOrder(this.nodes, this.bytes, new SplittableRandom(7));

	private final KeyTable table = new KeyTable(this.nodes, this.bytes, this.order, 1, 42);

	@Test
	void keysOfOneHashAreFoundBeyondTheirSlots() {
		for (int i = 0; i < KEYS; i++) {
			assertThat(this.table.find(key(i), 5)).as("not yet: %d", i).isEqualTo(KeyNodes.HEAD);
			this.table.add(this.order.add(key(i)), 5);
			assertFound(i, 5);
		}
		for (int i = 0; i < KEYS; i++) {
			assertFound(i, 5);
		}
	}

	/** As the table grows those find room that had none. */
	@Test
	void keysWithoutASlotAreFoundWhenTheTableHasGrown() {
		for (int i = 0; i < KEYS; i++) {
			this.table.add(this.order.add(key(i)), 5);
		}
		for (int i = KEYS; i < ALL_KEYS; i++) {
			this.table.add(this.order.add(key(i)), key(i).hash64());
		}
		for (int i = 0; i < ALL_KEYS; i++) {
			assertFound(i, (i < KEYS) ? 5 : key(i).hash64());
		}
	}

	/** From the last slots a key goes on at the first ones. */
	@Test
	void theFirstSlotsFollowTheLast() {
		// Hashes that all spread to the last slot of the smallest table.
		RandomGenerator random = new SplittableRandom(11);
		List<Long> hashes = Stream.generate(random::nextLong)
			.filter((hash) -> KeyTable.slot(this.table.tag(hash), KeyTable.LEAST_SLOTS) == KeyTable.LEAST_SLOTS - 1)
			.limit(KeyTable.LONGEST_RUN / 2)
			.toList();
		for (int i = 0; i < hashes.size(); i++) {
			this.table.add(this.order.add(key(i)), hashes.get(i));
		}
		for (int i = 0; i < hashes.size(); i++) {
			assertFound(i, hashes.get(i));
		}
		assertThat(this.table.find(key(hashes.size()), hashes.getFirst())).isEqualTo(KeyNodes.HEAD);
	}

	/** Growing puts all keys into another table, which nobody sees before it has them. */
	@Test
	@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // it spins
	void aKeyIsFoundAllTheTimeWhileTheTableGrows() throws Exception {
		long hash = key(0).hash64();
		this.table.add(this.order.add(key(0)), hash);
		CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
			for (int i = 1; i < ALL_KEYS; i++) {
				this.table.add(this.order.add(key(i)), key(i).hash64());
			}
		});
		int missed = 0;
		while (!writer.isDone() && !Thread.currentThread().isInterrupted()) {
			missed += (this.table.find(key(0), hash) == KeyNodes.HEAD) ? 1 : 0;
		}
		writer.get(1, TimeUnit.MINUTES);
		assertThat(missed).isZero();
		assertThat(this.table.grownBytes()).isPositive();
	}

	/** Who has to look it up in the order reads links that change meanwhile. */
	@Test
	@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // it spins
	void aKeyWithoutASlotIsFoundWhileOthersAreLinkedBeforeIt() throws Exception {
		for (int i = 0; i < KeyTable.LONGEST_RUN; i++) {
			this.table.add(this.order.add(Key.of("z%02d".formatted(i))), 5);
		}
		Key key = Key.of("b");
		int node = this.order.add(key);
		this.table.add(node, 5);
		CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
			for (int i = 0; i < LINKED_BEFORE; i++) {
				this.order.add(Key.of("a%07d".formatted(i)));
			}
		});
		int missed = 0;
		int looked = 0;
		while (!writer.isDone() && !Thread.currentThread().isInterrupted()) {
			missed += (this.table.find(key, 5) == node) ? 0 : 1;
			looked++;
		}
		writer.get(1, TimeUnit.MINUTES);
		assertThat(missed).as("of %d", looked).isZero();
		assertThat(this.table.find(key, 5)).isEqualTo(node);
	}

	@Test
	void whereAKeyStandsDependsOnTheSalt() {
		KeyTable other = new KeyTable(this.nodes, this.bytes, this.order, 1, 43);
		assertThat(other.tag(5)).isNotEqualTo(this.table.tag(5));
	}

	private void assertFound(int number, long hash) {
		int node = this.table.find(key(number), hash);
		assertThat(node).as("key %d", number).isNotEqualTo(KeyNodes.HEAD);
		assertThat(this.bytes.key(this.nodes.key(node))).isEqualTo(key(number));
	}

	private static Key key(int number) {
		return Key.of("key-" + number);
	}

}
