package io.quorate.repair.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

import io.quorate.internode.Position;
import io.quorate.repair.purge.PurgeFixture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class RestoredRecordsTests {

	@TempDir
	private Path directory;

	@BeforeEach
	void write() throws IOException {
		PeerRecords records = PeerRecords.open(this.directory);
		records.begin(4, PurgeFixture.HISTORY);
		records.saw("n2", new UUID(2, 2), Position.ofSequence(100), 4);
		records.save();
	}

	@Test
	void aWholeClusterGoesOnAsTheNextIncarnationAndForgetsWhatWasSeen() throws IOException {
		assertThat(RestoredRecords.ofWholeCluster(this.directory)).isEqualTo(5);
		PeerRecords restored = PeerRecords.open(this.directory);
		assertThat(restored.incarnation()).isEqualTo(5);
		assertThat(restored.of("n2")).isNull();
		assertThat(restored.learns(3, 1)).as("it knows its incarnation").isFalse();
	}

	@Test
	void oneNodeLearnsTheIncarnationFromItsPeers() throws IOException {
		RestoredRecords.ofOneNode(this.directory);
		PeerRecords restored = PeerRecords.open(this.directory);
		assertThat(restored.of("n2")).isNull();
		assertThat(restored.learns(7, 1)).isTrue();
		assertThat(restored.incarnation()).isEqualTo(7);
	}

}
