package io.quorate.storage;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.KeyRanges;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.storage.Arrivals.Name;
import io.quorate.storage.Arrivals.Page;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ArrivalsTests {

	private static final KeyRanges ALL = KeyRanges.of(List.of(ScanRange.ascending(Key.of("\0"), null)));

	private static final KeyRanges B = KeyRanges.of(List.of(ScanRange.ascending(Key.of("b"), Key.of("c"))));

	private static final int MANY = 100_000;

	private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(Arrivals.IDLE_MINUTES);

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1000);

	private final AtomicLong epochs = new AtomicLong(100);

	private final Arrivals arrivals = new Arrivals(10, this.nanos::get, this.epochs::incrementAndGet);

	private final List<String> woken = new ArrayList<>();

	@Test
	void aReaderThatAsksForThePresentFindsLaterArrivals() {
		arrive(11, "a");
		Page present = now();
		assertThat(present).isEqualTo(new Page(List.of(), 101, 11, false));
		arrive(12, "b");
		arrive(13, "c");
		assertThat(after(present)).isEqualTo(new Page(List.of(name(12, "b"), name(13, "c")), 101, 13, false));
		assertThat(this.arrivals.after(101, 12, ALL, MANY)).isEqualTo(new Page(List.of(name(13, "c")), 101, 13, false));
		assertThat(this.arrivals.after(101, 13, ALL, MANY)).isEqualTo(new Page(List.of(), 101, 13, false));
	}

	@Test
	void arrivalsOfOtherRangesAreLeftOutAndPassed() {
		Page present = now();
		arrive(11, "a");
		arrive(12, "b");
		arrive(13, "c");
		assertThat(this.arrivals.after(101, present.through(), B, MANY))
			.isEqualTo(new Page(List.of(name(12, "b")), 101, 13, false));
	}

	@Test
	void aNumberIsPassedThatIsNoArrival() {
		Page present = now();
		this.arrivals.arrived(17, List::of);
		assertThat(after(present)).isEqualTo(new Page(List.of(), 101, 17, false));
	}

	/* A batch may be written and not yet be readable when the first request comes. */
	@Test
	void aReaderThatAsksFirstWhileABatchIsWrittenMissesNothingOfIt() {
		Page present = now();
		this.arrivals.arrived(13, () -> List.of(name(11, "a"), name(13, "b")));
		assertThat(after(present).names()).containsExactly(name(11, "a"), name(13, "b"));
	}

	@Test
	void aBatchIsNotMadeUnlessArrivalsAreKept() {
		this.arrivals.arrived(11, () -> {
			throw new AssertionError("made");
		});
		assertThat(now().through()).isEqualTo(11);
	}

	@Test
	void aPageHasTheFirstOfManyArrivals() {
		Page present = now();
		for (int i = 11; i <= 20; i++) {
			arrive(i, "a" + i);
		}
		Page first = this.arrivals.after(101, present.through(), ALL, 3);
		assertThat(first.names()).extracting(Name::sequence).containsExactly(11L, 12L, 13L);
		assertThat(first.through()).isEqualTo(13);
		Page second = this.arrivals.after(101, first.through(), ALL, 3);
		assertThat(second.names()).extracting(Name::sequence).containsExactly(14L, 15L, 16L);
	}

	@Test
	void aRequestLooksThroughABoundedNumberOfArrivals() {
		Page present = now();
		int others = 2 * Arrivals.EXAMINED + 10;
		for (int i = 1; i <= others; i++) {
			arrive(10 + i, "a");
		}
		arrive(11 + others, "b");
		Page first = this.arrivals.after(101, present.through(), B, MANY);
		assertThat(first).isEqualTo(new Page(List.of(), 101, 10 + Arrivals.EXAMINED, false, true));
		Page second = this.arrivals.after(101, first.through(), B, MANY);
		assertThat(second).isEqualTo(new Page(List.of(), 101, 10 + 2 * Arrivals.EXAMINED, false, true));
		Page third = this.arrivals.after(101, second.through(), B, MANY);
		assertThat(third).isEqualTo(new Page(List.of(name(11 + others, "b")), 101, 11 + others, false));
	}

	@Test
	void aPageEndsAfterSomeBytesButHasOneArrival() {
		Page page = new Page(List.of(name(11, "a"), name(12, "b"), name(13, "c")), 101, 20, false);
		int each = name(11, "a").sizeBytes();
		assertThat(page.upTo(3 * each)).isSameAs(page);
		assertThat(page.upTo(3 * each - 1))
			.isEqualTo(new Page(List.of(name(11, "a"), name(12, "b")), 101, 12, false, true));
		assertThat(page.upTo(1)).isEqualTo(new Page(List.of(name(11, "a")), 101, 11, false, true));
	}

	@Test
	void aReaderThatIsBehindTheKeptArrivalsGetsAGap() {
		now();
		for (int i = 1; i <= Arrivals.KEPT + 5; i++) {
			arrive(10 + i, "a");
		}
		long last = 10 + Arrivals.KEPT + 5;
		assertThat(this.arrivals.after(101, 10, ALL, 1)).isEqualTo(new Page(List.of(), 101, last, true));
		assertThat(this.arrivals.after(101, 14, ALL, 1).isGap()).isTrue();
		assertThat(this.arrivals.after(101, 15, ALL, 1))
			.isEqualTo(new Page(List.of(name(16, "a")), 101, 16, false, true));
		assertThat(this.arrivals.after(101, last - 1, ALL, 2).names()).containsExactly(name(last, "a"));
	}

	@Test
	void aBatchOfMoreThanIsKeptIsAGapForAll() {
		Page present = now();
		long last = 10 + Arrivals.KEPT + 1;
		this.arrivals.arrived(last, () -> LongStream.rangeClosed(11, last).mapToObj((i) -> name(i, "a")).toList());
		assertThat(after(present)).isEqualTo(new Page(List.of(), 101, last, true));
		assertThat(this.arrivals.after(101, 11, ALL, 1).names()).containsExactly(name(12, "a"));
	}

	@Test
	void fewerArrivalsOfLongKeysAreKept() {
		now();
		Name longest = name(0, "k".repeat(Key.MAX_SIZE_BYTES));
		int kept = Arrivals.KEPT_BYTES / longest.sizeBytes();
		for (int i = 1; i <= kept + 1; i++) {
			arrive(10 + i, longest.key().toString());
		}
		assertThat(this.arrivals.after(101, 10, ALL, 1).isGap()).isTrue();
		assertThat(this.arrivals.after(101, 11, ALL, 1).names()).extracting(Name::sequence).containsExactly(12L);
	}

	@Test
	void aNumberOfAnotherEpochOrOfTheFutureIsAGap() {
		Page present = now();
		arrive(11, "a");
		assertThat(this.arrivals.after(100, present.through(), ALL, 1)).isEqualTo(new Page(List.of(), 101, 11, true));
		assertThat(this.arrivals.after(101, 12, ALL, 1)).isEqualTo(new Page(List.of(), 101, 11, true));
	}

	@Test
	void aNumberFromBeforeArrivalsWereKeptIsAGap() {
		arrive(11, "a");
		assertThat(this.arrivals.after(101, 10, ALL, 1)).isEqualTo(new Page(List.of(), 101, 11, true));
		arrive(12, "a");
		assertThat(this.arrivals.after(101, 10, ALL, 1).isGap()).isTrue();
		assertThat(this.arrivals.after(101, 11, ALL, 1).names()).containsExactly(name(12, "a"));
	}

	@Test
	void anotherEpochHasNothingOfTheOneBefore() {
		Page present = now();
		arrive(11, "a");
		wait("waiter", this.arrivals.after(101, 11, ALL, 1), ALL, 1000);
		this.arrivals.renew();
		assertThat(this.woken).containsExactly("waiter");
		assertThat(after(present)).isEqualTo(new Page(List.of(), 102, 11, true));
		assertThat(this.arrivals.after(102, 10, ALL, 1).isGap()).isTrue();
		arrive(12, "b");
		assertThat(this.arrivals.after(102, 11, ALL, 1).names()).containsExactly(name(12, "b"));
		assertThat(this.arrivals.after(102, 10, ALL, 1).isGap()).as("also when more has arrived").isTrue();
	}

	@Test
	void aReaderThatWaitsIsWokenOnceByAnArrivalInItsRanges() {
		wait("of b", now(), B, 1000);
		arrive(11, "a");
		this.arrivals.tick();
		assertThat(this.woken).isEmpty();
		arrive(12, "b");
		arrive(13, "b");
		this.arrivals.tick();
		assertThat(this.woken).containsExactly("of b");
	}

	@Test
	void aReaderThatIsWokenFindsTheArrival() {
		Page present = now();
		List<Page> found = new ArrayList<>();
		this.arrivals.await(present, ALL, this.nanos.get() + 1000, () -> found.add(after(present)));
		arrive(11, "a");
		assertThat(found).containsExactly(new Page(List.of(name(11, "a")), 101, 11, false));
	}

	@Test
	void aReaderThatWaitsIsWokenAtItsTimeAcrossTheEndOfTheClock() {
		wait("early", now(), ALL, 2000);
		wait("late", now(), ALL, 3000);
		this.nanos.addAndGet(1999);
		this.arrivals.tick();
		assertThat(this.woken).isEmpty();
		this.nanos.addAndGet(1);
		this.arrivals.tick();
		assertThat(this.woken).containsExactly("early");
		this.nanos.addAndGet(1000);
		this.arrivals.arrived(11, List::of);
		assertThat(this.woken).as("also by a batch").containsExactly("early", "late");
	}

	@Test
	void anArrivalSinceWakesAtOnce() {
		Page present = now();
		arrive(11, "a");
		wait("a", present, ALL, 1000);
		assertThat(this.woken).containsExactly("a");
		wait("b", present, B, 1000);
		assertThat(this.woken).as("that of another range does not").containsExactly("a");
	}

	@Test
	void anArrivalBehindManyOthersWakesAtOnce() {
		Page present = now();
		for (int i = 1; i <= Arrivals.EXAMINED; i++) {
			arrive(10 + i, "a");
		}
		arrive(11 + Arrivals.EXAMINED, "b");
		wait("b", present, B, 1000);
		assertThat(this.woken).containsExactly("b");
	}

	@Test
	void aReaderThatWouldMissAnArrivalIsWokenAtOnce() {
		now();
		wait("of another epoch", new Page(List.of(), 100, 10, false), ALL, 1000);
		wait("of the future", new Page(List.of(), 101, 11, false), ALL, 1000);
		wait("of before", new Page(List.of(), 101, 9, false), ALL, 1000);
		assertThat(this.woken).containsExactly("of another epoch", "of the future", "of before");
	}

	@Test
	void oneThatFailsWhenItIsWokenHoldsUpNobody() {
		this.arrivals.await(now(), ALL, this.nanos.get() + 1000, () -> {
			throw new IllegalStateException("planted");
		});
		wait("next", now(), ALL, 1000);
		arrive(11, "a");
		assertThat(this.woken).containsExactly("next");
	}

	@Test
	void aReaderThatHasLeftIsNotWoken() {
		Runnable leave = wait("left", now(), ALL, 1000);
		leave.run();
		leave.run();
		arrive(11, "a");
		this.nanos.addAndGet(2000);
		this.arrivals.tick();
		assertThat(this.woken).isEmpty();
	}

	@Test
	void beyondABoundNobodyWaits() {
		Page present = now();
		for (int i = 0; i < Arrivals.MOST_WAITERS; i++) {
			wait("waits", present, ALL, 1000);
		}
		assertThat(this.woken).isEmpty();
		wait("one more", present, ALL, 1000);
		assertThat(this.woken).containsExactly("one more");
	}

	@Test
	void arrivalsAreKeptUntilNobodyHasAskedForTenMinutes() {
		Page present = now();
		this.nanos.addAndGet(IDLE_NANOS);
		this.arrivals.tick();
		arrive(11, "a");
		assertThat(after(present).names()).containsExactly(name(11, "a"));
		this.nanos.addAndGet(IDLE_NANOS);
		this.arrivals.tick();
		arrive(12, "b");
		assertThat(after(present).names()).as("asked for since").hasSize(2);
		this.nanos.addAndGet(IDLE_NANOS + 1);
		this.arrivals.tick();
		arrive(13, "c");
		assertThat(this.arrivals.after(101, 12, ALL, 1)).isEqualTo(new Page(List.of(), 101, 13, true));
		arrive(14, "d");
		assertThat(this.arrivals.after(101, 13, ALL, 1).names()).as("kept again").containsExactly(name(14, "d"));
	}

	@Test
	void arrivalsAreKeptAsLongAsSomebodyWaits() {
		Page present = now();
		wait("patient", present, ALL, 2 * IDLE_NANOS);
		this.nanos.addAndGet(IDLE_NANOS + 1);
		this.arrivals.tick();
		arrive(11, "a");
		assertThat(this.woken).containsExactly("patient");
		assertThat(after(present).names()).containsExactly(name(11, "a"));
	}

	/** Each reader begins at some time, and each sees all from then on, once. */
	@Test
	void readersBesideTheWriterMissNothing() throws Exception {
		int batches = 20_000;
		long last = 10L + 3L * batches;
		List<Long> expected = new ArrayList<>();
		try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
			List<Future<List<Long>>> readers = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				readers.add(threads.submit(() -> read(last)));
			}
			long sequence = 10;
			for (int batch = 0; batch < batches; batch++) {
				List<Name> names = new ArrayList<>();
				for (int i = 0; i < 3; i++) {
					sequence++;
					String key = (sequence % 7 == 0 || sequence == last) ? "b" : "a";
					names.add(name(sequence, key));
					if (key.equals("b")) {
						expected.add(sequence);
					}
				}
				this.arrivals.arrived(sequence, () -> names);
			}
			for (Future<List<Long>> reader : readers) {
				List<Long> seen = reader.get(1, TimeUnit.MINUTES);
				long first = seen.removeFirst();
				assertThat(seen).isEqualTo(expected.stream().filter((number) -> number > first).toList());
			}
		}
	}

	/* The number at which it began, and then what it was told of. */
	private List<Long> read(long last) throws InterruptedException {
		Page page = now();
		List<Long> seen = new ArrayList<>(List.of(page.through()));
		while (page.through() < last) {
			CountDownLatch wake = new CountDownLatch(1);
			this.arrivals.await(page, B, this.nanos.get() + 1, wake::countDown);
			assertThat(wake.await(1, TimeUnit.MINUTES)).as("woken").isTrue();
			page = this.arrivals.after(page.epoch(), page.through(), B, 5);
			if (page.isGap()) {
				seen.clear();
				seen.add(page.through());
			}
			page.names().forEach((name) -> seen.add(name.sequence()));
		}
		return seen;
	}

	private Runnable wait(String who, Page known, KeyRanges ranges, long forNanos) {
		return this.arrivals.await(known, ranges, this.nanos.get() + forNanos, () -> this.woken.add(who));
	}

	private Page now() {
		return this.arrivals.after(0, Arrivals.NOW, ALL, MANY);
	}

	private Page after(Page page) {
		return this.arrivals.after(page.epoch(), page.through(), ALL, MANY);
	}

	private void arrive(long sequence, String key) {
		this.arrivals.arrived(sequence, () -> List.of(name(sequence, key)));
	}

	private static Name name(long sequence, String key) {
		return new Name(Key.of(key), sequence,
				new Summary(Timestamp.ofMillis(sequence), false, 3, Entry.NEVER, (int) sequence));
	}

}
