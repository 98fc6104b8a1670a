package io.quorate.coordinator;

import java.util.concurrent.TimeUnit;

import io.quorate.bench.Samples;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;
import reactor.core.publisher.Mono;

/**
 * A request to two of three replicas that answer at once, from its terms (admission,
 * deadline, timeline) to the answer: stamp, plan, tally, timeline, meters and the operators
 * between them, and neither HTTP nor network nor store.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class QuorumCoordinatorBenchmark {

	private final Key[] keys = Samples.keys(16);

	private final Entry.Live held = Samples.entry(100);

	private final CoordinatorFixture fixture = new CoordinatorFixture(this.held);

	private int at;

	@TearDown
	public void close() {
		this.fixture.close();
	}

	@Benchmark
	public void put(Blackhole answers) {
		RequestContext requestContext = this.fixture.requestContext(this.held.value().size());
		answer(this.fixture.coordinator.put(nextKey(), Content.of(this.held.value()), requestContext), requestContext, answers);
	}

	@Benchmark
	public void delete(Blackhole answers) {
		RequestContext requestContext = this.fixture.requestContext(0);
		answer(this.fixture.coordinator.delete(nextKey(), requestContext), requestContext, answers);
	}

	@Benchmark
	public void read(Blackhole answers) {
		RequestContext requestContext = this.fixture.requestContext(0);
		answer(this.fixture.coordinator.read(nextKey(), requestContext), requestContext, answers);
	}

	/** The only thing here that every write and read pays before the coordinator. */
	@Benchmark
	public void terms(Blackhole answers) {
		RequestContext requestContext = this.fixture.requestContext(0);
		answers.consume(requestContext);
		requestContext.permit().close();
	}

	private Key nextKey() {
		return this.keys[this.at++ & (Samples.KEYS - 1)];
	}

	private static void answer(Mono<?> request, RequestContext requestContext, Blackhole answers) {
		var _ = request.subscribe(answers::consume);
		requestContext.permit().close();
		if (!requestContext.timeline().close(System.nanoTime()) || requestContext.timeline().nanos(RequestTimeline.Stage.REPLICAS) < 0) {
			throw new IllegalStateException("not answered at once");
		}
	}

}
