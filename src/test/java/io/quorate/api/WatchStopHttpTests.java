package io.quorate.api;

import java.io.IOException;

import io.quorate.api.ScriptedChanges.Script;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.watch.WatchEvent;
import org.junit.jupiter.api.Test;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The end of a watch whose client takes nothing, where no other rule ends it. */
@TestPropertySource(properties = "quorate.api.answer-idle-timeout=1h")
class WatchStopHttpTests extends HttpTests {

	private static final int LARGE = 8 * 1024 * 1024;

	@Test
	void theEndOfAWatchDoesNotWaitForAClientThatTakesNothing() throws IOException {
		this.changes.isScripted = true;
		try (LoggedLines rules = new LoggedLines("io.quorate.api.transport.Outflow");
				RawConnection idle = RawConnection.to(this.port, 64 * 1024)) {
			idle.request("GET", "/v0/watch?value=true");
			Script script = this.changes.script(0);
			script.send(null, new WatchEvent.Put(Key.of("a"), Timestamp.ofMillis(1), LARGE, Versioned.NEVER,
					new WatchEvent.Content(Value.wrap(new byte[LARGE]), null)));
			script.end();
			await().until(() -> this.sweep.size() == 0);
			assertThat(rules.lines()).isEmpty();
		}
	}

}
