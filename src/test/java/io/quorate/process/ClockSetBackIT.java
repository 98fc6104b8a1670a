package io.quorate.process;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A node alone whose system clock is moved, and set back over a restart. */
@Tag(Scale.FULL)
class ClockSetBackIT {

	private NodeProcess node;

	private WallClock clock;

	@BeforeEach
	void prepare(@TempDir Path home) throws Exception {
		this.node = NodeProcess.in(home).withHeap("96m").withJvm("-XX:TieredStopAtLevel=1");
		this.clock = WallClock.of(this.node);
	}

	@Test
	void setBackBy40SecondsOverARestartItGoesOnAboveItsLastStamp() throws Exception {
		try (NodeProcess running = this.node.start()) {
			String last = put(running, "key", "first");
			running.kill9();
			this.clock.set(Duration.ofSeconds(-40));
			running.start();
			String later = put(running, "other", "never written before");
			assertThat(later).as("of a key that nothing on the disk has stamped").isGreaterThan(last);
			assertThat(put(running, "key", "second")).isGreaterThan(later);
			assertThat(NodeClient.of(running).get("key").body()).isEqualTo("second".getBytes(UTF_8));
		}
	}

	@Test
	void aNodeWhoseClockIs10MinutesBackStartsOnlyOnceItIsCorrected() throws Exception {
		try (NodeProcess running = this.node.start()) {
			String last = put(running, "key", "value");
			running.kill9();
			this.clock.set(Duration.ofMinutes(-10));
			for (int attempt = 0; attempt < 2; attempt++) {
				requireRefused(running, running.data().resolve("CLOCK") + " is stamped ");
			}
			this.clock.set(Duration.ZERO);
			running.start();
			assertThat(put(running, "key", "after")).isGreaterThan(last);
		}
	}

	@Test
	void anEntryWrittenWhileTheClockWasAheadIsDroppedOnRequest() throws Exception {
		try (NodeProcess running = this.node.start()) {
			String before = put(running, "before", "good");
			this.clock.set(Duration.ofHours(3));
			put(running, "ahead", "from the future");
			this.clock.set(Duration.ZERO);
			NodeAnswer refused = NodeClient.of(running).put("key", new byte[1]);
			assertThat(refused.statusCode()).isEqualTo(503);
			assertThat(new String(refused.body(), UTF_8)).contains("too far ahead");
			running.terminate();
			requireRefused(running, running.data().resolve("CLOCK") + " is stamped ");
			running.with("quorate.clock.drop-future-entries", "true").start();
			assertThat(running.logOfThisStart()).contains("Left out 1 entries from the future for good");
			running.kill9();
			running.without("quorate.clock.drop-future-entries").start();
			assertThat(NodeClient.of(running).get("ahead").statusCode()).isEqualTo(404);
			assertThat(NodeClient.of(running).get("before").body()).isEqualTo("good".getBytes(UTF_8));
			String after = put(running, "ahead", "again");
			assertThat(after).isGreaterThan(before);
			assertThat(Stamps.millis(after)).isLessThan(System.currentTimeMillis() + 60_000);
		}
	}

	@Test
	void aClockThatWasAheadLeavesNoTraceWhenNothingWasWritten() throws Exception {
		try (NodeProcess running = this.node.start()) {
			this.clock.set(Duration.ofHours(3));
			awaitThat(() -> ceilingOf(running) > System.currentTimeMillis() + 3_000_000);
			this.clock.set(Duration.ZERO);
			awaitThat(() -> ceilingOf(running) < System.currentTimeMillis() + 60_000);
			assertThat(Stamps.millis(put(running, "key", "value"))).isLessThan(System.currentTimeMillis() + 60_000);
			running.kill9();
			running.start();
		}
	}

	private static void awaitThat(Callable<Boolean> condition) {
		await().atMost(Duration.ofMinutes(2)).until(condition);
	}

	/** Where the file has it, in milliseconds: the slot that was written last. */
	private static long ceilingOf(NodeProcess node) throws Exception {
		byte[] bytes = Files.readAllBytes(node.data().resolve("CLOCK"));
		ByteBuffer content = ByteBuffer.wrap(bytes);
		boolean second = bytes.length >= 4096 + 24 && content.getInt(4096 + 16) - content.getInt(16) > 0;
		return content.getLong((second ? 4096 : 0) + 8) >>> 16;
	}

	private static void requireRefused(NodeProcess running, String why) throws Exception {
		running.launch();
		assertThat(running.awaitExit()).as(running.logOfThisStart()).isEqualTo(1);
		assertThat(running.logOfThisStart())
			.contains(why, "ahead of this machine's clock", "correct the machine's clock")
			.doesNotContain("\tat io.quorate");
	}

	private static String put(NodeProcess running, String key, String value) throws Exception {
		NodeAnswer answer = NodeClient.of(running).put(key, value.getBytes(UTF_8));
		assertThat(answer.statusCode()).as(new String(answer.body(), UTF_8)).isEqualTo(201);
		return Stamps.of(answer);
	}

}
