package io.quorate.membership.reports;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.reports.MemberProcesses.MemberProcess;
import io.quorate.membership.reports.MemberProcesses.Presence;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class NamedDirectoriesTests {

	private static final Duration PATIENCE = Duration.ofSeconds(3);

	private static final UUID OWN = new UUID(0, 1);

	private static final UUID FIRST = new UUID(1, 1);

	private static final UUID SECOND = new UUID(1, 2);

	private final Layouts layouts = Layouts.of("n0", List.of("n0@a:1", "n1@b:2", "n2@c:3"), null);

	private final List<UUID> dismissed = new ArrayList<>();

	private long nowNanos = Duration.ofHours(1).toNanos();

	private final NamedDirectories processes = new NamedDirectories(this.layouts,
			new RecordedIdentity(OWN, FormatLevel.NEWEST), () -> this.nowNanos);

	private void adopt(UUID own, UUID directory) {
		Layout now = this.layouts.current();
		this.layouts.adopt(new Layout(now.version() + 1, now.endpoints(), now.rings(), Set.of(),
				Map.of("n0", own, "n1", directory)));
	}

	private Presence enter(UUID directory, String address) {
		return enter(directory, 0, address);
	}

	private Presence enter(UUID directory, long number, String address) {
		return this.processes.enter(new MemberProcess("n1", directory, number, address, PATIENCE),
				() -> this.dismissed.add(directory));
	}

	@Test
	void aProcessThatDoesNotSayWhereItListensIsNamedByItsConnection() {
		assertThat(enter(FIRST, "b:50000").refusal()).isNull();
		assertThat(enter(SECOND, "x:60000").refusal()).isEqualTo("b:50000 and x:60000");
		assertThat(enter(FIRST, 1, "b:2").refusal()).isNull();
		assertThat(enter(SECOND, 2, "x:2").refusal()).isEqualTo("b:2 and x:2");
	}

	/* A second one that goes on longer than a process that ends. */
	private void meetTwo() {
		assertThat(enter(SECOND, "x:2").refusal()).isEqualTo("b:2 and x:2");
		pass(Duration.ofSeconds(1));
		assertThat(enter(SECOND, "x:2").refusal()).isEqualTo("b:2 and x:2");
	}

	private void pass(Duration time) {
		this.nowNanos += time.toNanos();
	}

	@Test
	void theProcessWhoseDirectoryIsNamedKeepsItsConnections() {
		adopt(OWN, FIRST);
		Presence first = enter(FIRST, "b:2");
		meetTwo();
		assertThat(first.refusal()).isNull();
		assertThat(first.counts()).isTrue();
		assertThat(this.dismissed).isEmpty();
		assertThat(this.processes.conflicts()).containsExactly("two processes are n1: b:2 and x:2");
		assertThat(this.processes.addressesOf("n1", FIRST)).as("what it is told").isEqualTo("b:2 and x:2");
		assertThat(this.processes.addressesOf("n1", SECOND)).isNull();
		assertThat(this.processes.addressesOf("n2", FIRST)).isNull();
		assertThat(this.processes.displaced()).as("it is another member").isNull();
	}

	@Test
	void theProcessWhoseDirectoryIsNamedTakesThePlaceOfAnother() {
		adopt(OWN, FIRST);
		Presence second = enter(SECOND, "x:2");
		assertThat(second.refusal()).as("the first one may be lost").isNull();
		assertThat(second.counts()).as("until it is named").isFalse();
		assertThat(enter(FIRST, "b:2").refusal()).isNull();
		assertThat(this.dismissed).containsExactly(SECOND);
		second.end();
		assertThat(this.processes.conflicts()).as("it may be over at once").isEmpty();
		meetTwo();
		assertThat(this.processes.conflicts()).containsExactly("two processes are n1: b:2 and x:2");
	}

	@Test
	void whileNoneIsNamedTheFirstProcessKeepsItsConnections() {
		Presence first = enter(FIRST, "b:2");
		assertThat(first.counts()).isTrue();
		assertThat(enter(SECOND, "x:2").refusal()).isEqualTo("b:2 and x:2");
		assertThat(this.dismissed).isEmpty();
		first.end();
		assertThat(enter(SECOND, "x:2").refusal()).isNull();
	}

	@Test
	void aDirectoryThatIsReachedAtAnotherAddressIsTheSameMember() {
		adopt(OWN, FIRST);
		assertThat(List.of(enter(FIRST, "b:2"), enter(FIRST, "y:2"))).allSatisfy((each) -> {
			assertThat(each.refusal()).isNull();
			assertThat(each.counts()).isTrue();
		});
		assertThat(this.dismissed).isEmpty();
		assertThat(this.processes.conflicts()).isEmpty();
	}

	@Test
	void theFirstOfTwoProcessesWithCopiesKeepsItsConnections() {
		adopt(OWN, FIRST);
		Presence first = enter(FIRST, 1, "b:2");
		assertThat(enter(FIRST, 2, "x:2").refusal()).isEqualTo("b:2 and x:2");
		assertThat(enter(FIRST, 1, "b:2").refusal()).as("another connection").isNull();
		assertThat(enter(FIRST, 0, "b:2").refusal()).as("one that says no number").isNull();
		assertThat(this.dismissed).isEmpty();
		pass(PATIENCE.minusNanos(1));
		first.heard();
		assertThat(enter(FIRST, 2, "x:2").refusal()).isNotNull();
		pass(PATIENCE);
		assertThat(enter(FIRST, 2, "x:2").refusal()).as("as after a restart").isNull();
		assertThat(enter(FIRST, 1, "b:2").refusal()).isEqualTo("x:2 and b:2");
	}

	@Test
	void aProcessThatIsSilentForItsPatienceIsGone() {
		adopt(OWN, FIRST);
		Presence first = enter(FIRST, "b:2");
		pass(PATIENCE.minusMillis(1));
		assertThat(enter(SECOND, "x:2").refusal()).isNotNull();
		first.heard();
		pass(PATIENCE.minusMillis(1));
		assertThat(enter(SECOND, "x:2").refusal()).isNotNull();
		pass(Duration.ofMillis(1));
		assertThat(enter(SECOND, "x:2").refusal()).isNull();
		assertThat(this.dismissed).as("its half of a connection").containsExactly(FIRST);
	}

	@Test
	void aDirectoryIsAliveUntilItsProcessHadTimeToReturn() {
		adopt(OWN, FIRST);
		assertThat(this.processes.alive()).as("after the start of this node").containsEntry("n1", FIRST);
		pass(NamedDirectories.RETURN);
		assertThat(this.processes.alive()).isEqualTo(Map.of("n0", OWN));
		Presence first = enter(FIRST, "b:2");
		pass(Duration.ofMillis(1));
		first.heard();
		first.end();
		Presence second = enter(SECOND, "x:2");
		pass(NamedDirectories.RETURN.minusNanos(1));
		second.heard();
		assertThat(this.processes.alive()).containsEntry("n1", FIRST);
		pass(Duration.ofNanos(1));
		assertThat(this.processes.alive()).as("and may be named").containsEntry("n1", SECOND);
	}

	@Test
	void aProcessIsClosedWhenTheLayoutNamesAnotherThatIsConnected() {
		adopt(OWN, SECOND);
		Presence first = enter(FIRST, "b:2");
		adopt(OWN, FIRST);
		assertThat(first.counts()).isTrue();
		adopt(OWN, SECOND);
		assertThat(first.counts()).isFalse();
		assertThat(this.dismissed).as("there is no other one").isEmpty();
		assertThat(enter(SECOND, "x:2").refusal()).isNull();
		assertThat(this.dismissed).containsExactly(FIRST);
	}

	@Test
	void anyDirectoryCountsWhenNoMajorityIsLeftToNameIt() {
		adopt(SECOND, FIRST);
		Presence second = enter(SECOND, "x:2");
		assertThat(second.counts()).isFalse();
		assertThat(this.processes.displaced()).contains("names another directory as n0");
		this.processes.takesAny(true);
		assertThat(second.counts()).isTrue();
		assertThat(this.processes.displaced()).isNull();
		assertThat(enter(FIRST, "b:2").refusal()).as("that which is named comes first").isNull();
		assertThat(this.dismissed).containsExactly(SECOND);
	}

	@Test
	void aProcessThatAPeerRefusesIsNoMember() {
		this.processes.refusedBy("n1", "a:1 and z:1");
		assertThat(this.processes.displaced()).isEqualTo("two processes are n0: a:1 and z:1");
		this.processes.refusedBy("n2", "a:1 and z:1");
		this.processes.refusedBy("n1", null);
		assertThat(this.processes.displaced()).isNotNull();
		this.processes.refusedBy("n2", null);
		assertThat(this.processes.displaced()).isNull();
	}

	/* It may have stopped, and a process that it refused for a moment serves. */
	@Test
	void aRefusalThatIsNotRepeatedIsOver() {
		this.processes.refusedBy("n1", "a:1 and z:1");
		pass(NamedDirectories.RETURN.minusNanos(1));
		this.processes.refusedBy("n2", "a:1 and y:1");
		assertThat(this.processes.displaced()).isNotNull();
		pass(Duration.ofNanos(1));
		assertThat(this.processes.displaced()).isEqualTo("two processes are n0: a:1 and y:1");
		pass(NamedDirectories.RETURN);
		assertThat(this.processes.displaced()).isNull();
		this.processes.refusedBy("n1", "a:1 and z:1");
		assertThat(this.processes.displaced()).isNotNull();
	}

	@Test
	void aDirectoryIsGoneSinceTheLastOfItsConnectionsWasHeard() {
		adopt(OWN, FIRST);
		Presence silent = enter(FIRST, "b:2");
		pass(Duration.ofHours(1));
		Presence heard = enter(FIRST, "b:2");
		heard.end();
		silent.end();
		pass(NamedDirectories.RETURN.minusNanos(1));
		assertThat(this.processes.alive()).containsEntry("n1", FIRST);
		pass(Duration.ofNanos(1));
		assertThat(this.processes.alive()).doesNotContainKey("n1");
	}

	@Test
	void twoProcessesAreShownForAWhileAndSaidOnceAMinute(CapturedOutput output) {
		adopt(OWN, FIRST);
		Presence first = enter(FIRST, "b:2");
		assertThat(enter(SECOND, "x:2").refusal()).isNotNull();
		assertThat(output).as("it may be over at once").doesNotContain("two processes");
		for (int second = 0; second < 62; second++) {
			pass(Duration.ofSeconds(1));
			first.heard();
			this.processes.toldOf("a:1 and z:1");
			this.processes.toldOf("a:1 and y:1");
			assertThat(enter(SECOND, "x:2").refusal()).isNotNull();
		}
		assertThat(output.getOut().lines().filter((line) -> line.contains("two processes are n1: b:2 and x:2")))
			.hasSize(2);
		assertThat(output.getOut().lines().filter((line) -> line.contains("two processes are n0"))).hasSize(2);
		pass(NamedDirectories.SHOWN);
		assertThat(this.processes.conflicts()).isEmpty();
		assertThat(this.processes.addressesOf("n1", FIRST)).isNull();
	}

}
