package io.quorate.membership.reports;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;

import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import io.quorate.storage.StorageFailedException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Format levels of members that run one program or two, and the finalization of an
 * upgrade.
 */
class UpgradeTests {

	private static final int PLANTED = FormatLevel.NEWEST + 1;

	private static final Program OLDER = new Program("1", FormatLevel.FIRST, FormatLevel.FIRST);

	private static final Program NEWER = new Program("2", FormatLevel.FIRST, PLANTED);

	private static final Program NEW_DIRECTORY = new Program("2", FormatLevel.UNDECIDED, PLANTED);

	private static final Program FINALIZED = new Program("2", PLANTED, PLANTED);

	private final Layouts layouts = Layouts.of("n0", List.of("n0@localhost:1", "n1@localhost:2", "n2@localhost:3"),
			null);

	private final Membership membership = new Membership(this.layouts);

	private final Queue<Runnable> work = new ArrayDeque<>();

	private final RecordedIdentity directory = new RecordedIdentity(new UUID(0, 0), FormatLevel.UNDECIDED);

	@Test
	void anUpgradeIsFinalizedOnceAllMembersRunTheNewerProgram() throws IOException {
		Upgrade upgrade = upgrade(FormatLevel.FIRST);
		assertThat(upgrade.objections()).containsExactly("n1 is disconnected", "n2 is disconnected");
		up("n1", "n2");
		assertThat(upgrade.objections()).containsExactly("n1 has not reported its program yet",
				"n2 has not reported its program yet");
		upgrade.heard("n1", NEWER);
		upgrade.heard("n2", OLDER);
		assertThatIllegalStateException().isThrownBy(upgrade::finalizeFormats).withMessage("n2 runs an older program");
		assertThat(this.directory.formatLevel()).isEqualTo(FormatLevel.FIRST);
		upgrade.heard("n2", NEWER);
		assertThat(upgrade.objections()).isEmpty();
		upgrade.finalizeFormats();
		assertThat(this.directory.formatLevel()).isEqualTo(PLANTED);
		assertThat(upgrade.own()).isEqualTo(new Program("2", PLANTED, PLANTED));
		this.membership.stateChanged("n1", MemberState.DISCONNECTED);
		upgrade.finalizeFormats();
		assertThat(upgrade.isFinalized()).isTrue();
	}

	@Test
	void aMemberThatWentBackToTheProgramBeforeObjectsAgain() {
		Upgrade upgrade = upgrade(FormatLevel.FIRST);
		up("n1", "n2");
		upgrade.heard("n1", NEWER);
		upgrade.heard("n2", NEWER);
		upgrade.heard("n1", OLDER);
		assertThat(upgrade.objections()).containsExactly("n1 runs an older program");
	}

	@Test
	void membersFollowTheOneThatWasFinalized() {
		Upgrade upgrade = upgrade(FormatLevel.FIRST);
		upgrade.heard("n1", FINALIZED);
		assertThat(this.directory.formatLevel()).as("a caller on an event loop does not wait")
			.isEqualTo(FormatLevel.FIRST);
		runWork();
		assertThat(upgrade.own().formatLevel()).isEqualTo(PLANTED);
		upgrade.heard("n1", FINALIZED);
		assertThat(this.work).isEmpty();
	}

