package io.quorate.security;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.event.Level;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class RefusalLogTests {

	private static final int NODES = 3 * RefusalLog.MAX_REMEMBERED;

	private final AtomicLong nanos = new AtomicLong();

	private final Counter counter = new SimpleMeterRegistry().counter("refused");

	private final RefusalLog refusals = new RefusalLog(this.counter, this.nanos::get);

	@Test
	void aRepeatedRefusalIsLoggedOnce(CapturedOutput output) {
		for (int i = 0; i < 3; i++) {
			this.refusals.refused("n1", "the cluster differs");
			this.refusals.refused(InetSocketAddress.createUnresolved("127.0.0.1", 7000 + i), "no certificate");
			pass(Duration.ofHours(1));
		}
		assertThat(lines(output, "A connection of node 'n1' is refused, the cluster differs")).isOne();
		assertThat(lines(output, "A connection from 127.0.0.1 is refused: no certificate")).isOne();
		assertThat(this.counter.count()).isEqualTo(6);
	}

	@Test
	void aRefusalThatTurnsOutToLastIsSaidAgain(CapturedOutput output) {
		for (int i = 0; i < 3; i++) {
			this.refusals.refused(Level.INFO, "n1", "it is no member");
			this.refusals.refused("n1", "it is no member");
		}
		assertThat(lines(output, "A connection of node 'n1' is refused, it is no member")).isEqualTo(2);
		assertThat(output.getOut().lines().filter((line) -> line.contains("ERROR"))).hasSize(1);
	}

	@Test
	void howeverManyThereWereANewOneIsSaid(CapturedOutput output) {
		for (int i = 0; i < NODES; i++) {
			this.refusals.refused("node-" + i, "the cluster differs");
			this.refusals.refused("n1", "the version differs");
			pass(Duration.ofSeconds(1));
		}
		assertThat(lines(output, "A connection of node 'node-%d' is refused".formatted(NODES - 1))).isOne();
		assertThat(lines(output, "'n1'")).as("who tries again and again is not forgotten").isOne();
		this.refusals.refused("node-0", "the cluster differs");
		assertThat(lines(output, "'node-0'")).as("who was long ago is forgotten").isEqualTo(2);
		assertThat(this.counter.count()).isEqualTo(2 * NODES + 1);
	}

	@Test
	void aFloodOfRefusalsIsLoggedInPartAndTheRestWhenRepeated(CapturedOutput output) {
		for (int i = 0; i < NODES; i++) {
			this.refusals.refused("node-" + i, "the cluster differs");
		}
		assertThat(lines(output, "is refused")).isEqualTo(RefusalLog.MAX_SAID);
		assertThat(this.counter.count()).isEqualTo(NODES);
		pass(Duration.ofMinutes(1));
		this.refusals.refused("node-" + (NODES - 1), "the cluster differs");
		assertThat(lines(output, "node-" + (NODES - 1))).isOne();
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	private static long lines(CapturedOutput output, String part) {
		return output.getOut().lines().filter((line) -> line.contains(part)).count();
	}

}
