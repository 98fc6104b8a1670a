package io.quorate.repair.comparison;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;

/** Nodes, keys and entries for tests of comparisons. */
final class Fixture {

	static final Ring THREE = ring(3, 3);

	private Fixture() {
	}

	static Ring ring(int members, int replicationFactor) {
		List<Member> all = new ArrayList<>();
		for (int i = 0; i < members; i++) {
			all.add(Member.of("n" + i));
		}
		return Ring.of(all, replicationFactor);
	}

	static Round roundAt(long millis) {
		return new Round(Timestamp.hybridOfMillis(millis + 5_000), Timestamp.hybridOfMillis(millis));
	}

	static Key key(int number) {
		return Key.of("key-%07d".formatted(number));
	}

	static Entry live(long millis, int from) {
		return new Entry.Live(Timestamp.ofMillis(millis), from, Entry.NEVER,
				Value.wrap(("value-" + millis).getBytes(StandardCharsets.UTF_8)));
	}

	static Entry tombstone(long millis, int from) {
		return new Entry.Tombstone(Timestamp.ofMillis(millis), from);
	}

	/** The other node, reached without loss. */
	static PeerStore reached(Scope scope, SimulatedStore store) {
		ComparisonAnswers comparisonAnswers = new ComparisonAnswers(scope, store);
		return new PeerStore() {

			@Override
			public ComparisonResult compare(List<RangeHash> ranges) {
				return comparisonAnswers.compare(ranges);
			}

			@Override
			public HeaderPage headers(Key start, @Nullable Key end) {
				return comparisonAnswers.headers(start, end);
			}

			@Override
			public ScanPage fetch(List<Key> keys) {
				return comparisonAnswers.fetch(keys);
			}

			@Override
			public void apply(List<Item> entries) {
				store.apply(entries);
			}

		};
	}

	/** Counts what a pass does. */
	static final class Counted implements PassObserver {

		long keysRead;

		int rangesDiffering;

		long hashBytes;

		long headerBytes;

		long entryBytes;

		int answers;

		int sent;

		int received;

		long compared;

		@Override
		public void read(int keys, long bytes) {
			this.keysRead += keys;
		}

		@Override
		public void differing(int ranges) {
			this.rangesDiffering += ranges;
		}

		@Override
		public void transferred(Kind kind, long bytes) {
			switch (kind) {
				case HASHES -> this.hashBytes += bytes;
				case HEADERS -> this.headerBytes += bytes;
				case ENTRIES -> this.entryBytes += bytes;
			}
		}

		@Override
		public void answered() {
			this.answers++;
		}

		@Override
		public void sent(int entries) {
			this.sent += entries;
		}

		@Override
		public void compared(long entries) {
			this.compared += entries;
		}

		@Override
		public void received(int entries) {
			this.received += entries;
		}

	}

}
