package io.quorate.membership.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Electorate;
import io.quorate.consensus.Ledger;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Request;
import io.quorate.consensus.Voter;
import io.quorate.consensus.file.DamagedLedgerException;
import io.quorate.consensus.file.ForeignLedgerException;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreIdentity;
import io.quorate.storage.file.ForgetfulDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LayoutFileTests {

	private static final UUID STORAGE_ID = new UUID(0, 1);

	private static final Decision DECIDED = new Decision(1, Decree.copyOf(new byte[] { 5 }));

	private static final AcceptorState FIRST = AcceptorState.of(DECIDED);

	private static final Ballot BALLOT = new Ballot(3, new UUID(0, 2));

	private static final Identity OLDER = new Identity(STORAGE_ID, FormatLevel.UNDECIDED, false);

	private static final Identity SETTLED = new Identity(STORAGE_ID, FormatLevel.FIRST, false);

	private static final Identity NEW = new Identity(STORAGE_ID, FormatLevel.FIRST, true);

	@TempDir
	Path directory;

	private record Identity(UUID storageId, int formatLevel, boolean isNew) implements StoreIdentity {

		@Override
		public void settle() {
			throw new AssertionError("not here");
		}

	}

	private Path file() {
		return this.directory.resolve("LAYOUT");
	}

	private Ledger open(StoreIdentity identity) {
		return open(this.directory, identity, "n1");
	}

	private static Ledger open(Path directory, StoreIdentity identity, String self) {
		return new LayoutFile(directory, identity, false).open(self, FIRST, false);
	}

	private static void vote(Ledger ledger) throws IOException {
		Voter self = new Voter("n1", STORAGE_ID);
		new Participant(self, (_) -> Electorate.majorityOf(Set.of(self)), ledger)
			.answer(new Request.Accept(DECIDED, BALLOT, Decree.copyOf(new byte[] { 6 })));
	}

	@Test
	void aStartBelowTheLevelMakesTheFileAnew() throws IOException {
		assertThat(open(OLDER).recovered()).isEqualTo(FIRST);
		Files.write(file(), new byte[] { 1, 2, 3 });
		assertThat(open(OLDER).recovered()).as("in the place of a damaged one").isEqualTo(FIRST);
		vote(open(OLDER));
		assertThat(open(OLDER).recovered()).isEqualTo(FIRST);
		assertThat(open(SETTLED).recovered()).as("the level has risen since").isEqualTo(FIRST);
	}

	@Test
	void aStartFromTheLevelOnGoesOnWithTheVotes() throws IOException {
		open(OLDER);
		vote(open(SETTLED));
		assertThat(open(SETTLED).recovered().promised()).isEqualTo(BALLOT);
		assertThat(open(NEW).recovered().promised()).as("also in a new directory").isEqualTo(BALLOT);
		Files.write(this.directory.resolve("LAYOUT.tmp"), new byte[] { 1 });
		assertThat(open(SETTLED).recovered().promised()).as("beside what was cut off").isEqualTo(BALLOT);
		assertThat(this.directory.resolve("LAYOUT.tmp")).doesNotExist();
	}

	@Test
	void aDirectoryThatHasGivenNoVoteMayLackTheFile() throws IOException {
		assertThat(open(NEW).recovered()).as("new, or restored from a backup").isEqualTo(FIRST);
		Files.delete(file());
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> open(SETTLED))
			.withCauseInstanceOf(DamagedLedgerException.class)
			.withMessageContaining("LAYOUT is damaged: it is missing. This node's votes")
			.withMessageEndingWith("The file was not changed.");
		assertThat(file()).doesNotExist();
	}

	@Test
	void aDamagedFileRefusesTheStart() throws IOException {
		open(OLDER);
		byte[] damaged = Files.readAllBytes(file());
		damaged[20] ^= 1;
		for (byte[] bytes : List.of(damaged, new byte[0], Arrays.copyOf(damaged, 30))) {
			Files.write(file(), bytes);
			for (Identity identity : List.of(SETTLED, NEW)) {
				assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> open(identity))
					.withCauseInstanceOf(DamagedLedgerException.class);
			}
			assertThat(Files.readAllBytes(file())).isEqualTo(bytes);
		}
	}

	@Test
	void theFileOfAnotherNodeRefusesTheStart() {
		open(this.directory, OLDER, "n2");
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> open(SETTLED))
			.withCauseInstanceOf(ForeignLedgerException.class)
			.withMessageContaining("LAYOUT is that of n2, not of n1.");
	}

	@Test
	void votesOfAnEarlierLifeOfTheDirectoryDoNotCount() throws IOException {
		open(OLDER);
		vote(open(SETTLED));
		Ledger salvaged = open(new Identity(new UUID(0, 9), FormatLevel.FIRST, false));
		assertThat(salvaged.recovered()).isEqualTo(FIRST);
	}

	@Test
	void aSalvageGivesUpTheVotesWithTheStorageId() throws IOException {
		RecordedIdentity renewed = new RecordedIdentity(STORAGE_ID, FormatLevel.FIRST);
		renewed.settle();
		open(OLDER);
		Files.write(file(), new byte[] { 1 });
		assertThat(new LayoutFile(this.directory, renewed, true).open("n1", FIRST, false).recovered()).isEqualTo(FIRST);
		assertThat(renewed.storageId()).isNotEqualTo(STORAGE_ID);
		assertThat(open(renewed).recovered()).as("the next start").isEqualTo(FIRST);
		vote(open(SETTLED));
		assertThat(open(SETTLED).recovered().promised()).isEqualTo(BALLOT);
		new LayoutFile(this.directory, SETTLED, true).open("n1", FIRST, false);
		assertThat(open(SETTLED).recovered().promised()).as("of an intact file nothing is given up").isEqualTo(BALLOT);
	}

	@Test
	void aNodeAloneNeedsNoVotes() throws IOException {
		LayoutFile alone = new LayoutFile(this.directory, SETTLED, false);
		assertThat(alone.open("n1", FIRST, true).recovered()).as("it is missing").isEqualTo(FIRST);
		Files.write(file(), new byte[] { 1 });
		Ledger ledger = alone.open("n1", FIRST, true);
		assertThat(ledger.recovered()).as("it is damaged").isEqualTo(FIRST);
		AcceptorState later = AcceptorState.of(Decisions.of(DECIDED).with(new Decision(2, DECIDED.decree())));
		ledger.keep(later);
		assertThat(alone.open("n1", FIRST, true).recovered()).isEqualTo(later);
		Identity salvaged = new Identity(new UUID(0, 9), FormatLevel.FIRST, false);
		assertThat(new LayoutFile(this.directory, salvaged, false).open("n1", FIRST, true).recovered())
			.as("nobody is left who could name its new storage id")
			.isEqualTo(FIRST);
	}

	@Test
	void aFileThatCannotBeReadIsNamed() throws IOException {
		Files.createDirectory(file());
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> open(SETTLED))
			.withMessageContaining("LAYOUT cannot be read or written");
	}

	/*
	 * The whole life of the file: made below the level, which rises then, and written
	 * with a promise and a vote. A power failure at any step leaves a file that the next
	 * start takes, with each vote that was answered.
	 */
	@Test
	void aPowerFailureTakesNoVoteBack() throws IOException {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		Path disk = Files.createDirectory(this.directory.resolve("disk"));
		Identity[] identity = { OLDER };
		boolean[] hasVoted = { false };
		List<ForgetfulDisk> opened = new ArrayList<>();
		int[] images = { 0 };
		try (ForgetfulDisk forgetful = new ForgetfulDisk(disk, (_) -> {
			for (int i = 0; i < 20; i++) {
				images[0]++;
				requireStart(opened.getFirst(), random, identity[0], hasVoted[0], seed);
			}
		})) {
			opened.add(forgetful);
			open(disk, OLDER, "n1");
			identity[0] = SETTLED;
			Ledger ledger = open(disk, SETTLED, "n1");
			vote(ledger);
			hasVoted[0] = true;
			for (int i = 0; i < 20; i++) {
				requireStart(forgetful, random, SETTLED, true, seed);
			}
			open(disk, SETTLED, "n1");
		}
		assertThat(images[0]).as("images of the disk").isGreaterThan(100);
	}

	private void requireStart(ForgetfulDisk disk, Random random, Identity identity, boolean hasVoted, long seed) {
		try {
			Path image = Files.createTempDirectory(this.directory, "image");
			disk.afterPowerFailure(random).write(image);
			AcceptorState found = open(image, identity, "n1").recovered();
			assertThat(found.promised()).as("seed %d", seed)
				.isIn(hasVoted ? List.of(BALLOT) : List.of(BALLOT, Ballot.NONE));
		}
		catch (IOException failure) {
			throw new AssertionError(failure);
		}
	}

}
