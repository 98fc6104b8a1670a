package io.quorate.backup;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.clock.TimeSource;
import io.quorate.internode.Position;
import io.quorate.membership.agreement.RecordedLayout;
import io.quorate.membership.agreement.RecordedLayouts;
import io.quorate.membership.layout.LayoutException;
import io.quorate.repair.record.Horizon;
import io.quorate.repair.record.PeerRecords;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.directory.StoreDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Directories of stopped members of n0, n1, n2, which n3 may have joined. */
class RecoveryTests {

	private static final long COMPARED = 1_700_000_000_000L << 16;

	private final ByteArrayOutputStream said = new ByteArrayOutputStream();

	private final PrintStream out = new PrintStream(this.said, true, StandardCharsets.UTF_8);

	@TempDir
	private Path home;

	private Path directory(String node, int last) throws IOException {
		Path directory = this.home.resolve(node);
		try (StoreDirectory opened = open(directory, "test")) {
			opened.raiseFormatLevel(FormatLevel.FIRST);
			opened.settle();
		}
		RecordedLayouts.write(directory, node, last);
		PeerRecords peers = PeerRecords.open(directory);
		peers.learns(4, 7);
		peers.saw("n1", new UUID(1, 1), Position.NONE, 4);
		peers.compared("n1", new UUID(1, 1), COMPARED);
		peers.save();
		return directory;
	}

	private static StoreDirectory open(Path directory, String cluster) {
		return StoreDirectory.open(directory, new StoreOwner(Objects.requireNonNull(directory.getFileName()).toString(),
				cluster, Map.of("n0", "", "n1", "", "n2", ""), 3), TimeSource.SYSTEM, FutureStamps.KEPT);
	}

	private String recovered(Path directory, Set<String> members, Path... others) throws IOException {
		try (Recovery recovery = Recovery.of(directory, List.of(others), members)) {
			recovery.explain(this.out);
			recovery.run(this.out);
		}
		return said();
	}

	private String said() {
		return this.said.toString(StandardCharsets.UTF_8);
	}

	private static RecordedLayout layout(Path directory) throws IOException {
		return Objects.requireNonNull(RecordedLayout.read(directory));
	}

	private static UUID storageId(Path directory) {
		try (StoreDirectory opened = open(directory, "test")) {
			return opened.storageId();
		}
	}

	@Test
	void aMemberBeginsWithALayoutOfItsOwn() throws IOException {
		Path directory = directory("n0", RecordedLayouts.BEFORE);
		UUID storageId = storageId(directory);
		String said = recovered(directory, Set.of("n0"));
		assertThat(said).contains("Found:     version 2 (", "Recovered: version 1000000003 (", "[n0], 1 copies",
				"Given up:  n1, n2", "all that n1 held at 2023-11-14T22:13:20Z", "ever compared with n2",
				"The replication factor is 1, not 3 any more", "in incarnation 5 of the cluster");
		assertThat(said).doesNotContain("partitions");
		assertThat(layout(directory).version().version()).isEqualTo(1_000_000_003);
		assertThat(layout(directory).members()).extracting(RecordedLayout.Named::storageId)
			.containsExactly(storageId.toString());
		assertThat(storageId(directory)).as("its data are the same").isEqualTo(storageId);
		PeerRecords peers = PeerRecords.open(directory);
		assertThat(peers.incarnation()).isEqualTo(5);
		assertThat(peers.of("n1")).isNull();
	}

	@Test
	void twoMembersBeginWithTheSameLayout() throws IOException {
		Path ahead = directory("n0", RecordedLayouts.AFTER);
		Path behind = directory("n3", RecordedLayouts.JOINT);
		Set<String> left = Set.of("n0", "n3");
		Path copies = Files.createDirectory(this.home.resolve("copies"));
		for (String file : List.of("NODE", "LAYOUT")) {
			Files.copy(ahead.resolve(file), copies.resolve(file));
		}
		recovered(ahead, left, behind);
		recovered(behind, left, copies);
		assertThat(layout(ahead).version()).isEqualTo(layout(behind).version());
		assertThat(layout(ahead).version().version()).isEqualTo(1_000_000_005);
		assertThat(layout(behind).deciding()).isEqualTo("[n0, n3], 2 copies");
		assertThat(RecordedLayout.read(copies)).as("only read")
			.isNotNull()
			.hasToString(said().lines()
				.filter((line) -> line.startsWith("Found:"))
				.findFirst()
				.orElseThrow()
				.replaceFirst("Found: +", ""));
	}

