package io.quorate.coordinator;

import java.util.concurrent.TimeUnit;

import io.quorate.bench.Samples;
import io.quorate.coordinator.WriteTally.Decision;
import io.quorate.entry.Entry;
import io.quorate.replica.WriteReply;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Two of three replicas answer, and after each answer it is asked how things stand. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TallyBenchmark {

	private static final WriteReply APPLIED = WriteReply.Applied.COMPLETE;

	private final Entry one = Samples.entry(100);

	/* Another object, as it comes from another node. */
	private final Entry other = Samples.entry(100);

	private final ReplicaPlan plan = ReplicaSet.of(MemoryReplicas.lists(3, this.one).allReplicas())
		.plan(new Consistency(2, 3));

	@Benchmark
	public Object write() {
		WriteTally tally = new WriteTally(this.plan, false);
		tally.add(0, APPLIED);
		Decision first = tally.decision((_) -> false);
		tally.add(1, APPLIED);
		Decision second = tally.decision((_) -> false);
		return require(first == Decision.PENDING && second == Decision.REACHED, tally);
	}

	@Benchmark
	public Object read() {
		Contact[] contacts = new Contact[this.plan.asked()];
		for (int i = 0; i < contacts.length; i++) {
			contacts[i] = new Contact(this.plan.all().get(i), i, true, i);
		}
		ReadTally tally = new ReadTally(this.plan, contacts);
		contacts[0].knows(tally.shared(this.one));
		boolean first = isAnswered(tally);
		contacts[1].knows(tally.shared(this.other));
		return require(!first && isAnswered(tally), tally);
	}

	private static boolean isAnswered(ReadTally tally) {
		Entry resolved = tally.resolved();
		return !tally.isLost() && tally.isAnswered() && resolved != null && tally.isHeld(resolved);
	}

	private static Object require(boolean isAsExpected, Object tally) {
		if (!isAsExpected) {
			throw new IllegalStateException("the tally decided otherwise");
		}
		return tally;
	}

}
