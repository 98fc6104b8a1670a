package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The wall clock of one node, which a test moves while the node runs, by libfaketime. Its
 * monotonic clock is left alone, as it is when somebody sets the clock of a machine.
 */
final class WallClock {

	/* Set where nothing may be left out: then a missing library fails the test. */
	private static final String REQUIRED = "REQUIRE_FAKETIME";

	private static final List<Path> LIBRARIES = List.of(
			Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
			Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"),
			Path.of("/usr/lib64/faketime/libfaketimeMT.so.1"), Path.of("/usr/lib/faketime/libfaketimeMT.so.1"),
			Path.of("/usr/local/lib/faketime/libfaketimeMT.so.1"));

	private final Path file;

	private WallClock(Path file) {
		this.file = file;
	}

	/** Gives a node a clock of its own, which is right until it is moved. */
	static WallClock of(NodeProcess node) throws IOException {
		Path home = Files.createDirectories(node.data().toAbsolutePath().getParent());
		WallClock clock = new WallClock(home.resolve("clock"));
		clock.set(Duration.ZERO);
		node.withEnvironment("LD_PRELOAD", library().toString())
			.withEnvironment("FAKETIME_TIMESTAMP_FILE", clock.file.toString())
			.withEnvironment("FAKETIME_NO_CACHE", "1")
			.withEnvironment("FAKETIME_DONT_FAKE_MONOTONIC", "1")
			/*
			 * Else every timed wait of a thread ends at once, and it waits by spinning.
			 */
			.withEnvironment("FAKETIME_FORCE_MONOTONIC_FIX", "0")
			.withEnvironment("NO_FAKE_STAT", "1");
		return clock;
	}

	private static Path library() {
		Optional<Path> library = LIBRARIES.stream().filter(Files::exists).findFirst();
		String missing = "libfaketime is needed to move the clocks of nodes: apt-get install faketime";
		if (System.getenv(REQUIRED) != null) {
			assertThat(library).as(missing).isPresent();
		}
		assumeThat(library).as(missing).isPresent();
		return library.orElseThrow();
	}

	/** Sets it so far ahead of the right time, or behind it if negative. */
	void set(Duration ahead) throws IOException {
		Path next = this.file.resolveSibling("clock.next");
		Files.writeString(next, "%+d%n".formatted(ahead.toSeconds()));
		Files.move(next, this.file, StandardCopyOption.ATOMIC_MOVE);
	}

}
