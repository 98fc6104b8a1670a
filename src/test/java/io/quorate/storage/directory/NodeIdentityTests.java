package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

import io.quorate.storage.FormatLevel;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.directory.NodeIdentity.Expected;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class NodeIdentityTests {

	private static final Expected EXPECTED = new Expected("n1", "shop", Map.of("n1", "east", "n2", "west", "n3", ""),
			3);

	@TempDir
	private Path directory;

	@Test
	void aNewDirectoryGetsAnIdentityThatStays() {
		NodeIdentity created = NodeIdentity.openOrCreate(this.directory, EXPECTED);
		NodeIdentity opened = NodeIdentity.openOrCreate(this.directory, EXPECTED);
		assertThat(opened).isEqualTo(new NodeIdentity(created.storageId(), FormatLevel.UNDECIDED, false));
	}

	@Test
	void everyDirectoryHasAnotherStorageId() throws IOException {
		NodeIdentity first = NodeIdentity.openOrCreate(this.directory, EXPECTED);
		Files.delete(file());
		assertThat(NodeIdentity.openOrCreate(this.directory, EXPECTED).storageId()).isNotEqualTo(first.storageId());
	}

	@Test
	void aRestoredDirectoryIsNamedWithItsStorageId() throws IOException {
		NodeIdentity.openOrCreate(this.directory, EXPECTED);
		NodeIdentity.raise(this.directory, 1);
		NodeIdentity.renew(Files.copy(file(), this.directory.resolve("recorded")), this.directory, true);
		NodeIdentity restored = NodeIdentity.openOrCreate(this.directory, EXPECTED);
		assertThat(restored.isRestored()).isTrue();
		NodeIdentity named = new NodeIdentity(restored.storageId(), 1, false);
		assertThat(NodeIdentity.namedAnew(this.directory)).isEqualTo(named);
		assertThat(NodeIdentity.openOrCreate(this.directory, EXPECTED)).isEqualTo(named);
	}

	@Test
	void theFileCanBeReadByPeople() {
		NodeIdentity.openOrCreate(this.directory, EXPECTED);
		assertThat(file()).content()
			.contains("node=n1\n", "cluster=shop\n", "member.n1=east\n", "member.n3=\n", "replication-factor=3\n",
					"partitions=16384\n", "hash=xxh64\n", "format=1\n");
	}

	@Test
	void anotherNodeIsRefused() {
		assertRefused(new Expected("n2", "shop", EXPECTED.zones(), 3),
				"node is 'n1' on disk and 'n2' by configuration. Set quorate.node.id");
	}

	@Test
	void anotherClusterIsRefused() {
		assertRefused(new Expected("n1", "farm", EXPECTED.zones(), 3),
				"cluster is 'shop' on disk and 'farm' by configuration. Set quorate.cluster.name");
	}

	@Test
	void otherMembersAreRefused() {
		assertRefused(new Expected("n1", "shop", Map.of("n1", "east", "n2", "west"), 3),
				"members is 'n1/east,n2/west,n3' on disk and 'n1/east,n2/west' by configuration."
						+ " Set quorate.cluster.members to the ids and zones that they had");
	}

	@Test
	void otherZonesAreRefused() {
		assertRefused(new Expected("n1", "shop", Map.of("n1", "east", "n2", "west", "n3", "west"), 3),
				"'n1/east,n2/west,n3/west' by configuration");
	}

	@Test
	void anotherReplicationFactorIsRefused() {
		assertRefused(new Expected("n1", "shop", EXPECTED.zones(), 2),
				"replication-factor is '3' on disk and '2' by configuration.");
	}

	@Test
	void damageIsRefusedWhereverItIs() throws IOException {
		NodeIdentity.openOrCreate(this.directory, EXPECTED);
		byte[] whole = Files.readAllBytes(file());
		for (int at = 0; at < whole.length; at++) {
			byte[] damaged = whole.clone();
			damaged[at] ^= 0x10;
			assertDamaged(damaged);
			assertDamaged(Arrays.copyOf(whole, at));
		}
	}

	@Test
	void aMissingFileBesideDataIsRefused() throws IOException {
		Files.createFile(this.directory.resolve("MANIFEST"));
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> NodeIdentity.openOrCreate(this.directory, EXPECTED))
			.withMessageContaining("NODE is missing beside data");
		assertThat(file()).doesNotExist();
	}

	@Test
	void namesThatWouldNotBeReadBackAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Expected("n=1", "shop", Map.of("n=1", ""), 1));
		assertThatIllegalArgumentException().isThrownBy(() -> new Expected("n1", "a\nb", Map.of("n1", ""), 1));
	}

	@Test
	void candidateIsNotAmongTheMembersOfItsDirectory() {
		Expected candidate = new Expected("n4", "shop", EXPECTED.zones(), 3);
		NodeIdentity identity = NodeIdentity.openOrCreate(this.directory, candidate);
		assertThat(file()).content().contains("node=n4\n", "member.n3=\n").doesNotContain("member.n4");
		assertThat(NodeIdentity.openOrCreate(this.directory, candidate)).isEqualTo(identity);
	}

	private void assertRefused(Expected configured, String message) {
		NodeIdentity.openOrCreate(this.directory, EXPECTED);
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> NodeIdentity.openOrCreate(this.directory, configured))
			.withMessageContaining(message)
			.withMessageContaining(file().toString());
	}

	private void assertDamaged(byte[] content) throws IOException {
		Files.write(file(), content);
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> NodeIdentity.openOrCreate(this.directory, EXPECTED))
			.withMessageContaining("is damaged");
		assertThat(Files.readAllBytes(file())).isEqualTo(content);
	}

	private Path file() {
		return this.directory.resolve("NODE");
	}

}
