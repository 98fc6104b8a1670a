package io.quorate.command.setup;

import io.quorate.command.setup.ClusterNode.Place;
import io.quorate.command.terminal.CommandException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ClusterNodesTests {

	private static final ClusterNodes THREE = nodes("n0", "n1", "n2");

	private static ClusterNodes nodes(String... ids) {
		ClusterNodes nodes = ClusterNodes.NONE;
		for (String id : ids) {
			nodes = nodes.with(new Host(id, "127.0.0.1"), 8080, 7100, Place.FIRST);
		}
		return nodes;
	}

	@Test
	void nodesOfOneHostHavePortsInARow() {
		assertThat(THREE.members()).isEqualTo("n0@127.0.0.1:7100,n1@127.0.0.1:7101,n2@127.0.0.1:7102");
		assertThat(THREE.urls()).isEqualTo("https://127.0.0.1:8080,https://127.0.0.1:8081,https://127.0.0.1:8082");
	}

	@Test
	void noTwoServersOfAHostHaveOnePort() {
		assertThat(two(7100, 7101).members()).isEqualTo("n0@h:7101,n1@h:7103");
		assertThat(two(7101, 7100).members()).isEqualTo("n0@h:7100,n1@h:7102");
		assertThatExceptionOfType(CommandException.class).isThrownBy(() -> two(8080, 8080))
			.withMessage("--port and --internode-port are two ports, not 8080 both");
	}

	private static ClusterNodes two(int port, int internodePort) {
		return ClusterNodes.NONE.with(new Host("n0", "h"), port, internodePort, Place.FIRST)
			.with(new Host("n1", "h"), port, internodePort, Place.FIRST);
	}

	@Test
	void aNodeThatJoinsChangesNoListOfFirstMembers() {
		ClusterNodes more = THREE.with(new Host("n3", "h3"), 8080, 7100, Place.JOINS)
			.with(new Host("n4", "h4"), 8080, 7100, Place.JOINS);
		assertThat(more.members()).isEqualTo(THREE.members());
		assertThat(more.copies()).isEqualTo(3);
		assertThat(more.seeds(more.all().getLast())).isEqualTo("n3@h3:7100");
		assertThat(more.urls()).endsWith(",https://h3:8080,https://h4:8080");
		assertThat(more.without("n3").all()).hasSize(4);
		assertThat(more.without("n1").members()).isEqualTo(THREE.members());
		assertThat(more.without("n1").urls()).doesNotContain("8081");
	}

	@Test
	void theListIsReadAsItIsWritten() {
		ClusterNodes more = THREE.with(new Host("six", "fd00::1"), 8080, 7100, Place.JOINS).without("n2");
		assertThat(ClusterNodes.ofText(more.text())).isEqualTo(more);
		assertThatIllegalArgumentException().isThrownBy(() -> ClusterNodes.ofText("n0@h:7100\n"))
			.withMessage("'n0@h:7100' is no node");
	}

	@Test
	void fiveMembersHaveThreeCopies() {
		assertThat(nodes("a", "b", "c", "d", "e").copies()).isEqualTo(3);
		assertThat(nodes("a").copies()).isEqualTo(1);
	}

}
