package io.quorate.internode.peer;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.internode.wiring.InternodeFixture;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.comparison.ComparisonReply.Answer;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.in;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** Requests to a peer in a comparison, over real sockets. */
class RemoteComparisonTests {

	private static final Round ROUND = new Round(7, 5);

	private final InternodeFixture nodes = new InternodeFixture();

	private final PeerComparison peer = this.nodes.connected(this.nodes.serve().port()).comparison();

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void questionsReachTheNodeWithWhoAsks() {
		ComparisonStart comparisonStart = new ComparisonStart(new UUID(1, 2), 99, new Timestamp(3, 4));
		ComparisonResult comparisonResult = new ComparisonResult(1, Set.of(0));
		this.nodes.comparisons.say(comparisonStart).say(comparisonResult).say(ROUND);
		assertThat(this.peer.begin(ROUND, comparisonStart, soon()).block(PATIENCE))
			.isEqualTo(new Answer<>(comparisonStart));
		List<RangeHash> ranges = List.of(new RangeHash(key(1), key(2), 17, 3));
		assertThat(this.peer.compare(ROUND, ranges, soon()).block(PATIENCE)).isEqualTo(new Answer<>(comparisonResult));
		assertThat(this.peer.complete(ROUND, soon()).block(PATIENCE)).isEqualTo(new Answer<>(ROUND));
		assertThat(this.nodes.comparisons.asked()).containsExactly("client begins " + ROUND + comparisonStart,
				"client compares " + ranges, "client completes " + ROUND);
	}

	@Test
	void pagesAndEntriesComeBack() {
		HeaderPage headers = new HeaderPage(
				List.of(new Header(key(1), new Summary(new Timestamp(1, 2), true, 3, Entry.NEVER, 0), 0),
						new Header(key(2), new Summary(new Timestamp(3, 4), false, 2, 77, 5), 0)),
				key(3));
		ScanPage entries = new ScanPage(List.of(new ScanPage.Item(key(1), live(10))), null);
		this.nodes.comparisons.say(headers).say(entries);
		assertThat(this.peer.headers(ROUND, key(1), null, soon()).block(PATIENCE)).isEqualTo(new Answer<>(headers));
		assertThat(this.peer.fetch(ROUND, List.of(key(1)), soon()).block(PATIENCE)).isEqualTo(new Answer<>(entries));
		assertThat(this.nodes.comparisons.asked()).containsExactly(
				"client reads headers from %s to null".formatted(key(1)), "client fetches [%s]".formatted(key(1)));
	}

	@Test
	void anEntryLargerThanAPageComesBackAllTheSame() {
		Entry large = live(Value.wrap(new byte[4 * 1024 * 1024]));
		ScanPage entries = new ScanPage(List.of(new ScanPage.Item(key(1), large)), null);
		this.nodes.comparisons.say(entries);
		assertThat(this.peer.fetch(ROUND, List.of(key(1)), soon()).block(PATIENCE)).isEqualTo(new Answer<>(entries));
	}

	@Test
	void aRefusalSaysWhy() {
		assertThat(reason(this.peer.complete(ROUND, soon()).block(PATIENCE))).isEqualTo(Reason.STALE_ROUND);
	}

	@Test
	void aDeadlineInThePastFailsAtOnce() {
		Key key = key(1);
		assertThat(reason(this.peer.fetch(ROUND, List.of(key), in(-1)).block(PATIENCE))).isEqualTo(Reason.TIMEOUT);
		assertThat(this.nodes.comparisons.asked()).isEmpty();
	}

	private static Reason reason(@Nullable ComparisonReply<?> reply) {
		assertThat(reply).isInstanceOf(ComparisonReply.Failed.class);
		return ((ComparisonReply.Failed<?>) Objects.requireNonNull(reply)).failure().reason();
	}

}
