package io.quorate.membership.layout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Vote;
import io.quorate.consensus.file.LedgerFile;
import io.quorate.golden.GoldenFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.membership.layout.LayoutFixture.ASKED;
import static io.quorate.membership.layout.LayoutFixture.member;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The file {@code LAYOUT} against a golden file that the program has written which
 * brought it: with three versions of the layout, a promise and a vote.
 */
class GoldenLayoutTests {

	@TempDir
	Path directory;

	private static AcceptorState state() {
		LayoutRecord activated = LayoutRecord
			.of(new LayoutSide(List.of(member(0, "a", 1), member(1, "b", 1), member(2, "c", 2)), 2));
		LayoutRecord joint = LayoutMachine.replace(activated, "n2", member(3, "c", 1), true, ASKED);
		List<Decision> decisions = List.of(
				new Decision(6, LayoutCodec.write(LayoutRecord.first(activated.stable().ring()))),
				new Decision(7, LayoutCodec.write(activated)), new Decision(8, LayoutCodec.write(joint)));
		return new AcceptorState(5, new Decisions(decisions), new Ballot(6, new UUID(0x0102, 0x0304)),
				new Vote(new Ballot(4, new UUID(0x0506, 0x0708)), LayoutCodec.write(LayoutMachine.complete(joint))));
	}

	@Test
	void theFileHasTheBytesOfItsVersion() throws IOException {
		Path golden = GoldenFiles.copy("LAYOUT-1", this.directory, "golden");
		assertThat(LedgerFile.open(golden, member(1).voter()).recovered()).isEqualTo(state());
		Path written = this.directory.resolve("LAYOUT");
		LedgerFile.replace(written, member(1).voter(), state());
		assertThat(HexFormat.of().formatHex(Files.readAllBytes(written))).as(GoldenFiles.OTHER_BYTES)
			.isEqualTo(HexFormat.of().formatHex(Files.readAllBytes(golden)));
	}

}
