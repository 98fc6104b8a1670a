package io.quorate.repair.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import io.quorate.internode.Position;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class LineageTests {

	private static final UUID OURS = new UUID(1, 1);

	@TempDir
	private Path directory;

	@TempDir
	private Path copies;

	private final Random tokens = new Random(4711);

	private long sequence = 100;

	private long nanos = 7;

	private Lineage lineage;

	@BeforeEach
	void start() {
		this.lineage = open(OURS);
	}

	private Lineage open(UUID storageId) {
		return Lineage.open(this.directory, storageId, Set.of("n2", "n3"),
				new Lineage.Sources(() -> this.sequence, () -> this.nanos, () -> 0, this.tokens));
	}

	private void pass(Duration time) {
		this.nanos += time.toNanos();
	}

	private Position write(long entries) {
		this.sequence += entries;
		return this.lineage.position("n2");
	}

	private Position nextGeneration() throws IOException {
		pass(Lineage.AGE);
		this.lineage.advance();
		return this.lineage.position("n2");
	}

	private void copy() throws IOException {
		Files.copy(file(this.directory), file(this.copies), StandardCopyOption.REPLACE_EXISTING);
	}

	private static Path file(Path home) {
		return home.resolve(Lineage.FILE_NAME);
	}

	private void putBack(long atSequence) throws IOException {
		Files.copy(file(this.copies), file(this.directory), StandardCopyOption.REPLACE_EXISTING);
		this.sequence = atSequence;
		start();
	}

	@Test
	void aDirectoryThatGoesOnHasLostNothing() throws IOException {
		Position first = write(10);
		start();
		Position second = write(10);
		Position third = nextGeneration();
		start();
		assertThat(second.generation()).isGreaterThan(first.generation());
		assertThat(third.generation()).isGreaterThan(second.generation());
		for (Position seen : new Position[] { first, second, third, Position.ofSequence(120) }) {
			assertThat(this.lineage.loss("n2", seen)).isNull();
		}
	}

	@Test
	void anOlderDirectoryIsALossHoweverFarItGrows() throws IOException {
		Position before = write(1);
		copy();
		Position sameGeneration = write(5);
		start();
		Position nextStart = write(5);
		putBack(101);
		write(1000);
		assertThat(this.lineage.loss("n2", before)).isNull();
		assertThat(this.lineage.loss("n2", sameGeneration)).contains("sequence 106", "of which 101");
		assertThat(this.lineage.loss("n2", nextStart)).contains("not of the history");
	}

	@Test
	void anOlderDirectoryIsALossThoughItsGenerationNumberIsReused() throws IOException {
		write(1);
		copy();
		Position lost = nextGeneration();
		putBack(101);
		write(1);
		assertThat(this.lineage.position().generation()).isEqualTo(lost.generation());
		assertThat(this.lineage.loss("n2", lost)).contains("not of the history");
	}

	/*
	 * A machine that is put back while it runs: the process still has its generation, and
	 * its peers are gone.
	 */
	@Test
	void aMachineRestoredWhileRunningIsALossFromItsNextGeneration() throws IOException {
		Position seen = write(50);
		this.sequence = 110;
		this.lineage.ask();
		this.lineage.advance();
		write(1000);
		assertThat(this.lineage.loss("n2", seen)).contains("of which 110");
	}

	@Test
	void aGenerationIsOnTheDiskBeforeAPeerHearsOfIt() throws IOException {
		write(1);
		Position told = nextGeneration();
		start();
		assertThat(this.lineage.loss("n2", told)).isNull();
		Files.delete(file(this.directory));
		Files.createDirectory(file(this.directory));
		Position before = write(1);
		pass(Lineage.AGE);
		assertThatIOException().isThrownBy(this.lineage::advance);
		assertThat(this.lineage.position()).isEqualTo(before);
	}

	@Test
	void aNewGenerationBeginsOnlyWhenItTellsSomething() throws IOException {
		Position first = write(0);
		assertThat(nextGeneration()).as("nothing was written").isEqualTo(first);
		this.sequence++;
		this.lineage.advance();
		Position second = this.lineage.position("n2");
		assertThat(second.generation()).isEqualTo(first.generation() + 1);
		this.sequence++;
		this.lineage.advance();
		assertThat(this.lineage.position().generation()).as("too soon").isEqualTo(second.generation());
		Position third = nextGeneration();
		assertThat(third.generation()).isEqualTo(second.generation() + 1);
	}

	@Test
	void aGenerationThatNoPeerWasSentGoesOn() throws IOException {
		Position unsent = this.lineage.position();
		this.lineage.position("n4");
		this.sequence++;
		pass(Lineage.AGE);
		this.lineage.advance();
		assertThat(this.lineage.position().generation()).isEqualTo(unsent.generation());
	}

	@Test
	void aGenerationThatAllPeersHavePassedIsDropped() throws IOException {
		Position early = write(1);
		for (int i = 0; i < 10; i++) {
			write(1);
			nextGeneration();
		}
		Position late = this.lineage.position();
		assertThat(this.lineage.size()).isEqualTo(11);
		this.lineage.recalled("n2", late.generation());
		write(1);
		nextGeneration();
		assertThat(this.lineage.size()).as("n3 may remember the first").isEqualTo(12);
		this.lineage.recalled("n3", late.generation());
		this.lineage.recalled("a stranger", 0);
		write(1);
		nextGeneration();
		assertThat(this.lineage.size()).isEqualTo(3);
		start();
		assertThat(this.lineage.loss("n2", early)).as("a peer that was put back to an older memory").isNull();
		assertThat(this.lineage.loss("n4", early)).as("who never said so").isNotNull();
	}

	@Test
	void aPeerThatIsAwayForLongIsStillToldFromOneWithOtherData() throws IOException {
		Position early = write(1);
		this.lineage.recalled("n2", early.generation());
		for (int i = 0; i < 2 * Lineage.MAX_KEPT; i++) {
			write(1);
			this.lineage.recalled("n3", nextGeneration().generation());
		}
		Position late = this.lineage.position();
		start();
		assertThat(this.lineage.size()).isEqualTo(Lineage.MAX_KEPT);
		assertThat(this.lineage.loss("n2", early)).isNull();
		assertThat(this.lineage.loss("n3", late)).isNull();
		assertThat(this.lineage.loss("n2", new Position(early.generation(), early.token() + 1, 1))).isNotNull();
		assertThat(this.lineage.loss("n2", new Position(early.generation(), early.token(), early.sequence() + 2)))
			.isNotNull();
	}

	@Test
	void peersThatAreAwayOneAfterTheOtherAreToldFromOthers() throws IOException {
		Position early = write(1);
		this.lineage.recalled("n2", early.generation());
		Position last = early;
		for (int i = 0; i < 4 * Lineage.MAX_KEPT; i++) {
			write(1);
			Position next = nextGeneration();
			if (i < Lineage.MAX_KEPT - 10) {
				this.lineage.recalled("n3", next.generation());
			}
			last = (i <= Lineage.MAX_KEPT - 10) ? next : last;
		}
		Position late = this.lineage.position();
		assertThat(this.lineage.size()).isEqualTo(Lineage.MAX_KEPT);
		for (Position seen : new Position[] { early, last, late }) {
			assertThat(this.lineage.loss("n2", seen)).isNull();
			assertThat(this.lineage.loss("n3", seen)).isNull();
		}
		start();
		assertThat(this.lineage.loss("n3", last)).as("it had not reported that yet").isNull();
		assertThat(this.lineage.loss("n3", new Position(last.generation(), last.token() + 1, 1))).isNotNull();
	}

	/* It has gone before it could report what it was sent. */
	@Test
	void aPeerThatJoinsAndGoesIsToldFromOneWithOtherData() throws IOException {
		for (int i = 0; i < 10; i++) {
			write(1);
			nextGeneration();
		}
		this.lineage.follow("n4");
		Position seen = this.lineage.position("n4");
		for (int i = 0; i < 2 * Lineage.MAX_KEPT; i++) {
			write(1);
			nextGeneration();
		}
		assertThat(this.lineage.size()).as("n2 and n3 are away for longer").isEqualTo(Lineage.MAX_KEPT);
		assertThat(this.lineage.loss("n4", seen)).isNull();
	}

	@Test
	void aSettledLossIsNoLossAnyMore() throws IOException {
		Position lost = new Position(40, 3, 5);
		assertThat(this.lineage.loss("n2", lost)).isNotNull();
		this.lineage.settle(40);
		assertThat(this.lineage.position().generation()).isGreaterThan(40);
		start();
		assertThat(this.lineage.loss("n2", lost)).isNull();
		assertThat(this.lineage.loss("n2", new Position(60, 3, 5))).isNotNull();
	}

	@Test
	void aNodeForWhichNoHistoryIsKeptIsSentTheSequenceAlone() throws IOException {
		write(1);
		assertThat(this.lineage.position("n4")).isEqualTo(Position.ofSequence(101));
		this.lineage.follow("n4");
		Position seen = this.lineage.position("n4");
		assertThat(seen).isEqualTo(this.lineage.position());
		passByAllOthers();
		assertThat(this.lineage.loss("n4", seen)).isNull();
		this.lineage.forget("n4");
		assertThat(this.lineage.position("n4")).isEqualTo(Position.ofSequence(this.sequence));
	}

	/* As for one that is followed, and sent a position, while the next is written. */
	@Test
	void aGenerationThatEndsIsKeptForAPeerThatJoinsThen() throws IOException {
		this.lineage.forget("n3");
		Position seen = write(1);
		this.lineage.forget("n2");
		pass(Lineage.AGE);
		this.lineage.advance();
		this.lineage.follow("n2");
		assertThat(this.lineage.loss("n2", seen)).isNull();
	}

	private void passByAllOthers() throws IOException {
		for (int i = 0; i < 3; i++) {
			write(1);
			Position later = nextGeneration();
			this.lineage.recalled("n2", later.generation());
			this.lineage.recalled("n3", later.generation());
		}
	}

	@Test
	void otherDataHasAnotherHistory() {
		Position seen = write(1);
		this.lineage = open(new UUID(2, 2));
		assertThat(this.lineage.loss("n2", seen)).contains("not of the history");
	}

	@Test
	void aDamagedHistoryIsNotBelieved() throws IOException {
		Position seen = write(1);
		byte[] bytes = Files.readAllBytes(file(this.directory));
		bytes[bytes.length / 2] ^= 1;
		Files.write(file(this.directory), bytes);
		start();
		assertThat(this.lineage.loss("n2", seen)).isNotNull();
	}

}
