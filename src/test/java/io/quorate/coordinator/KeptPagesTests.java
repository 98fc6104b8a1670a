package io.quorate.coordinator;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Value;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** Pages of a scan whose caller keeps those before. */
class KeptPagesTests extends QuorumScanFixture {

	@Test
	void pagesThatTheCallerKeepsGoOnCounting() {
		for (int i = 0; i < 6; i++) {
			hold(new Entry.Live(Timestamp.ofMillis(10), 3, Entry.NEVER, Value.wrap(new byte[50_000])), "k" + (10 + i),
					this.a, this.b, this.c);
		}
		List.of(this.a, this.b, this.c).forEach((node) -> node.store.mostOnAPage = 2);
		RangeScan scan = scan(MAJORITY, this.a, this.b, this.c);
		for (int pages = 1; pages <= 3; pages++) {
			StepVerifier.create(scan.nextPage(true)).expectNextCount(1).verifyComplete();
			assertThat(this.admission.bytes()).isEqualTo(pages * 100_006L);
		}
		StepVerifier.create(scan.nextPage(false)).verifyComplete();
		assertThat(this.admission.bytes()).isZero();
	}

	@Test
	void pagesThatTheCallerKeepsHaveOneDeadline() {
		fill(3000, this.a, this.b, this.c);
		AtomicLong nanos = new AtomicLong();
		DeadlineSweep sweep = new DeadlineSweep(Runnable::run, nanos::get, this.lines.held::clear);
		FixedLists lists = lists(this.a, this.b, this.c);
		QuorumScan scan = new QuorumScan(readServices(() -> lists, sweep),
				request("a", null, Long.MAX_VALUE, new Consistency(3, 3)));
		StepVerifier.create(scan.nextPage()).expectNextCount(1).verifyComplete();
		nanos.set(TIMEOUT.toNanos() - 1);
		this.lines.held.add("b");
		StepVerifier.create(scan.nextPage(true)).then(() -> {
			nanos.set(TIMEOUT.toNanos());
			sweep.sweep();
		}).verifyError(QuorumNotReachedException.class);
	}

}
