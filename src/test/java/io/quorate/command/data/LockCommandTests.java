package io.quorate.command.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.quorate.SharedNode;
import io.quorate.command.CommandRun;
import io.quorate.command.terminal.ExitCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The subcommand {@code lock}, against a node. */
class LockCommandTests {

	private static final int LOST = 123;

	private static final int LOCKED = 124;

	private static final int FAILED = 125;

	private static final int NO_PROGRAM = 127;

	@TempDir
	private Path folder;

	@BeforeEach
	void empty() {
		SharedNode.OPEN.empty();
	}

	private static CommandRun run(String... arguments) {
		return CommandRun.of(Map.of("QUORATE_ENDPOINTS", SharedNode.OPEN.url()), "", arguments);
	}

	/* In its script $F is a file. */
	private CommandRun lock(String options, String script) {
		String line = "lock report " + options + " -- sh -c";
		String[] words = (line.replaceAll(" +", " ") + " ?").split(" ", -1);
		words[words.length - 1] = "F='" + this.folder.resolve("file") + "'; " + script;
		return run(words);
	}

	private CompletableFuture<CommandRun> begin(String options, String script) {
		return CompletableFuture.supplyAsync(() -> lock(options, script), Thread::startVirtualThread);
	}

	private String written() throws IOException {
		return Files.readString(this.folder.resolve("file")).strip();
	}

	private void awaitFile() {
		Awaitility.await().until(() -> Files.exists(this.folder.resolve("file")));
	}

	@Test
	void theCodeIsThatOfTheCommandWhoseTokenIsAboveAllBefore() throws IOException {
		CommandRun first = lock("", "echo $QUORATE_LOCK_TOKEN > $F; exit 7");
		assertThat(first).isEqualTo(new CommandRun(7, "", ""));
		String token = written();
		assertThat(run("get", "lock:report").exitCode()).isEqualTo(ExitCode.ABSENT);
		assertThat(lock("--ttl 1h --wait 0s", "echo $QUORATE_LOCK_TOKEN > $F").exitCode()).isZero();
		assertThat(written()).isGreaterThan(token);
	}

	@Test
	void aLockOfAnotherIsNotTakenBeforeItIsReleased() {
		run("put", "lock:report", "of another");
		CommandRun locked = lock("--wait 0s", ": > $F");
		assertThat(locked.exitCode()).isEqualTo(LOCKED);
		assertThat(locked.err()).isEqualTo("quorate: lock:report is locked by another holder\n");
		CompletableFuture<CommandRun> waits = begin("", ": > $F");
		assertThat(this.folder.resolve("file")).doesNotExist();
		run("del", "lock:report");
		assertThat(waits.join().exitCode()).isZero();
		awaitFile();
	}

	@Test
	void aCommandWhoseLockIsLostIsEndedAlsoAgainstItsWill() throws IOException {
		CompletableFuture<CommandRun> runs = begin("--ttl 5s",
				"trap '' TERM; echo $$ > $F; while :; do sleep 0.1; done");
		awaitFile();
		run("del", "lock:report");
		CommandRun run = runs.join();
		assertThat(run.exitCode()).isEqualTo(LOST);
		assertThat(run.err()).endsWith("quorate: lock:report is lost: sh is ended\n");
		assertThat(ProcessHandle.of(Long.parseLong(written())).filter(ProcessHandle::isAlive)).isEmpty();
	}

	@Test
	void aSignalIsPassedOn() throws IOException {
		CommandRun run = lock("", "trap 'echo ended > $F; exit 9' TERM; kill -TERM $PPID; while :; do sleep 0.1; done");
		assertThat(run.exitCode()).as(run.err()).isEqualTo(9);
		assertThat(written()).isEqualTo("ended");
		assertThat(run("get", "lock:report").exitCode()).isEqualTo(ExitCode.ABSENT);
	}

	@Test
	void aCommandThatEndsWithTheCodeOfALossLeavesNoLock() {
		assertThat(lock("", "exit " + LOST).exitCode()).isEqualTo(LOST);
		assertThat(run("get", "lock:report").exitCode()).isEqualTo(ExitCode.ABSENT);
	}

	@Test
	void aCommandThatIsNoneLeavesNoLock() {
		CommandRun run = run("lock", "report", "--", this.folder.resolve("none").toString());
		assertThat(run.exitCode()).isEqualTo(NO_PROGRAM);
		assertThat(run.err()).startsWith("quorate: ").hasLineCount(1);
		assertThat(run("get", "lock:report").exitCode()).isEqualTo(ExitCode.ABSENT);
	}

	@Test
	void withoutANodeTheCommandIsNotRun() {
		assertThat(lock("-e http://127.0.0.1:1", ": > $F").exitCode()).isEqualTo(FAILED);
		assertThat(this.folder.resolve("file")).doesNotExist();
	}

}
