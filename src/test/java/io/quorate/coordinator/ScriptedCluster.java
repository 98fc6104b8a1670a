package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.AfterEach;

/** A coordinator at node a, and scripted replicas a, b and c. */
abstract class ScriptedCluster {

	static final Duration LIMIT = Duration.ofMinutes(1);

	static final long NOW = 1_000_000;

	static final Duration MAX_SKEW = Duration.ofSeconds(60);

	static final int DIGEST_ABOVE = 1000;

	static final Key KEY = Key.of("key");

	static final WriteReply APPLIED = WriteReply.Applied.COMPLETE;

	static final ReadReply ABSENT = new ReadReply.Absent();

	final ScriptedReplica a = new ScriptedReplica("a");

	final ScriptedReplica b = new ScriptedReplica("b");

	final ScriptedReplica c = new ScriptedReplica("c");

	final ScriptedSuspects suspects = new ScriptedSuspects();

	final MeterRegistry meters = new SimpleMeterRegistry();

	final Admission admission = new Admission(1000, 100_000, this.meters);

	/** What was missed: node, space, timestamp. */
	final List<String> missed = new CopyOnWriteArrayList<>();

	final HybridClock clock = new HybridClock(() -> NOW, 7, new NoCeiling(), 0);

	final SkewJudge judge = new SkewJudge(() -> NOW, System::nanoTime, MAX_SKEW);

	/** All clocks show the same, and no time passes by them. */
	final TrueTime trueTime = new TrueTime(() -> NOW, () -> 0);

	final ClusterView clusterView = new ClusterView("a", () -> new FixedLists(3, List.of(this.a, this.b, this.c)),
			this.suspects, this.judge, this.trueTime,
			(_, entry, node) -> this.missed.add(node + " " + entry.timestamp().millis()));

	final ScriptedTime time = new ScriptedTime();

	final Outcome outcome = new Outcome();

	final QuorumCoordinator coordinator = new QuorumCoordinator(this.clock, this.clusterView, DIGEST_ABOVE, this.meters,
			this.time.sweep);

	ScriptedCluster() {
		readClocks();
	}

	/** Reads the clocks of the other members. */
	void readClocks() {
		this.trueTime.heard("b", NOW, this.trueTime.nanos());
		this.trueTime.heard("c", NOW, this.trueTime.nanos());
	}

	@AfterEach
	void close() {
		this.coordinator.close();
	}

	/** The terms of a request that has some seconds. */
	static RequestContext requestContext(int ack, int from, Admission.Permit permit) {
		return requestContext(ack, from, LIMIT, permit);
	}

	static RequestContext requestContext(int ack, int from, Duration timeout, Admission.Permit permit) {
		return new RequestContext(new Consistency(ack, from), Deadline.after(timeout), permit,
				new RequestTimeline(System.nanoTime()));
	}

	static Entry live(long millis, int from) {
		return new Entry.Live(Timestamp.ofMillis(millis), from, Entry.NEVER,
				Value.copyOf(new byte[] { (byte) millis }));
	}

	static ReadReply found(Entry entry) {
		return new ReadReply.Found(entry);
	}

	static WriteReply superseded(long millis) {
		return new WriteReply.Superseded(Timestamp.ofMillis(millis), true);
	}

	static WriteReply failed(Reason reason) {
		return new WriteReply.Failed(new Failure(reason, "as the test wants"));
	}

	static ReadReply unreadable(Reason reason) {
		return new ReadReply.Failed(new Failure(reason, "as the test wants"));
	}

}
