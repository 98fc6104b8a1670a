package io.quorate.consensus.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.zip.CRC32C;

import io.quorate.consensus.Acceptor;
import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Electorate;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Request;
import io.quorate.consensus.Voter;
import io.quorate.storage.file.ForgetfulDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LedgerFileTests {

	private static final Voter SELF = new Voter("a", new UUID(0, 1));

	private static final Decision FIRST = new Decision(1, Decree.copyOf(new byte[] { 5 }));

	private static final AcceptorState BEFORE = AcceptorState.of(FIRST);

	private static final AcceptorState AFTER = new Acceptor(SELF, (_) -> voters())
		.answer(BEFORE, new Request.Accept(FIRST, new Ballot(3, new UUID(0, 2)), Decree.copyOf(new byte[] { 6 })))
		.state();

	@TempDir
	Path directory;

	private static Electorate voters() {
		return Electorate.majorityOf(Set.of(SELF));
	}

	private Path file() {
		return this.directory.resolve("LEDGER");
	}

	@Test
	void aLedgerHasTheseBytes() throws IOException {
		LedgerFile.replace(file(), SELF, BEFORE);
		assertThat(HexFormat.of().formatHex(Files.readAllBytes(file())))
			.isEqualTo("514c4447" + "00000001" + "00000042" + "0161" + "0".repeat(31) + "1" + "01" + "0000000000000000"
					+ "01" + "0000000000000001" + "00000001" + "05" + "0".repeat(48) + "00" + "8d38846e");
	}

	@Test
	void aParticipantGoesOnWithWhatItsLedgerHas() throws IOException {
		Participant participant = new Participant(SELF, (_) -> voters(), LedgerFile.replace(file(), SELF, BEFORE));
		participant.answer(new Request.Accept(FIRST, new Ballot(3, new UUID(0, 2)), Decree.copyOf(new byte[] { 6 })));
		participant.propose(Decree.copyOf(new byte[] { 7 }), Ballot.NONE);
		AcceptorState found = LedgerFile.open(file(), SELF).recovered();
		assertThat(found.accepted()).isEqualTo(AFTER.accepted());
		assertThat(found.round()).isEqualTo(4);
	}

	/* At each step of a write, and with each choice of what was not fsynced. */
	@Test
	void aPowerFailureLeavesTheStateBeforeOrAfter() throws IOException {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		Path disk = Files.createDirectory(this.directory.resolve("disk"));
		List<ForgetfulDisk> opened = new ArrayList<>();
		List<AcceptorState> found = new ArrayList<>();
		LedgerFile ledger = LedgerFile.replace(disk.resolve("LEDGER"), SELF, BEFORE);
		try (ForgetfulDisk forgetful = new ForgetfulDisk(disk, (_) -> {
			for (int i = 0; i < 20; i++) {
				found.add(after(opened.getFirst(), random));
			}
		})) {
			opened.add(forgetful);
			ledger.keep(AFTER);
			assertThat(found).as("seed %d", seed).contains(BEFORE, AFTER).containsOnly(BEFORE, AFTER);
			for (int i = 0; i < 20; i++) {
				assertThat(after(forgetful, random)).as("after the return, seed %d", seed).isEqualTo(AFTER);
			}
		}
	}

	private AcceptorState after(ForgetfulDisk disk, Random random) {
		try {
			Path image = Files.createTempDirectory(this.directory, "image");
			disk.afterPowerFailure(random).write(image);
			return LedgerFile.open(image.resolve("LEDGER"), SELF).recovered();
		}
		catch (IOException failure) {
			throw new AssertionError(failure);
		}
	}

	@Test
	void aDamagedLedgerIsNotRead() throws IOException {
		LedgerFile.replace(file(), SELF, AFTER);
		byte[] whole = Files.readAllBytes(file());
		for (int i = 0; i < whole.length; i++) {
			byte[] damaged = whole.clone();
			damaged[i] ^= 0x10;
			assertDamaged(damaged);
			assertDamaged(Arrays.copyOf(whole, i));
		}
		assertDamaged(Arrays.copyOf(whole, whole.length + 1));
		Files.delete(file());
		assertThatExceptionOfType(DamagedLedgerException.class).isThrownBy(() -> LedgerFile.open(file(), SELF))
			.withMessageEndingWith("LEDGER is damaged: it is missing");
	}

	@Test
	void aLedgerOfAnEarlierLifeHasItsDecisionsAlone() throws IOException {
		LedgerFile.replace(file(), SELF, AFTER);
		Voter reborn = new Voter(SELF.id(), new UUID(0, 7));
		LedgerFile opened = LedgerFile.open(file(), reborn);
		assertThat(opened.recovered()).isEqualTo(AcceptorState.of(AFTER.decisions())).isNotEqualTo(AFTER);
		opened.keep(opened.recovered());
		assertThat(LedgerFile.open(file(), reborn).recovered()).isEqualTo(opened.recovered());
		assertThat(LedgerFile.open(file(), SELF).recovered()).as("votes do not come back").isNotEqualTo(AFTER);
	}

	@Test
	void aLedgerOfANewerFormatIsNotOpened() throws IOException {
		LedgerFile.replace(file(), SELF, AFTER);
		ByteBuffer newer = ByteBuffer.wrap(Files.readAllBytes(file())).putInt(4, 2);
		CRC32C crc = new CRC32C();
		crc.update(newer.slice(0, newer.capacity() - 4));
		Files.write(file(), newer.putInt(newer.capacity() - 4, (int) crc.getValue()).array());
		assertThatExceptionOfType(OtherLedgerFormatException.class).isThrownBy(() -> LedgerFile.open(file(), SELF))
			.withMessageEndingWith("LEDGER has format version 2, not 1")
			.satisfies((newerLedger) -> assertThat(newerLedger.found() - newerLedger.supported()).isOne());
	}

	@Test
	void aLedgerOfAnotherNodeIsNotOpened() throws IOException {
		LedgerFile.replace(file(), SELF, AFTER);
		assertThatExceptionOfType(ForeignLedgerException.class)
			.isThrownBy(() -> LedgerFile.open(file(), new Voter("b", SELF.storageId())))
			.withMessageEndingWith("LEDGER is that of a, not of b");
	}

	private void assertDamaged(byte[] bytes) throws IOException {
		Files.write(file(), bytes);
		assertThatExceptionOfType(DamagedLedgerException.class).isThrownBy(() -> LedgerFile.open(file(), SELF));
	}

}