	private static List<Exception> failures() {
		return List.of(new IOException("no space"), new StorageFailedException("the store is closed", null),
				new IllegalStateException("a bug"));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void aLevelThatCouldNotBeRecordedIsTriedAgain(Exception failure) {
		Upgrade upgrade = upgrade(FormatLevel.FIRST);
		this.directory.fail(failure);
		upgrade.retryMillis = 1;
		upgrade.heard("n1", FINALIZED);
		runWork();
		assertThat(upgrade.own().formatLevel()).isEqualTo(FormatLevel.FIRST);
		this.directory.fail(null);
		Awaitility.await().until(() -> {
			upgrade.heard("n1", FINALIZED);
			return !this.work.isEmpty();
		});
		runWork();
		assertThat(upgrade.own().formatLevel()).isEqualTo(PLANTED);
	}

	@Test
	void aNewDirectoryTakesTheLevelOfTheOthers() {
		Upgrade upgrade = upgrade(FormatLevel.UNDECIDED);
		upgrade.heard("n1", NEW_DIRECTORY);
		assertThat(this.work).as("the other one is not known yet").isEmpty();
		upgrade.heard("n2", NEWER);
		runWork();
		assertThat(this.directory.formatLevel()).isEqualTo(FormatLevel.FIRST);
	}

	@Test
	void aNewDirectoryAmongOlderProgramsStaysReadableForThem() {
		Upgrade upgrade = upgrade(FormatLevel.UNDECIDED);
		upgrade.heard("n1", OLDER);
		runWork();
		assertThat(this.directory.formatLevel()).isEqualTo(FormatLevel.FIRST);
	}

	@Test
	void aNewClusterBeginsAtTheNewestLevelOfAll() {
		Upgrade upgrade = upgrade(FormatLevel.UNDECIDED);
		upgrade.heard("n1", NEW_DIRECTORY);
		upgrade.heard("n2", NEW_DIRECTORY);
		runWork();
		assertThat(this.directory.formatLevel()).isEqualTo(PLANTED);
	}

	@Test
	void aNewNodeThatIsAloneBeginsAtTheNewestLevel() {
		this.directory.begin(FormatLevel.UNDECIDED);
		Upgrade upgrade = planted(new Upgrade(Layouts.of("n0", List.of(), null), this.membership, this.directory,
				NEW_DIRECTORY, this.work::add));
		assertThat(upgrade.isFinalized()).isTrue();
	}

	@Test
	void aNodeThatIsHeldAtTheProgramBeforeNeverRises() {
		this.directory.begin(FormatLevel.FIRST);
		Upgrade upgrade = planted(new Upgrade(this.layouts, this.membership, this.directory,
				new Program("2", FormatLevel.FIRST, FormatLevel.FIRST), this.work::add));
		up("n1", "n2");
		upgrade.heard("n1", FINALIZED);
		upgrade.heard("n2", FINALIZED);
		assertThat(this.work).isEmpty();
		assertThat(upgrade.objections())
			.containsExactly("n0 is held at the program before by quorate.internode.newest-version");
	}

	@Test
	void aDirectoryWithDataAndWithoutALevelHasTheFirst() {
		this.directory.settle();
		Upgrade upgrade = upgrade(FormatLevel.UNDECIDED);
		upgrade.heard("n1", NEW_DIRECTORY);
		upgrade.heard("n2", NEW_DIRECTORY);
		assertThat(this.work).isEmpty();
		assertThat(upgrade.own().formatLevel()).isEqualTo(FormatLevel.FIRST);
		assertThat(this.directory.formatLevel()).as("its next start keeps its votes").isEqualTo(FormatLevel.FIRST);
	}

	@Test
	void aRefusalLastsUntilThePeerIsHeard() {
		Upgrade upgrade = upgrade(FormatLevel.FIRST);
		upgrade.refused("n1", "protocol versions: 1 there, 2-3 here");
		assertThat(upgrade.refusals()).containsEntry("n1", "protocol versions: 1 there, 2-3 here");
		upgrade.heard("n1", NEWER);
		assertThat(upgrade.refusals()).isEmpty();
		upgrade.refused("n2", "protocol versions: 1 there, 2-3 here");
		upgrade.refused("n2", null);
		assertThat(upgrade.refusals()).as("its peer is gone").isEmpty();
	}

	private Upgrade upgrade(int level) {
		this.directory.begin(level);
		return planted(new Upgrade(this.layouts, this.membership, this.directory, NEWER.at(level), this.work::add));
	}

	private static Upgrade planted(Upgrade upgrade) {
		upgrade.newest = PLANTED;
		return upgrade;
	}

	private void up(String... peers) {
		for (String peer : peers) {
			this.membership.stateChanged(peer, MemberState.UP);
		}
	}

	private void runWork() {
		assertThat(this.work).hasSize(1);
		this.work.remove().run();
	}

}
