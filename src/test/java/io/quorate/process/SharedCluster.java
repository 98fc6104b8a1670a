package io.quorate.process;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cluster of three that all tests of a class share. After each of them all nodes run
 * again, and none has raised an alarm.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SharedCluster {

	static final int NODES = 3;

	ClusterProcesses cluster = ClusterProcesses.none();

	@BeforeAll
	void startCluster(@TempDir Path home) throws Exception {
		this.cluster = prepared(ClusterProcesses.in(home, NODES).withHeap("192m").withJvm("-XX:TieredStopAtLevel=1"))
			.start();
	}

	/** The cluster with the properties of this class. */
	ClusterProcesses prepared(ClusterProcesses usual) {
		return usual;
	}

	@AfterAll
	void stopCluster() {
		this.cluster.close();
	}

	@AfterEach
	void healCluster() throws Exception {
		this.cluster.heal();
		assertThat(this.cluster.alarms()).isEmpty();
	}

}
