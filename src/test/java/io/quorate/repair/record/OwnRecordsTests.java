package io.quorate.repair.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.quorate.internode.Position;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.repair.record.PeerRecords.Seen;
import io.quorate.repair.record.RebuildRecord.State;
import io.quorate.repair.record.RebuildRecord.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class OwnRecordsTests {

	private static final UUID ID = new UUID(7, 8);

	private static final long PRESENT = 0x123456;

	@TempDir
	private Path directory;

	private OwnRecords open(boolean isNew) {
		return OwnRecords.open(this.directory, Set.of("n1", "n2", "n3"), isNew, PRESENT);
	}

	@Test
	void aNewDirectoryHasSeenAndPurgedNothing() {
		OwnRecords records = open(true);
		assertThat(records.horizon().overall()).isZero();
		assertThat(records.peers().of("n2")).isNull();
		assertThat(records.rebuild().state()).isEqualTo(State.NONE);
	}

	@Test
	void recordsAreReadBackAsTheyWereWritten() throws IOException {
		OwnRecords before = open(true);
		before.horizon().raise(new Horizon.Levels(40, Map.of("n2", 30L)));
		before.peers().learns(0, PurgeFixture.HISTORY);
		before.peers().saw("n2", ID, Position.ofSequence(17), 0);
		before.peers().compared("n2", ID, 12);
		before.peers().lost("n3", true);
		before.peers().save();
		State state = new State(Step.ASIDE, "n2 has seen more",
				CoveredLosses.NOTHING.with(ID, new Position(3, 4, 5)).upTo(9));
		before.rebuild().become(state);
		OwnRecords after = open(false);
		assertThat(after.horizon().overall()).isEqualTo(40);
		assertThat(after.horizon().towards("n2")).isEqualTo(30);
		assertThat(after.peers().of("n2")).isEqualTo(new Seen(ID, Position.ofSequence(17), 12, false));
		assertThat(after.peers().of("n3")).matches(Seen::lost);
		assertThat(after.rebuild().state()).isEqualTo(state);
	}

	@Test
	void aHorizonOnlyRises() throws IOException {
		Horizon horizon = open(true).horizon();
		horizon.raise(new Horizon.Levels(40, Map.of("n2", 30L)));
		horizon.raise(new Horizon.Levels(35, Map.of("n2", 31L)));
		assertThat(horizon.overall()).isEqualTo(40);
		assertThat(horizon.towards("n2")).isEqualTo(31);
	}

	@Test
	void withoutAHorizonBesideDataAnythingOlderMayHaveBeenPurged() throws IOException {
		Horizon horizon = open(false).horizon();
		assertThat(horizon.overall()).isEqualTo(PRESENT);
		horizon.raise(Horizon.Levels.NOTHING);
		assertThat(OwnRecords.open(this.directory, Set.of("n1", "n2", "n3"), false, 2 * PRESENT).horizon().overall())
			.as("known from then on")
			.isEqualTo(PRESENT);
	}

	@ParameterizedTest
	@ValueSource(strings = { "HORIZON", "PEERS", "REBUILD" })
	void aDamagedRecordIsNotTrusted(String name) throws IOException {
		OwnRecords before = open(true);
		before.horizon().raise(new Horizon.Levels(40, Map.of()));
		before.peers().learns(0, PurgeFixture.HISTORY);
		before.peers().saw("n2", ID, Position.ofSequence(17), 0);
		before.peers().save();
		before.rebuild().become(new State(Step.NONE, "", CoveredLosses.NOTHING.with(ID, new Position(3, 4, 5))));
		Path file = this.directory.resolve(name);
		byte[] bytes = Files.readAllBytes(file);
		bytes[bytes.length / 2] ^= 1;
		Files.write(file, bytes);
		OwnRecords after = open(false);
		switch (name) {
			case "HORIZON" -> assertThat(after.horizon().overall()).isEqualTo(PRESENT);
			case "PEERS" -> assertThat(after.peers().of("n2")).isNull();
			default -> assertThat(after.rebuild().state().step()).isEqualTo(Step.BEGUN);
		}
	}

	@Test
	void anotherIdentityOfAPeerStartsAnew() {
		PeerRecords records = open(true).peers();
		records.learns(0, PurgeFixture.HISTORY);
		records.saw("n2", ID, Position.ofSequence(17), 0);
		records.saw("n2", ID, Position.ofSequence(3), 0);
		assertThat(records.of("n2")).extracting(Seen::position).isEqualTo(Position.ofSequence(17));
		records.saw("n2", new UUID(9, 9), Position.ofSequence(3), 0);
		assertThat(records.of("n2")).isEqualTo(new Seen(new UUID(9, 9), Position.ofSequence(3), 0, false));
	}

	@Test
	void aPeerThatIsDeclaredLostWithoutHavingBeenSeenStaysSo() throws IOException {
		PeerRecords records = open(true).peers();
		records.lost("n3", true);
		records.save();
		assertThat(open(false).peers().of("n3")).matches(Seen::lost);
	}

	@Test
	void aPeerThatIsNoMemberIsForgotten() throws IOException {
		PeerRecords before = PeerRecords.open(this.directory);
		before.learns(0, PurgeFixture.HISTORY);
		before.saw("n2", new UUID(2, 2), Position.ofSequence(7), 0);
		before.saw("invented", new UUID(3, 3), Position.ofSequence(8), 0);
		before.save();
		PeerRecords kept = open(false).peers();
		assertThat(kept.of("invented")).isNull();
		assertThat(requireNonNull(kept.of("n2")).position()).isEqualTo(Position.ofSequence(7));
		kept.save();
		assertThat(PeerRecords.open(this.directory).of("invented")).as("on the disk").isNull();
	}

}
