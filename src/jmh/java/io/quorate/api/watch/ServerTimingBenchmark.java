package io.quorate.api.watch;

import java.util.concurrent.TimeUnit;

import io.quorate.coordinator.RequestTimeline.Hop;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline.Work;
import io.quorate.coordinator.RequestTimeline;
import io.quorate.replica.WriteReply;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The timeline of a write to three replicas, two of which have answered. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ServerTimingBenchmark {

	private static final WriteReply APPLIED = WriteReply.Applied.COMPLETE;

	private final RequestTimeline closed = timeline(0);

	private long now;

	@Benchmark
	public Object timeline() {
		return timeline(this.now++);
	}

	@Benchmark
	public String words() {
		return ServerTiming.of(this.closed);
	}

	@Benchmark
	public String trailAndWords() {
		return ServerTiming.of(timeline(this.now++));
	}

	private static RequestTimeline timeline(long begin) {
		RequestTimeline timeline = new RequestTimeline(begin);
		timeline.enter(Stage.STAMP, begin + 21_000);
		timeline.enter(Stage.REPLICAS, begin + 23_000);
		Hop first = timeline.ask("n0", Work.WRITE, begin + 24_000);
		Hop second = timeline.ask("n1", Work.WRITE, begin + 25_000);
		timeline.ask("n2", Work.WRITE, begin + 26_000);
		first.answered(APPLIED, begin + 310_000);
		second.answered(APPLIED, begin + 480_000);
		timeline.leave(begin + 481_000);
		timeline.close(begin + 512_000);
		return timeline;
	}

}
