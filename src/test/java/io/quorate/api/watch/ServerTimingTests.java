package io.quorate.api.watch;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline.Work;
import io.quorate.coordinator.RequestTimeline;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.ReadReply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ServerTimingTests {

	@ParameterizedTest
	@CsvSource({ "0,0", "499,0", "500,0.001", "1000,0.001", "10000,0.01", "400000,0.4", "1000000,1", "1050000,1.05",
			"999999600,1000", "30000000000,30000" })
	void timesAreMillisecondsWithThreeDecimalsAtTheMost(long nanos, String millis) {
		RequestTimeline timeline = new RequestTimeline(7);
		timeline.close(7 + nanos);
		assertThat(ServerTiming.of(timeline)).isEqualTo("total;dur=" + millis);
	}

	@Test
	void everythingHasItsPlace() {
		RequestTimeline timeline = new RequestTimeline(0);
		timeline.enter(Stage.REPLICAS, 100_000);
		timeline.ask("n0", Work.READ, 100_000).answered(new ReadReply.Absent(), 200_000);
		timeline.ask("n1", Work.READ, 100_000);
		timeline.ask("n2", Work.HEDGE, 1_100_000)
			.answered(new ReadReply.Failed(new Failure(Reason.DISK_FULL, "")), 2_100_000);
		ReadReply digest = new ReadReply.Summarized(new Summary(Timestamp.ZERO, false, 3, Entry.NEVER, 5));
		timeline.ask("n3", Work.READ, 100_000).answered(digest, 400_000);
		timeline.ask("n3", Work.FETCH, 500_000);
		timeline.enter(Stage.SETTLE, 2_100_000);
		timeline.leave(2_300_000);
		timeline.close(2_400_000);
		assertThat(ServerTiming.of(timeline))
			.isEqualTo("total;dur=2.4, coord;dur=2.2, replicas;dur=2, settle;dur=0.2, n0;dur=0.1;desc=\"absent\", "
					+ "n1;desc=\"waiting\", n2;dur=1;desc=\"hedge disk-full\", n3;dur=0.3;desc=\"digest\", n3;desc=\"fetch waiting\"");
	}

	@Test
	void replicasBeyondTheLimitAreCounted() {
		RequestTimeline timeline = new RequestTimeline(0);
		for (int i = 0; i < RequestTimeline.MAX_HOPS + 2; i++) {
			timeline.ask("n" + i, Work.PAGE, 0);
		}
		timeline.close(0);
		assertThat(ServerTiming.of(timeline)).endsWith("n23;desc=\"waiting\", more;desc=\"2\"");
	}

}
