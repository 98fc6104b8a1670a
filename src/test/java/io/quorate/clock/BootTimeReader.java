package io.quorate.clock;

import java.time.Duration;

/** A process that says by how many seconds its two monotonic clocks are apart. */
final class BootTimeReader {

	private BootTimeReader() {
	}

	static void main() {
		Duration ahead = Duration.ofNanos(BootTime.nanos() - System.nanoTime());
		System.out.println(ahead.plusMillis(500).toSeconds());
	}

}
