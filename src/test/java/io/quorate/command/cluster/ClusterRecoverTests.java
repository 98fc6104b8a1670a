package io.quorate.command.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.quorate.clock.TimeSource;
import io.quorate.command.CommandRun;
import io.quorate.command.terminal.ExitCode;
import io.quorate.membership.agreement.RecordedLayout;
import io.quorate.membership.agreement.RecordedLayouts;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.directory.StoreDirectory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The recovery of a member that is left, from the command line. */
class ClusterRecoverTests {

	private Path directory = Path.of("");

	@TempDir
	private Path home;

	@BeforeEach
	void prepare() throws IOException {
		this.directory = this.home.resolve("n0");
		try (StoreDirectory opened = StoreDirectory.open(this.directory,
				new StoreOwner("n0", "test", Map.of("n0", "", "n1", "", "n2", ""), 3), TimeSource.SYSTEM,
				FutureStamps.KEPT)) {
			opened.raiseFormatLevel(FormatLevel.FIRST);
			opened.settle();
		}
		RecordedLayouts.write(this.directory, "n0", RecordedLayouts.BEFORE);
	}

	private CommandRun recover(String... options) {
		return CommandRun
			.of(Stream.concat(Stream.of("cluster", "recover", this.directory.toString()), Stream.of(options))
				.toArray(String[]::new));
	}

	private long version() throws IOException {
		return Objects.requireNonNull(RecordedLayout.read(this.directory)).version().version();
	}

	@Test
	void nothingIsChangedWithoutConfirmation() throws IOException {
		CommandRun dry = recover("--members", "n0", "--dry-run");
		assertThat(dry.exitCode()).isZero();
		assertThat(dry.out()).contains("Found:     version 2 (", "Recovered: version 1000000003 (",
				"Given up:  n1, n2");
		CommandRun unconfirmed = recover("--members", "n0");
		assertThat(unconfirmed.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(unconfirmed.out()).isEqualTo(dry.out());
		assertThat(unconfirmed.err()).contains("nothing was changed", "repeat it with --yes");
		assertThat(version()).isEqualTo(2);
		assertThat(this.directory.resolve("PEERS")).doesNotExist();
	}

	@Test
	void aConfirmedRecoveryIsDoneOnce() throws IOException {
		CommandRun done = recover("--members", "n0", "--yes");
		assertThat(done.exitCode()).isZero();
		assertThat(done.err()).isEmpty();
		assertThat(done.out()).contains("n0 begins with version 1000000003 (", "in incarnation 1 of the cluster");
		CommandRun again = recover("--members", "n0", "--yes");
		assertThat(again.exitCode()).isZero();
		assertThat(again.out()).contains("This directory has that layout already");
		assertThat(version()).isEqualTo(1_000_000_003);
	}

	@Test
	void aRefusalIsExplained() throws IOException {
		CommandRun refused = recover("--members", "n0,n1", "--yes");
		assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(refused.err()).contains("not recovered: the layouts that [n1] know are needed, too: --with");
		assertThat(recover("--members", "n0@host:7100").err()).contains("is no id");
		assertThat(recover("--members", "n0", "--yes", "--dry-run").err()).contains("exclude each other");
		assertThat(recover("--yes").exitCode()).isEqualTo(ExitCode.MISUSED);
		Files.delete(this.directory.resolve("LAYOUT"));
		assertThat(recover("--members", "n0", "--yes").err()).contains("has no file LAYOUT");
	}

	@Test
	void anotherMemberLeftIsNamedWithItsDirectory() throws IOException {
		Path other = Files.createDirectory(this.home.resolve("copies"));
		CommandRun missing = recover("--members", "n0,n1", "--with", other.toString(), "--dry-run");
		assertThat(missing.err()).contains("is not the directory of a node");
	}

}
