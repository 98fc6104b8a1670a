package io.quorate.command.data;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.quorate.client.WatchEvent;
import io.quorate.command.terminal.CommandException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The handler of a watch: its runs, and those it is spared. */
class WatchHandlerTests {

	private final ByteArrayOutputStream err = new ByteArrayOutputStream();

	private final List<Duration> pauses = new ArrayList<>();

	@TempDir
	private Path folder;

	private Path log = Path.of("");

	@BeforeEach
	void begin() {
		this.log = this.folder.resolve("log");
	}

	private WatchHandler handler(String then) {
		return new WatchHandler("echo \"$QUORATE_KEY $QUORATE_ETAG\" >> '" + this.log + "'; " + then,
				new PrintStream(this.err, true, StandardCharsets.UTF_8), this.pauses::add);
	}

	private static WatchEvent version(String key, String etag) {
		return new WatchEvent.Delete(key, etag, null);
	}

	private String err() {
		return this.err.toString(StandardCharsets.UTF_8);
	}

	@Test
	void aVersionIsHandledOnce() throws IOException {
		WatchHandler handler = handler("true");
		for (String etag : List.of("1", "1", "2", "2", "1")) {
			handler.take(version("a", etag));
			handler.take(version("b", "1"));
		}
		assertThat(Files.readAllLines(this.log)).containsExactly("a 1", "b 1", "a 2", "a 1");
		assertThat(this.pauses).isEmpty();
	}

	@Test
	void aHandlerThatFailsIsRunAgainAfterPausesThatGrow() throws IOException {
		WatchHandler handler = handler("[ $(wc -l < '" + this.log + "') -ge 9 ] || exit 7");
		handler.take(version("a", "1"));
		handler.take(version("a", "1"));
		assertThat(Files.readAllLines(this.log)).hasSize(9).containsOnly("a 1");
		assertThat(this.pauses).extracting(Duration::toSeconds).containsExactly(1L, 2L, 4L, 8L, 16L, 30L, 30L, 30L);
		assertThat(err()).contains("ended with 7 for the key a, and is run again after 1s\n", "after 30s\n");
		handler.take(version("a", "2"));
		assertThat(Files.readAllLines(this.log)).hasSize(10);
	}

	@Test
	void aChangeThatWasNotHandledIsNotRemembered() {
		WatchHandler handler = new WatchHandler("exit 1", new PrintStream(this.err, true, StandardCharsets.UTF_8),
				(time) -> {
					throw new InterruptedException("enough");
				});
		assertThatThrownBy(() -> handler.take(version("a", "1"))).isInstanceOf(CommandException.class);
		assertThat(Thread.interrupted()).isTrue();
		// What has failed is not remembered.
		assertThatThrownBy(() -> handler.take(version("a", "1"))).isInstanceOf(CommandException.class);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void aKeyThatNoVariableCanHaveIsLeftOut() {
		handler("true").take(version("a\0b", "1"));
		assertThat(this.log).doesNotExist();
		assertThat(err()).contains("the key a\\u0000b has a zero");
	}

	@Test
	void aHandlerThatLeavesItsInputUnreadIsNoFault() throws IOException {
		WatchHandler handler = handler("exec 0<&-");
		IntStream.range(0, 20).forEach((i) -> handler.take(version("a", "" + i)));
		assertThat(Files.readAllLines(this.log)).hasSize(20);
	}

}
