package io.quorate.process;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;

import io.quorate.security.access.Token;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node that cannot be right does not start: it ends with an exit code, and says what is
 * wrong, where, and what to do. Each case begins with a copy of the directory of a node
 * that was killed.
 */
class StartRefusalIT {

	private static final byte[] VALUE = new byte[1000];

	@TempDir
	private static Path homes;

	private static Path killed;

	@BeforeAll
	static void writeAndKill() throws Exception {
		try (NodeProcess node = quick(homes.resolve("killed")).start()) {
			for (int i = 0; i < 20; i++) {
				assertThat(NodeClient.of(node).put("key-" + i, VALUE).statusCode()).isEqualTo(201);
			}
			node.kill9();
			killed = node.data();
		}
	}

	private static NodeProcess quick(Path home) {
		return NodeProcess.in(home).withHeap("128m").withJvm("-XX:TieredStopAtLevel=1");
	}

	@Test
	void theDirectoryOfAnotherNode(@TempDir Path home) throws Exception {
		requireRefusal(copy(home).with("quorate.node.id", "n7"), "NODE: node is 'n0' on disk and 'n7' by configuration",
				"Set quorate.node.id to what it was");
	}

	@Test
	void theDirectoryOfAnotherCluster(@TempDir Path home) throws Exception {
		requireRefusal(copy(home).with("quorate.cluster.name", "elsewhere"),
				"NODE: cluster is 'quorate' on disk and 'elsewhere' by configuration",
				"Set quorate.cluster.name to what it was");
	}

	@Test
	void aWrongProperty(@TempDir Path home) throws Exception {
		// No message has a token, wherever it was pasted.
		requireRefusal(copy(home).with("quorate.storage.memtable-size", Token.generate("ops").text()),
				"quorate.storage.memtable-size", "'qk_ops_***'", "a size with its unit, such as 512KB");
	}

	@Test
	void anUnknownProperty(@TempDir Path home) throws Exception {
		requireRefusal(copy(home).with("quorate.storage.memtable-sice", "1MB"), "quorate.storage.memtable-sice",
				"quorate.storage.memtable-size");
	}

	@Test
	void aDamagedManifest(@TempDir Path home) throws Exception {
		NodeProcess node = copy(home);
		Damage.flipBit(node.data().resolve("MANIFEST"), 9);
		requireRefusal(node, node.data().resolve("MANIFEST") + " is damaged at offset 0",
				"Restore the whole directory from a backup");
	}

	/* That of a member of several refuses the start: LayoutActivationIT. */
	@Test
	void aDamagedLayoutOfANodeAloneCostsNothing(@TempDir Path home) throws Exception {
		try (NodeProcess node = copy(home)) {
			Path layout = node.data().resolve("LAYOUT");
			Damage.flipBit(layout, 9);
			node.start();
			assertThat(node.logOfThisStart()).contains(layout + " is damaged: ", "It is made anew");
			assertThat(NodeClient.of(node).get("key-3").body()).isEqualTo(VALUE);
			awaitActivated(node);
		}
	}

	private static void awaitActivated(NodeProcess node) {
		await().atMost(Duration.ofMinutes(2))
			.untilAsserted(() -> assertThat(NodeClient.text(NodeClient.of(node).getPath("/actuator/cluster")))
				.contains("\"state\":\"stable\"", "\"blockedBy\":[]"));
	}

	@Test
	void aLogThatIsDamagedBeforeWhatWasForced(@TempDir Path home) throws Exception {
		NodeProcess node = copy(home);
		Path log = node.data().resolve("wal").resolve("000001.log");
		Damage.flipBit(log, Damage.positionOf("key-3", log));
		requireRefusal(node, log + " is damaged at offset ", "acknowledged writes",
				"Restore the whole directory from a backup", "quorate.storage.recovery=salvage");
	}

	@Test
	void aSalvageKeepsEverythingElse(@TempDir Path home) throws Exception {
		NodeProcess damaged = copy(home);
		Path log = damaged.data().resolve("wal").resolve("000001.log");
		Damage.flipBit(log, Damage.positionOf("key-3", log));
		requireRefusal(damaged, "quorate.storage.recovery=salvage");
		try (NodeProcess node = damaged.with("quorate.storage.recovery", "salvage").start()) {
			assertThat(node.logOfThisStart()).contains("Lost: " + log, "has another identity");
			requireAllBut(node, "key-3");
			node.terminate();
			node.without("quorate.storage.recovery").start();
			requireAllBut(node, "key-3");
			assertThat(node.logOfThisStart()).doesNotContain("salvage");
			awaitActivated(node);
		}
	}

	private static void requireAllBut(NodeProcess node, String lost) throws Exception {
		for (int i = 0; i < 20; i++) {
			String key = "key-" + i;
			assertThat(NodeClient.of(node).get(key).statusCode()).as(key).isEqualTo(key.equals(lost) ? 404 : 200);
		}
	}

	@Test
	void anUndamagedDirectoryStarts(@TempDir Path home) throws Exception {
		try (NodeProcess node = copy(home)) {
			node.start();
			assertThat(NodeClient.of(node).get("key-3").body()).isEqualTo(VALUE);
		}
	}

	private static void requireRefusal(NodeProcess refused, String... told) throws Exception {
		try (NodeProcess node = refused.launch()) {
			assertThat(node.awaitExit()).as(node.log()).isEqualTo(1);
			assertThat(node.log()).contains(told)
				.doesNotContain("\tat io.quorate", "context initialization", "condition evaluation");
		}
	}

	private static NodeProcess copy(Path home) throws IOException {
		NodeProcess node = quick(home);
		Files.walkFileTree(killed, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
					throws IOException {
				Files.createDirectories(node.data().resolve(killed.relativize(directory)));
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
				Files.copy(file, node.data().resolve(killed.relativize(file)));
				return FileVisitResult.CONTINUE;
			}

		});
		return node;
	}

}
