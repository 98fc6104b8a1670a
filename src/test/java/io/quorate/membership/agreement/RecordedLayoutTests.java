package io.quorate.membership.agreement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageStartException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/** The layouts in the file of a directory, for people and for a restore. */
class RecordedLayoutTests {

	@TempDir
	private Path directory;

	private RecordedLayout recorded(int last) throws IOException {
		RecordedLayouts.write(this.directory, "n0", last);
		return Objects.requireNonNull(RecordedLayout.read(this.directory));
	}

	@Test
	void aDirectoryWithoutTheFileHasNoLayout() throws IOException {
		assertThat(RecordedLayout.read(this.directory)).isNull();
	}

	/* The file is read some time after the tables, and may be ahead of them. */
	@Test
	void theLayoutOfASnapshotIsThatOfItsFloors() throws IOException {
		RecordedLayout all = recorded(RecordedLayouts.AFTER);
		assertThat(all.at(0).version().version()).isEqualTo(RecordedLayouts.BEFORE);
		assertThat(all.at(3).version().version()).isEqualTo(RecordedLayouts.JOINT);
		assertThat(all.at(4).version().version()).isEqualTo(RecordedLayouts.AFTER);
		assertThat(all.at(0).names("n3")).isFalse();
		assertThat(all.at(3).names("n3")).as("it joins").isTrue();
		assertThat(all.at(4).deciding()).isEqualTo("[n0, n1, n2, n3], 3 copies");
		assertThat(all.at(3).deciding()).isEqualTo("[n0, n1, n2], 3 copies");
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> all.at(5))
			.withMessageContaining("does not have the layout of the floors any more, version 5");
	}

	/*
	 * All versions of one change have its floors, also one that names a directory anew.
	 */
	@Test
	void anAmendmentDuringAChangeHasTheFloorsOfTheChange() {
		LayoutRecord joint = RecordedLayouts.record(RecordedLayouts.JOINT);
		LayoutRecord amended = LayoutMachine.amend(joint, LayoutFixture.member(1, "", 2));
		assertThat(LayoutAdoption.floorsOf(3, joint)).isEqualTo(3);
		assertThat(LayoutAdoption.floorsOf(4, amended)).isEqualTo(3);
		assertThat(LayoutAdoption.floorsOf(5, LayoutMachine.complete(amended))).isEqualTo(5);
		assertThat(LayoutAdoption.floorsOf(2, LayoutFixture.stable(3, 3))).as("the activation sets none").isZero();
	}

	@Test
	void theMembersHaveTheirPartInTheChange() throws IOException {
		RecordedLayout joint = recorded(RecordedLayouts.JOINT);
		assertThat(joint.members()).extracting(RecordedLayout.Named::id, RecordedLayout.Named::part)
			.containsExactly(tuple("n0", "stays"), tuple("n1", "stays"), tuple("n2", "stays"), tuple("n3", "joins"));
		assertThat(joint.members().getFirst().address()).isEqualTo("host0:7100");
		assertThat(joint.versions()).extracting(RecordedLayout.Version::state)
			.containsExactly(LayoutStatus.State.STABLE, LayoutStatus.State.JOINT);
		assertThat(joint.versions().getLast().change()).isEqualTo("add n3 since version 3");
		assertThat(joint).hasToString("%s, [n0, n1, n2], 3 copies -> [n0, n1, n2, n3], 3 copies"
			.formatted(LayoutVersion.of(RecordedLayouts.until(RecordedLayouts.JOINT).latest())));
	}

	@Test
	void aDirectoryThatGetsTheLayoutsHasTheSameOnes() throws IOException {
		RecordedLayout all = recorded(RecordedLayouts.AFTER);
		Path restored = Files.createDirectory(this.directory.resolve("restored"));
		all.at(3).write(restored);
		RecordedLayout written = Objects.requireNonNull(RecordedLayout.read(restored));
		assertThat(written.versions()).isEqualTo(all.versions().subList(0, 2));
	}

	@Test
	void aDamagedFileIsReportedAsThat() throws IOException {
		RecordedLayouts.write(this.directory, "n0", RecordedLayouts.AFTER);
		Path file = this.directory.resolve("LAYOUT");
		byte[] bytes = Files.readAllBytes(file);
		bytes[40] ^= 1;
		Files.write(file, bytes);
		assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(() -> RecordedLayout.read(this.directory))
			.withMessageContaining("checksum is wrong");
	}

}
