package io.quorate.process;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FreePortsTests {

	/*
	 * What the whole suite takes, without a port twice: servers of one test take theirs
	 * one after the other.
	 */
	@Test
	void portsAreNotGivenOutAgain() throws IOException {
		Set<Integer> given = new HashSet<>(FreePorts.any(100));
		for (int i = 0; i < 100; i++) {
			int first = FreePorts.first(9);
			for (int port = first; port < first + 9; port++) {
				assertThat(given.add(port)).as("%d for the first time", port).isTrue();
			}
		}
		assertThat(given).hasSize(1000).allMatch((port) -> port >= 10_240 && port < 65_536);
	}

}
