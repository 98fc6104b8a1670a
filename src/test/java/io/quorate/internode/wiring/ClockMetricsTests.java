package io.quorate.internode.wiring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClockMetricsTests {

	private static final long NOW = 1_800_000_000_000L;

	private final AtomicLong own = new AtomicLong(NOW);

	private final AtomicLong nanos = new AtomicLong(77_000_000_000L);

	private final SkewJudge judge = new SkewJudge(this.own::get, this.nanos::get, Duration.ofSeconds(60));

	private final HybridClock clock = new HybridClock(this.judge::believedMillis, 7, new NoCeiling(), 0);

	private final MeterRegistry registry = new SimpleMeterRegistry();

	@BeforeEach
	void bind() {
		List<Endpoint> members = List.of(endpoint("n0"), endpoint("n1"), endpoint("n2"));
		Layouts layouts = new Layouts("n0",
				new Layout(Layout.FIRST, members, Ring.of(members.stream().map(Endpoint::member).toList(), 3)));
		new ClockMetrics(layouts, this.clock, this.judge, this.own::get).bindTo(this.registry);
	}

	private static Endpoint endpoint(String id) {
		return new Endpoint(Member.of(id), "127.0.0.1", 7100);
	}

	@Test
	void clocksOfOthersAreUnknownBeforeTheyWereHeard() {
		assertThat(this.registry.find("quorate.clock.member.offset").gauges()).hasSize(2)
			.allMatch((gauge) -> Double.isNaN(gauge.value()));
		assertThat(offset()).isZero();
		assertThat(ahead()).isZero();
	}

	@Test
	void aClockAheadIsAheadOfTheMedianAndTheOthersAreBehindIt() {
		this.judge.heard("n1", NOW - 2_000);
		this.judge.heard("n2", NOW - 5_500);
		assertThat(offset()).isEqualTo(2.0);
		assertThat(offsetOf("n1")).isEqualTo(-2.0);
		assertThat(offsetOf("n2")).isEqualTo(-5.5);
	}

	@Test
	void aClockBehindIsBehindTheMedian() {
		this.judge.heard("n1", NOW + 300);
		this.judge.heard("n2", NOW + 200);
		assertThat(offset()).isEqualTo(-0.2);
		assertThat(offsetOf("n1")).isEqualTo(0.3);
	}

	@Test
	void aHeardClockAdvancesWithTheMonotonicClock() {
		this.judge.heard("n1", NOW + 300);
		this.own.addAndGet(10_000);
		this.nanos.addAndGet(10_000_000_000L);
		assertThat(offsetOf("n1")).isEqualTo(0.3);
	}

	@Test
	void theHybridClockIsAheadAfterALaterStampWasSeen() {
		this.clock.observe(Timestamp.ofMillis(NOW + 1_500));
		assertThat(ahead()).isEqualTo(1.5);
		this.own.addAndGet(2_000);
		assertThat(ahead()).isZero();
	}

	private double offset() {
		return this.registry.get("quorate.clock.offset").gauge().value();
	}

	private double offsetOf(String member) {
		return this.registry.get("quorate.clock.member.offset").tag("member", member).gauge().value();
	}

	private double ahead() {
		return this.registry.get("quorate.clock.ahead").gauge().value();
	}

}
