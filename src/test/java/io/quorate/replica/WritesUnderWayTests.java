package io.quorate.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WritesUnderWayTests {

	private final WritesUnderWay writes = new WritesUnderWay();

	@Test
	void aBarrierPassesAtOnceWithoutWrites() {
		assertThat(this.writes.barrier().isPassed()).isTrue();
		assertThat(this.writes.barrier().isPassed()).isTrue();
	}

	@Test
	void aBarrierWaitsForTheWritesOfBeforeOnly() {
		WritesUnderWay.Phase first = this.writes.begin();
		WritesUnderWay.Phase second = this.writes.begin();
		WritesUnderWay.Barrier barrier = this.writes.barrier();
		assertThat(barrier.isPassed()).isFalse();
		first.end();
		assertThat(barrier.isPassed()).isFalse();
		second.end();
		assertThat(barrier.isPassed()).isTrue();
		this.writes.begin();
		assertThat(barrier.isPassed()).isTrue();
		assertThat(this.writes.barrier().isPassed()).isFalse();
	}

	@Test
	void aBarrierWaitsForWhatACheckOfBeforeLetsIn() {
		WritesUnderWay.Phase check = this.writes.begin();
		WritesUnderWay.Barrier barrier = this.writes.barrier();
		WritesUnderWay.Phase letIn = this.writes.begin();
		check.end();
		assertThat(barrier.isPassed()).isFalse();
		letIn.end();
		assertThat(barrier.isPassed()).isTrue();
	}

	@Test
	void aLaterBarrierWaitsForAllAnEarlierOneWaitedFor() {
		WritesUnderWay.Phase old = this.writes.begin();
		this.writes.barrier();
		WritesUnderWay.Phase between = this.writes.begin();
		WritesUnderWay.Barrier later = this.writes.barrier();
		between.end();
		assertThat(later.isPassed()).isFalse();
		old.end();
		assertThat(later.isPassed()).isTrue();
	}

	@Test
	void aLaterBarrierWaitsForWhatACheckOfBeforeBothLetsIn() {
		WritesUnderWay.Phase check = this.writes.begin();
		this.writes.barrier();
		WritesUnderWay.Barrier later = this.writes.barrier();
		assertThat(later.isPassed()).isFalse();
		WritesUnderWay.Phase letIn = this.writes.begin();
		check.end();
		assertThat(later.isPassed()).isFalse();
		letIn.end();
		assertThat(later.isPassed()).isTrue();
	}

	@Test
	void aBarrierNeverPassesBeforeAWriteThatBeganBefore() {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		Deque<WritesUnderWay.Phase> underWay = new ArrayDeque<>();
		for (int round = 0; round < 2000; round++) {
			begin(random.nextInt(5), underWay);
			List<WritesUnderWay.Phase> before = new ArrayList<>(underWay);
			WritesUnderWay.Barrier barrier = this.writes.barrier();
			while (!before.isEmpty()) {
				assertThat(barrier.isPassed()).as("seed %d, round %d", seed, round).isFalse();
				begin(random.nextInt(2), underWay);
				WritesUnderWay.Phase ended = before.remove(random.nextInt(before.size()));
				underWay.remove(ended);
				ended.end();
			}
			while (!underWay.isEmpty()) {
				underWay.poll().end();
			}
			assertThat(barrier.isPassed()).as("seed %d, round %d", seed, round).isTrue();
		}
	}

	private void begin(int count, Deque<WritesUnderWay.Phase> underWay) {
		for (int i = 0; i < count; i++) {
			underWay.add(this.writes.begin());
		}
	}

	/*
	 * Writers check a fence as requests do. After the barrier nothing may be written that
	 * passed the fence of before.
	 */
	@RepeatedTest(3)
	void aWriterOnAnotherThreadIsNeverMissed() throws InterruptedException {
		AtomicLong fence = new AtomicLong();
		AtomicLong behind = new AtomicLong();
		AtomicInteger late = new AtomicInteger();
		AtomicBoolean stop = new AtomicBoolean();
		List<Thread> writers = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			writers.add(Thread.ofPlatform().start(() -> {
				while (!stop.get()) {
					write(fence, behind, late);
				}
			}));
		}
		for (int version = 1; version <= 2000; version++) {
			fence.set(version);
			WritesUnderWay.Barrier barrier = this.writes.barrier();
			while (!barrier.isPassed()) {
				Thread.onSpinWait();
			}
			behind.set(version);
		}
		stop.set(true);
		for (Thread writer : writers) {
			writer.join();
		}
		assertThat(late).hasValue(0);
	}

	private void write(AtomicLong fence, AtomicLong behind, AtomicInteger late) {
		WritesUnderWay.Phase check = this.writes.begin();
		long planned = fence.get();
		WritesUnderWay.Phase write = this.writes.begin();
		check.end();
		Thread.onSpinWait();
		if (behind.get() > planned) {
			late.incrementAndGet();
		}
		write.end();
	}

}
