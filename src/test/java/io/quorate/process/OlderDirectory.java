package io.quorate.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * A copy of a node's directory, as a snapshot of its volume or of its machine is, and the
 * node that is put back to it.
 */
final class OlderDirectory {

	private final ClusterProcesses cluster;

	private final String name;

	private final Path copy;

	private long taken;

	private OlderDirectory(ClusterProcesses cluster, String name, Path copy) {
		this.cluster = cluster;
		this.name = name;
		this.copy = copy;
	}

	static OlderDirectory of(ClusterProcesses cluster, String name, Path copy) {
		return new OlderDirectory(cluster, name, copy);
	}

	/** Copies what a running machine holds: the node goes on with the same start. */
	void copyOfAFrozenNode() throws IOException, InterruptedException {
		this.cluster.freeze(this.name);
		copy();
		this.cluster.thaw(this.name);
	}

	/** Copies what a killed node leaves, and starts it again. */
	void copyOfAKilledNode() throws IOException, InterruptedException {
		this.cluster.kill9(this.name);
		copy();
		this.cluster.restart(this.name);
		this.cluster.awaitConnected();
	}

	private void copy() throws IOException {
		FileSystemUtils.copyRecursively(this.cluster.node(this.name).data(), this.copy);
		this.taken = System.nanoTime();
	}

	void awaitAge(Duration least) throws InterruptedException {
		Duration age = Duration.ofNanos(System.nanoTime() - this.taken);
		if (age.compareTo(least) < 0) {
			new Pace(least.minus(age)).await();
		}
	}

	/** Kills the node and starts it on the copy, of which nothing is left. */
	void putBack() throws IOException, InterruptedException {
		this.cluster.kill9(this.name);
		this.cluster.wipe(this.name);
		FileSystemUtils.copyRecursively(this.copy, this.cluster.node(this.name).data());
		FileSystemUtils.deleteRecursively(this.copy);
		this.cluster.restart(this.name);
	}

	void awaitRebuilt(Duration limit) {
		await().atMost(limit)
			.until(() -> this.cluster.node(this.name).logOfThisStart().contains("This node is rebuilt"));
		this.cluster.awaitConnected();
	}

}
