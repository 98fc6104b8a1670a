package io.quorate.repair.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.golden.GoldenFiles;
import io.quorate.internode.Position;
import io.quorate.repair.record.PeerRecords.Seen;
import io.quorate.repair.record.RebuildRecord.State;
import io.quorate.repair.record.RebuildRecord.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The small files of the records. */
class GoldenRecordsTests {

	private static final UUID STORAGE = new UUID(0x6162_6364_6566_6768L, 0x7172_7374_7576_7778L);

	private static final UUID OTHER = new UUID(1, 2);

	private static final long COMPARED = 0x0192_f3a4_b5c6_0009L;

	private static final long GENERATION = 1_763_800_000_007L;

	private static final String WHY = "b has seen 7 entries of it, 5 are there";

	@TempDir
	Path home;

	private Path golden(String name) throws IOException {
		GoldenFiles.copy("small-1/" + name, this.home, name);
		return this.home;
	}

	private void requireWritten(String name) {
		assertThat(this.home.resolve(name)).as(GoldenFiles.OTHER_BYTES)
			.hasBinaryContent(GoldenFiles.bytes("small-1/" + name));
	}

	@Test
	void horizonsAreRead() throws IOException {
		Horizon horizon = Horizon.open(golden("HORIZON"), false, 9);
		assertThat(horizon.overall()).isEqualTo(0x0192_f3a4_b5c6_0007L);
		assertThat(horizon.towards("b")).isEqualTo(0x0192_f3a4_b5c6_0008L);
		assertThat(horizon.towards("c")).isEqualTo(-2);
		assertThat(horizon.towards("d")).isZero();
	}

	@Test
	void horizonsAreWritten() throws IOException {
		Horizon.open(this.home, true, 9)
			.raise(new Horizon.Levels(0x0192_f3a4_b5c6_0007L, Map.of("b", 0x0192_f3a4_b5c6_0008L, "c", -2L)));
		requireWritten("HORIZON");
	}

	@Test
	void recordsOfPeersAreRead() throws IOException {
		PeerRecords records = PeerRecords.open(golden("PEERS"));
		assertThat(records.incarnation()).isEqualTo(3);
		assertThat(records.history()).isEqualTo(0x8192_f3a4_b5c6_000bL);
		assertThat(records.of("b")).isEqualTo(new Seen(STORAGE, position(), COMPARED, false));
		assertThat(records.of("c")).isEqualTo(new Seen(new UUID(0, 0), Position.NONE, 0, true));
		assertThat(records.isKnownLost("c")).isTrue();
		assertThat(records.of("d")).isNull();
	}

	private static Position position() {
		return new Position(1_763_800_000_005L, 0x8142_4344_4546_4748L, 12_345);
	}

	@Test
	void recordsOfPeersAreWritten() throws IOException {
		PeerRecords records = PeerRecords.open(this.home);
		records.learns(3, 0x8192_f3a4_b5c6_000bL);
		records.saw("b", STORAGE, position(), 3);
		records.compared("b", STORAGE, COMPARED);
		records.lost("c", true);
		records.save();
		requireWritten("PEERS");
	}

	@Test
	void aRecordOfARebuildIsRead() throws IOException {
		assertThat(RebuildRecord.open(golden("REBUILD")).state()).isEqualTo(rebuild());
	}

	@Test
	void aRecordOfARebuildIsWritten() throws IOException {
		RebuildRecord.open(this.home).become(rebuild());
		requireWritten("REBUILD");
	}

	private static State rebuild() {
		return new State(Step.ASIDE, WHY,
				new CoveredLosses(Map.of(STORAGE, 77L, OTHER, 78L), 1_763_800_000_006L, 0x0192_f3a4_b5c6_000aL), true);
	}

	@Test
	void theHistoryOfADirectoryIsRead() throws IOException {
		AtomicLong sequence = new AtomicLong(70);
		Lineage lineage = Lineage.open(golden("LINEAGE"), STORAGE, Set.of("b", "c"),
				new Lineage.Sources(sequence::get, () -> 0, () -> GENERATION + 9000, new Random(6)));
		assertThat(lineage.size()).isEqualTo(4);
		assertThat(lineage.loss("c", new Position(GENERATION, 0xbb03_59bf_2d35_cb58L, 50))).isNull();
		assertThat(lineage.loss("c", new Position(GENERATION, 0xbb03_59bf_2d35_cb58L, 51))).as("it had ended")
			.isNotNull();
		assertThat(lineage.loss("c", new Position(GENERATION + 1000, 0x1698_1a43_9ca0_1ce0L, 70))).isNull();
		assertThat(lineage.loss("c", new Position(GENERATION + 1000, 0x1698_1a43_9ca0_1ce0L, 71)))
			.as("more than is there")
			.isNotNull();
		assertThat(lineage.loss("c", new Position(GENERATION + 2000, 0x7d28_d914_f1e9_dbcaL, 60))).isNull();
		assertThat(lineage.loss("c", new Position(GENERATION + 2000, 0x7d28_d914_f1e9_dbcbL, 60))).as("another token")
			.isNotNull();
		assertThat(lineage.loss("b", new Position(GENERATION - 1, 1, 5))).as("b remembers none before").isNull();
		assertThat(lineage.loss("c", new Position(GENERATION - 1, 1, 5))).isNotNull();
	}

	@Test
	void theHistoryOfADirectoryIsWritten() throws IOException {
		AtomicLong sequence = new AtomicLong(40);
		AtomicLong nanos = new AtomicLong();
		AtomicLong millis = new AtomicLong(GENERATION);
		Lineage lineage = Lineage.open(this.home, STORAGE, Set.of("b", "c"),
				new Lineage.Sources(sequence::get, nanos::get, millis::get, new Random(5)));
		for (int generation = 1; generation <= 2; generation++) {
			lineage.position("b");
			sequence.addAndGet(10);
			nanos.addAndGet(2 * Lineage.AGE.toNanos());
			millis.addAndGet(1000);
			if (generation == 2) {
				lineage.recalled("b", GENERATION);
			}
			lineage.advance();
		}
		requireWritten("LINEAGE");
	}

}