	@Test
	void aMemberTakesTheLayoutThatTheOtherHasByNow() throws IOException {
		Path first = directory("n0", RecordedLayouts.AFTER);
		Path second = directory("n3", RecordedLayouts.JOINT);
		Set<String> left = Set.of("n0", "n3");
		recovered(first, left, second);
		assertThat(recovered(second, left, first)).contains("Another member that is left has that layout already");
		assertThat(layout(first).version()).isEqualTo(layout(second).version());
		this.said.reset();
		assertThat(recovered(second, left, first)).contains("This directory has that layout already")
			.doesNotContain("incarnation");
		assertThat(PeerRecords.open(second).incarnation()).isEqualTo(5);
	}

	@Test
	void theLayoutsOfAllMembersLeftAreNeeded() throws IOException {
		Path directory = directory("n0", RecordedLayouts.AFTER);
		Path other = directory("n3", RecordedLayouts.AFTER);
		requireRefused("the layouts that [n3] know are needed", directory, Set.of("n0", "n3"));
		requireRefused("n3 is not among the members that are left, [n0]", directory, Set.of("n0"), other);
		requireRefused("n0 is not among the members", directory, Set.of("n3"));
		requireRefused("two directories are of n3", directory, Set.of("n0", "n3"), other, other);
	}

	private void requireRefused(String why, Path directory, Set<String> members, Path... others) throws IOException {
		List<Path> before = files(directory);
		String layout = layout(directory).toString();
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> recovered(directory, members, others))
			.withMessageContaining(why);
		assertThat(files(directory)).isEqualTo(before);
		assertThat(layout(directory)).hasToString(layout);
		assertThat(PeerRecords.open(directory).incarnation()).isEqualTo(4);
	}

	private static List<Path> files(Path directory) throws IOException {
		try (Stream<Path> all = Files.list(directory)) {
			return all.sorted().toList();
		}
	}

	@Test
	void aNodeOfAnotherClusterIsRefused() throws IOException {
		Path directory = directory("n0", RecordedLayouts.AFTER);
		Path other = this.home.resolve("n3");
		try (StoreDirectory opened = open(other, "other")) {
			opened.raiseFormatLevel(FormatLevel.FIRST);
		}
		RecordedLayouts.write(other, "n3", RecordedLayouts.AFTER);
		requireRefused("of another cluster than n0", directory, Set.of("n0", "n3"), other);
	}

	@Test
	void aNodeThatRunsIsRefused() throws IOException {
		Path directory = directory("n0", RecordedLayouts.AFTER);
		try (StoreDirectory _ = open(directory, "test")) {
			requireRefused("is in use", directory, Set.of("n0"));
		}
	}

	@Test
	void aDirectoryThatMayLackDataIsRefused() throws IOException {
		Path directory = directory("n0", RecordedLayouts.AFTER);
		Files.createFile(directory.resolve("NEW"));
		requireRefused("has not met a majority", directory, Set.of("n0"));
		Files.delete(directory.resolve("NEW"));
		Files.createFile(directory.resolve("LEFT"));
		requireRefused("of a member that has left", directory, Set.of("n0"));
		Files.delete(directory.resolve("LEFT"));
		Files.createFile(directory.resolve("RESTORING"));
		requireRefused("has not ended", directory, Set.of("n0"));
		Files.delete(directory.resolve("RESTORING"));
		Files.writeString(directory.resolve("REBUILD"), "damaged");
		requireRefused("is being rebuilt", directory, Set.of("n0"));
	}

	@Test
	void aDirectoryWithoutANodeIsRefused() {
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> recovered(this.home, Set.of("n0")))
			.withMessageContaining("is not the directory of a node");
		assertThat(this.home).isEmptyDirectory();
	}

	@Test
	void aMemberWhoseUpgradeIsNotFinalizedIsRefused() {
		Path directory = this.home.resolve("n0");
		try (StoreDirectory opened = open(directory, "test")) {
			opened.settle();
		}
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> recovered(directory, Set.of("n0")))
			.withMessageContaining("n0 has never heard all other members");
	}

	@Test
	void membersThatCanDecideAreRefused() throws IOException {
		Path directory = directory("n0", RecordedLayouts.BEFORE);
		Path other = directory("n1", RecordedLayouts.BEFORE);
		// The layout names the directories of both, but for these are new.
		String said = recovered(directory, Set.of("n0", "n1"), other);
		assertThat(said).contains("[n0, n1], 2 copies");
		assertThatExceptionOfType(LayoutException.class)
			.isThrownBy(() -> recovered(directory("n4", RecordedLayouts.AFTER), Set.of("n4")))
			.withMessageContaining("there is no member [n4]");
	}

	@Test
	void theHorizonAndTheLostKeysAreShown() throws IOException {
		Path directory = directory("n3", RecordedLayouts.AFTER);
		Horizon.open(directory, true, 0).raise(new Horizon.Levels(COMPARED, Map.of()));
		assertThat(recovered(directory, Set.of("n3"))).contains("purged deletions until 2023-11-14T22:13:20Z",
				"of the 16,384 partitions: their keys are lost");
	}

}
