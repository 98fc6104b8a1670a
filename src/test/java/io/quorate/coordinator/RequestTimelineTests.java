package io.quorate.coordinator;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;
import io.quorate.coordinator.RequestTimeline.Hop;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline.Work;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RequestTimelineTests {

	private final RequestTimeline timeline = new RequestTimeline(100);

	@Test
	void stagesAndReplicasAreRememberedWithTheirTimes() {
		this.timeline.enter(Stage.STAMP, 110);
		this.timeline.enter(Stage.REPLICAS, 115);
		Hop first = this.timeline.ask("n0", Work.WRITE, 116);
		Hop second = this.timeline.ask("n1", Work.WRITE, 117);
		first.answered(WriteReply.Applied.COMPLETE, 120);
		second.answered(new WriteReply.Failed(new Failure(Reason.OVERLOADED, "full")), 140);
		this.timeline.leave(150);
		assertThat(this.timeline.close(200)).isTrue();
		assertThat(this.timeline.totalNanos()).isEqualTo(100);
		assertThat(this.timeline.coordinatorNanos()).isEqualTo(40);
		assertThat(this.timeline.nanos(Stage.STAMP)).isEqualTo(5);
		assertThat(this.timeline.nanos(Stage.REPLICAS)).isEqualTo(35);
		assertThat(this.timeline.nanos(Stage.SETTLE)).isNegative();
		assertThat(this.timeline.hops()).extracting(Hop::node).containsExactly("n0", "n1");
		assertThat(this.timeline.hops()).extracting(Hop::outcome).containsExactly("applied", "overloaded");
		assertThat(this.timeline.hops()).extracting(Hop::nanos).containsExactly(4L, 23L);
	}

	@Test
	void anEventAfterTheAnswerChangesNothing() {
		this.timeline.enter(Stage.REPLICAS, 110);
		Hop late = this.timeline.ask("n0", Work.READ, 111);
		this.timeline.close(150);
		late.answered(new ReadReply.Absent(), 160);
		this.timeline.ask("n1", Work.READ, 161).answered(new ReadReply.Absent(), 170);
		this.timeline.enter(Stage.SETTLE, 172);
		this.timeline.leave(175);
		this.timeline.restart(177);
		assertThat(this.timeline.close(180)).isFalse();
		assertThat(this.timeline.totalNanos()).isEqualTo(50);
		assertThat(this.timeline.nanos(Stage.REPLICAS)).isEqualTo(40);
		assertThat(this.timeline.nanos(Stage.SETTLE)).isNegative();
		assertThat(this.timeline.hops()).singleElement()
			.satisfies((hop) -> assertThat(hop.outcome()).isEqualTo(Hop.WAITING))
			.satisfies((hop) -> assertThat(hop.isAnswered()).isFalse());
	}

	@Test
	void stageThatIsEnteredAgainGoesOn() {
		this.timeline.enter(Stage.STAMP, 110);
		this.timeline.enter(Stage.REPLICAS, 120);
		this.timeline.enter(Stage.STAMP, 150);
		this.timeline.enter(Stage.REPLICAS, 151);
		this.timeline.leave(161);
		assertThat(this.timeline.nanos(Stage.STAMP)).isEqualTo(11);
		assertThat(this.timeline.nanos(Stage.REPLICAS)).isEqualTo(40);
	}

	@Test
	void isBoundedAndCountsWhatItLeavesOut() {
		for (int i = 0; i < RequestTimeline.MAX_HOPS + 3; i++) {
			this.timeline.ask("n" + i, Work.PAGE, i).answered(new ReadReply.Absent(), i + 1);
		}
		this.timeline.close(200);
		assertThat(this.timeline.hops()).hasSize(RequestTimeline.MAX_HOPS)
			.last()
			.extracting(Hop::node)
			.isEqualTo("n23");
		assertThat(this.timeline.hopsLeftOut()).isEqualTo(3);
	}

	/* Bytes of a write to three replicas; it is made for every request. */
	@Test
	void costsAFewHundredBytesARequest() {
		ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		WriteReply applied = WriteReply.Applied.COMPLETE;
		int requests = 10_000;
		long closed = 0;
		long before = thread.getCurrentThreadAllocatedBytes();
		for (int i = 0; i < requests; i++) {
			RequestTimeline made = new RequestTimeline(i);
			made.enter(Stage.STAMP, i + 1);
			made.enter(Stage.REPLICAS, i + 2);
			made.ask("n0", Work.WRITE, i + 3).answered(applied, i + 4);
			made.ask("n1", Work.WRITE, i + 3).answered(applied, i + 4);
			made.ask("n2", Work.WRITE, i + 3).answered(applied, i + 4);
			made.leave(i + 5);
			closed += made.close(i + 6) ? 1 : 0;
		}
		long bytes = (thread.getCurrentThreadAllocatedBytes() - before) / requests;
		assertThat(closed).isEqualTo(requests);
		assertThat(bytes).isLessThan(320);
	}

}
